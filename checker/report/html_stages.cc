// Stages: the layers that each holds, and what one of its GPUs keeps in memory, against the card.
#include <algorithm>

#include <fmt/format.h>

#include "checker/plan/memory.h"
#include "checker/plan/rule.h"
#include "checker/report/html_parts.h"
#include "checker/report/units.h"

namespace shardlint {

namespace {

constexpr std::size_t kMostRows = 24, kMostLayers = 400;

// Neighbouring layers as ranges, from 1: "1 to 4, 17 to 20".
std::string layers_text(const std::vector<std::size_t>& layers) {
  std::string out;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i + 1;
    while (end < layers.size() && layers[end] == layers[end - 1] + 1) ++end;
    out += (out.empty() ? "" : ", ") + numbers_text(layers[i] + 1, layers[end - 1] + 1);
    i = end;
  }
  return out;
}

void gap_row(Markup& out, std::size_t left_out) { out.element("p", {{"class", "gap"}}, fmt::format("{} more stages", left_out)); }

// The layers of one stage, those of a chunk side by side; the embedding before them, the output layer behind.
void strip(const Page& page, const Stage& stage, std::size_t index, const ModelWeights& model, double widest) {
  constexpr double kWide = 10, kGap = 6;
  const auto svg = picture(page.out, fmt::format("stage {}: layers {}", index + 1, layers_text(stage.layers)), widest, 14,
                           drawn(fmt::format("stages[{}].layers", index), static_cast<double>(stage.layers.size()),
                                 {{"preserveAspectRatio", "none"}, {"class", "strip"}, {"data-stage", fmt::format("{}", index)}}));
  double x = 0;
  const auto block = [&](std::string_view kind, double width) {
    page.out.empty("rect", {{"class", std::string(kind)}, {"x", px(x)}, {"y", "0"}, {"width", px(width - 1.5)}, {"height", "14"}});
    x += width;
  };
  if (stage.embedding) block("ends", 2 * kWide), x += kGap;
  const bool each = model.layers() <= kMostLayers;
  for (std::size_t i = 0; i < stage.layers.size(); ++i) {
    if (i && stage.layers[i] != stage.layers[i - 1] + 1) x += kGap;
    const bool sparse = model.is_sparse[stage.layers[i]];
    double run = 1;
    for (; !each && i + 1 < stage.layers.size() && stage.layers[i + 1] == stage.layers[i] + 1 &&
           model.is_sparse[stage.layers[i + 1]] == sparse;
         ++i)
      ++run;
    block(sparse ? "sparse" : "layer", run * kWide);
  }
  if (stage.output) x += kGap, block("ends", 2 * kWide);
}

double strip_width(const Stage& stage) {
  double chunks = 0;
  for (std::size_t i = 1; i < stage.layers.size(); ++i) chunks += stage.layers[i] != stage.layers[i - 1] + 1;
  return 10 * static_cast<double>(stage.layers.size()) + 6 * chunks + 26 * (stage.embedding + stage.output);
}

struct Kind {
  std::string_view name, path, style;
  double bytes = 0;
};
std::vector<Kind> kinds_of(const StageMemory& stage) {
  return {{"weights", "weights_bytes", "weights", stage.state.weights},
          {"gradients", "gradients_bytes", "gradients", stage.state.gradients},
          {"optimizer", "optimizer_bytes", "optimizer", stage.state.master + stage.state.moments},
          {"activations", "activation_bytes", "activations", stage.activations.expected},
          {"working", "working.expected", "working", stage.working.expected}};
}

void bar(const Page& page, const StageMemory& stage, std::size_t index, double scale, std::optional<double> card) {
  constexpr double kWide = 1000;
  const Estimate total = stage.total();
  const auto at = [&](double bytes) { return bytes / scale * kWide; };
  std::string name =
      fmt::format("stage {}: {} expected, {} to {}", index + 1, bytes_text(total.expected), bytes_text(total.low), bytes_text(total.high));
  const auto svg = picture(page.out, name, kWide, 18,
                           {{"preserveAspectRatio", "none"},
                            {"class", "bar"},
                            {"data-stage", fmt::format("{}", index)},
                            {"data-scale", fmt::format("{}", scale / kWide)}});
  if (card) page.out.empty("rect", {{"class", "card"}, {"x", "0"}, {"y", "0"}, {"width", px(at(*card))}, {"height", "18"}});
  double x = 0;
  for (const Kind& kind : kinds_of(stage)) {
    page.out.empty("rect",
                   drawn(fmt::format("memory.stages[{}].{}", index, kind.path), kind.bytes,
                         {{"class", std::string(kind.style)}, {"x", px(x)}, {"y", "3"}, {"width", px(at(kind.bytes))}, {"height", "12"}}));
    x += at(kind.bytes);
  }
  // From low to high.
  page.out.empty(
      "rect", {{"class", "range"}, {"x", px(at(total.low))}, {"y", "8.4"}, {"width", px(at(total.high - total.low))}, {"height", "1.2"}});
  for (const double end : {total.low, total.high})
    page.out.empty("rect", {{"class", "range"}, {"x", px(at(end) - 0.8)}, {"y", "5"}, {"width", "1.6"}, {"height", "8"}});
  if (card) page.out.empty("rect", {{"class", "limit"}, {"x", px(at(*card) - 1)}, {"y", "0"}, {"width", "2"}, {"height", "18"}});
}

void memory_words(const Page& page, const Memory& found, std::optional<double> card) {
  const StageMemory& fullest = found.stages[found.fullest];
  const Estimate total = fullest.total();
  const std::string path = fmt::format("memory.stages[{}].total.", found.fullest);
  const auto line = page.out.open("p", card && total.expected > *card ? Attributes{{"class", "alarm"}} : Attributes{});
  if (found.stages.size() > 1) {
    page.out.text(fmt::format("A GPU of stage {} needs most: ", found.fullest + 1));
  } else {
    page.out.text("Each GPU needs ");
  }
  page.number(path + "expected", total.expected, bytes_text(total.expected));
  page.out.text(" expected, between ");
  page.number(path + "low", total.low, bytes_text(total.low));
  page.out.text(" and ");
  page.number(path + "high", total.high, bytes_text(total.high));
  if (card) {
    page.out.text(", of ");
    page.number("memory.card_bytes", *card, bytes_text(*card));
    page.out.text(total.low > *card        ? ". It does not fit."
                  : total.expected > *card ? ". It is not expected to fit."
                  : total.high > *card     ? ". It fits, but not in every reading."
                                           : ". It fits.");
  } else {
    page.out.text(". Which GPU it is nobody says, so there is no card to hold it against.");
  }
}

void memory_numbers(const Page& page, const Memory& found) {
  const auto frame = page.out.open("div", {{"class", "scroll"}});
  const auto table = page.out.open("table", {{"class", "numbers"}});
  {
    const auto head = page.out.open("tr");
    for (const char* title : {"stage", "parameters", "weights", "gradients", "optimizer", "activations", "working", "total", "low", "high"})
      page.out.element("th", {{"scope", "col"}}, title);
  }
  for (std::size_t i = 0; i < found.stages.size();) {
    const StageMemory& stage = found.stages[i];
    const Estimate total = stage.total();
    std::size_t end = i + 1;
    while (end < found.stages.size() && found.stages[end].parameters == stage.parameters && found.stages[end].total().high == total.high)
      ++end;
    const auto row = page.out.open("tr");
    page.out.element("th", {{"scope", "row"}}, numbers_text(i + 1, end));
    const auto cell = [&](std::string_view member, double value, const std::string& shown) {
      page.out.element("td", drawn(fmt::format("memory.stages[{}].{}", i, member), value), shown);
    };
    cell("parameters", stage.parameters, count_text(stage.parameters));
    for (const Kind& kind : kinds_of(stage)) cell(kind.path, kind.bytes, bytes_text(kind.bytes));
    cell("total.expected", total.expected, bytes_text(total.expected));
    cell("total.low", total.low, bytes_text(total.low));
    cell("total.high", total.high, bytes_text(total.high));
    i = end;
  }
}

}  // namespace

