// The timeline of one step: a row a stage, a block a pass; where there is none, the stage waits.
#include <algorithm>

#include <fmt/format.h>

#include "checker/plan/pipeline.h"
#include "checker/plan/rule.h"
#include "checker/report/html_parts.h"
#include "checker/report/units.h"

namespace shardlint {

namespace {

constexpr double kRow = 18, kBlock = 15, kName = 58, kWide = 1040, kBreak = 30;
constexpr double kWindow = 64;  // slots at either end, where the whole would be too small to see
constexpr std::size_t kMostBlocks = 1600, kMostRows = 16;

class Timeline {
 public:
  Timeline(const Page& page, const std::vector<std::vector<Work>>& stages) : out_(page.out), stages_(stages) {
    std::size_t blocks = 0;
    for (const std::vector<Work>& stage : stages) {
      blocks += stage.size();
      if (!stage.empty()) end_ = std::max(end_, stage.back().end);
    }
    rows_ = shown_rows(stages.size(), kMostRows);
    whole_ = end_ <= 2 * kWindow || (blocks <= kMostBlocks && end_ <= 260 && stages.size() <= kMostRows);
    slot_ = std::min(20.0, (whole_ ? kWide : kWide - kBreak) / (whole_ ? end_ : 2 * kWindow));
  }

  void write() {
    const double width = kName + (whole_ ? end_ : 2 * kWindow) * slot_ + (whole_ ? 0 : kBreak),
                 height = static_cast<double>(rows_.size()) * kRow;
    const auto frame = out_.open("div", {{"class", "scroll"}});
    const auto svg = picture(out_, fmt::format("timeline of one step: {} stages, {:.0f} slots long", stages_.size(), end_), width, height,
                             {{"width", px(width)}, {"height", px(height)}, {"class", "timeline"}, {"tabindex", "0"}});
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double y = static_cast<double>(row) * kRow;
      if (!rows_[row]) {
        out_.element("text", {{"x", "0"}, {"y", px(y + 12)}, {"class", "faint"}},
                     fmt::format("{} more", stages_.size() - (rows_.size() - 1)));
        continue;
      }
      stage(*rows_[row], y);
    }
    if (!whole_) {
      const double x = kName + kWindow * slot_ + kBreak / 2;
      out_.element("text", {{"x", px(x)}, {"y", px(height / 2 + 4)}, {"class", "break"}}, "…");
    }
  }

  double left_out() const { return whole_ ? 0 : end_ - 2 * kWindow; }

 private:
  // Where a moment is drawn; nothing in the part that is left out.
  std::optional<double> x_of(const Work& work) const {
    if (whole_ || work.end <= kWindow) return kName + work.begin * slot_;
    if (work.begin >= end_ - kWindow) return kName + (kWindow - (end_ - kWindow) + work.begin) * slot_ + kBreak;
    return std::nullopt;
  }

  void stage(std::size_t index, double y) {
    const auto group = out_.open("g", {{"transform", fmt::format("translate(0 {})", px(y))},
                                       {"data-stage", fmt::format("{}", index)},
                                       {"data-row", fmt::format("pipeline.timeline[{}]", index)}});
    out_.element("text", {{"x", "0"}, {"y", "12"}}, fmt::format("stage {}", index + 1));
    const double half = whole_ ? end_ * slot_ : kWindow * slot_;
    out_.empty("rect", {{"class", "wait"}, {"x", px(kName)}, {"width", px(half)}, {"height", px(kBlock)}});
    if (!whole_) out_.empty("rect", {{"class", "wait"}, {"x", px(kName + half + kBreak)}, {"width", px(half)}, {"height", px(kBlock)}});
    for (std::size_t i = 0; i < stages_[index].size(); ++i) {
      const Work& work = stages_[index][i];
      const auto x = x_of(work);
      if (!x) continue;
      const bool forward = work.kind == Work::Kind::Forward;
      const double width = (work.end - work.begin) * slot_;
      Attributes attributes{{"class", fmt::format("{}{}", forward ? "forward" : "backward", work.chunk % 2 ? " odd" : "")},
                            {"x", px(*x)},
                            {"width", px(std::max(0.5, width - (slot_ >= 4 ? 1 : 0.4)))},
                            {"height", px(kBlock)},
                            {"data-slot", fmt::format("{}", i)},
                            {"data-batch", fmt::format("{}", work.micro_batch + 1)},
                            {"data-begin", px(work.begin)},
                            {"data-end", px(work.end)}};
      if (work.chunk) attributes.emplace_back("data-chunk", fmt::format("{}", work.chunk));
      out_.empty("rect", attributes);
      const std::string label = fmt::format("{}", work.micro_batch + 1);
      if (width >= 4.8 * static_cast<double>(label.size()) + 2)
        out_.element("text", {{"class", forward ? "on" : "off"}, {"x", px(*x + width / 2 - 0.5)}, {"y", "11"}}, label);
    }
  }

  Markup& out_;
  const std::vector<std::vector<Work>>& stages_;
  std::vector<std::optional<std::size_t>> rows_;
  double end_ = 0, slot_ = 1;
  bool whole_ = true;
};

std::string_view schedule_name(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::GPipe: return "GPipe";
    case ScheduleKind::OneF1B: return "1F1B";
    case ScheduleKind::Interleaved: return "Interleaved 1F1B";
    case ScheduleKind::ZeroBubble: return "Zero bubble";
  }
  return "";
}

}  // namespace

void draw_timeline(const Page& page) {
  if (page.plan.pp.value_or(1) <= 1) return;
  const auto kind = schedule_kind(page.plan);
  const auto share = bubble_share(page.plan);
  if (!kind || !share) {
    std::vector<Field> missing;
    if (!is_count(page.plan.num_microbatches)) missing.push_back(page.plan.num_microbatches.field);
    if (!kind) missing.push_back(page.plan.schedule.field);
    return page.needs("timeline of one step", missing);
  }
  page.section("steps", "One step", [&] {
    {
      const auto line = page.out.open("p");
      page.out.text(fmt::format("{}: ", schedule_name(*kind)));
      page.number("fields.num_microbatches.value", static_cast<double>(*page.plan.num_microbatches));
      page.out.text(" micro-batches through ");
      page.number("fields.pp.value", static_cast<double>(*page.plan.pp));
      page.out.text(" stages. A stage waits ");
      page.number("pipeline.bubble_share", *share, percent_text(*share));
      page.out.text(" of the step");
      page.out.text(*kind == ScheduleKind::ZeroBubble ? " once it is warm; drawn as 1F1B, without the split of its backward pass." : ".");
    }
    const auto found = timeline(page.plan);
    if (!found) {
      page.out.element("p", {{"class", "needs"}}, "The slots are not drawn: they do not come out, or there are more than a picture holds.");
      return;
    }
    Timeline drawing(page, *found);
    drawing.write();
    std::vector<LegendEntry> entries{
        {"forward", "forward pass, with its micro-batch"}, {"backward", "backward pass, twice as long"}, {"wait", "waiting"}};
    if (page.plan.vpp.value_or(1) > 1) entries.push_back({"forward odd", "every other chunk, paler"});
    legend(page.out, entries);
    if (drawing.left_out() > 0)
      page.out.element("p", {{"class", "aside"}},
                       fmt::format("The beginning and the end; {:.0f} slots between them go on in the same way.", drawing.left_out()));
    page.out.element("p", {{"class", "reading"}, {"aria-live", "polite"}}, "");
  });
}

}  // namespace shardlint