void draw_stages(const Page& page) {
  std::vector<Field> missing;
  const auto model = model_weights(page.plan, &missing);
  const auto held = model ? stages(page.plan, model->layers()) : std::nullopt;
  if (!held) return page.needs("stages and their layers", missing);
  page.section("stages", "Stages and their layers", [&] {
    {
      const auto line = page.out.open("p");
      page.number("fields.layers.value", static_cast<double>(model->layers()));
      const auto [least, most] =
          std::minmax_element(held->begin(), held->end(), [](const Stage& a, const Stage& b) { return a.layers.size() < b.layers.size(); });
      page.out.text(held->size() == 1 ? " layers, all on every replica's one stage" : " layers over ");
      if (held->size() > 1) {
        page.number("fields.pp.value", static_cast<double>(held->size()));
        page.out.text(fmt::format(" stages, {} each", numbers_text(least->layers.size(), most->layers.size())));
      }
      if (count_or(page.plan.vpp, 1) > 1) {
        page.out.text(", in ");
        page.number("fields.vpp.value", static_cast<double>(*page.plan.vpp));
        page.out.text(" chunks");
      }
      page.out.text(".");
    }
    double widest = 160;
    for (const Stage& stage : *held) widest = std::max(widest, strip_width(stage));
    const auto rows = page.out.open("div", {{"class", "rows"}});
    for (const auto& i : shown_rows(held->size(), kMostRows)) {
      if (!i) {
        gap_row(page.out, held->size() - kMostRows * 2 / 3 - kMostRows / 3);
        continue;
      }
      const Stage& stage = (*held)[*i];
      const auto row = page.out.open("div", {{"class", "row"}});
      page.out.element("span", {{"class", "name"}}, fmt::format("stage {}", *i + 1));
      strip(page, stage, *i, *model, widest);
      page.out.element("span", {{"class", "value"}}, stage.layers.empty() ? "no layer" : layers_text(stage.layers));
    }
    {
      const bool any_sparse = std::find(model->is_sparse.begin(), model->is_sparse.end(), true) != model->is_sparse.end();
      std::vector<LegendEntry> entries;
      if (std::find(model->is_sparse.begin(), model->is_sparse.end(), false) != model->is_sparse.end())
        entries.push_back({"layer", any_sparse ? "a dense layer" : "a layer"});
      if (any_sparse) entries.push_back({"sparse", "a layer of experts"});
      entries.push_back({"ends", "embedding, output layer"});
      legend(page.out, entries);
    }
  });
}

void draw_memory(const Page& page) {
  std::vector<Field> missing;
  const auto found = memory(page.plan, &missing);
  if (!found) return page.needs("memory of one GPU", missing);
  page.section("memory", "Memory of one GPU", [&] {
    const auto card = card_bytes(page.plan);
    memory_words(page, *found, card);
    double scale = card.value_or(0);
    for (const StageMemory& stage : found->stages) scale = std::max(scale, stage.total().high);
    scale *= 1.01;
    {
      const auto rows = page.out.open("div", {{"class", "rows"}});
      for (const auto& i : shown_rows(found->stages.size(), kMostRows)) {
        if (!i) {
          gap_row(page.out, found->stages.size() - kMostRows * 2 / 3 - kMostRows / 3);
          continue;
        }
        const StageMemory& stage = found->stages[*i];
        const auto row = page.out.open("div", {{"class", "row"}});
        page.out.element("span", {{"class", "name"}}, found->stages.size() == 1 ? "every GPU" : fmt::format("stage {}", *i + 1));
        bar(page, stage, *i, scale, card);
        const double expected = stage.total().expected;
        page.out.element("span",
                         drawn(fmt::format("memory.stages[{}].total.expected", *i), expected,
                               {{"class", card && expected > *card ? "value alarm" : "value"}}),
                         bytes_text(expected));
      }
    }
    std::vector<LegendEntry> entries;
    for (const Kind& kind : kinds_of(found->stages[0])) entries.push_back({std::string(kind.style), std::string(kind.name)});
    entries.push_back({"range", "low to high"});
    const std::string limit = card ? fmt::format("the card: {}", bytes_text(*card)) : "";
    if (card) entries.push_back({"limit", limit});
    legend(page.out, entries);
    memory_numbers(page, *found);
    std::string without;
    for (const std::string& what : found->unmodelled) without += (without.empty() ? "" : ", ") + what;
    page.out.element("p", {{"class", "aside"}}, "Not counted: " + without + ".");
  });
}

}  // namespace shardlint
