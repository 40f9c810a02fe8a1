#include "checker/shell/text.h"

#include <algorithm>
#include <set>

namespace shardlint::shell {
namespace {

// Longer chains are cut at their far end: nobody reads them, and a loop would make one station a turn.
constexpr std::size_t kLongestTrail = 24, kMostSteps = 32;

bool continues(const Place& a, const Place& b) { return a.source && a.source == b.source && a.range.end == b.range.begin; }

}  // namespace

TrailPtr Trail::make(Step step, std::vector<TrailPtr> from) {
  auto trail = std::make_shared<Trail>();
  trail->step = std::move(step);
  for (TrailPtr& before : from) {
    if (!before || before->depth >= kLongestTrail) continue;
    if (std::find(trail->from.begin(), trail->from.end(), before) != trail->from.end()) continue;
    trail->depth = std::max(trail->depth, before->depth + 1);
    trail->from.push_back(std::move(before));
  }
  return trail;
}

TrailPtr computed(Step step, const std::vector<const Text*>& texts) {
  std::vector<TrailPtr> from;
  for (const Text* text : texts)
    for (const Run& run : text->runs())
      if (run.trail && from.size() < kMostSteps) from.push_back(run.trail);
  return Trail::make(std::move(step), std::move(from));
}

Text Text::of(const SourcePtr& source) { return of(source, {0, static_cast<std::uint32_t>(source->text().size())}); }

Text Text::of(const SourcePtr& source, Range range) {
  Text out;
  Run run;
  run.text = std::string(source->text(range));
  run.place = {source, range};
  run.verbatim = true;
  out.append(std::move(run));
  return out;
}

Text Text::given(std::string text, Place place) {
  Text out;
  Run run;
  run.text = std::move(text);
  run.place = std::move(place);
  out.append(std::move(run));
  return out;
}

Text Text::unknown(Hole hole) {
  Text out;
  Run run;
  run.place = hole.place;
  run.hole = std::make_shared<const Hole>(std::move(hole));
  out.append(std::move(run));
  return out;
}

std::size_t Text::run_at(std::size_t at) const {
  return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), at) - begins_.begin()) - 1;
}

bool Text::is_hole(std::size_t at) const {
  return holes_ > 0 && at < flat_.size() && flat_[at] == kHole && runs_[run_at(at)].hole != nullptr;
}

std::optional<std::string> Text::str() const {
  if (!known()) return std::nullopt;
  return flat_;
}

std::string Text::shown(std::size_t longest) const {
  std::string out;
  for (std::size_t i = 0; i < flat_.size() && out.size() < longest; ++i) out += is_hole(i) ? '?' : flat_[i] == '\n' ? ' ' : flat_[i];
  if (out.size() < flat_.size()) out += "...";
  return out;
}

Text Text::slice(std::size_t begin, std::size_t end) const {
  Text out;
  end = std::min(end, flat_.size());
  if (begin >= end) return out;
  for (std::size_t i = run_at(begin); i < runs_.size() && begins_[i] < end; ++i) {
    const Run& run = runs_[i];
    const std::size_t from = std::max(begin, begins_[i]) - begins_[i], to = std::min(end - begins_[i], run.size());
    Run part;  // field by field: a copy would bring all the text with it
    part.place = run.place;
    part.verbatim = run.verbatim;
    part.outside = run.outside;
    part.trail = run.trail;
    part.hole = run.hole;
    if (!run.hole) {
      part.text = run.text.substr(from, to - from);
      if (run.verbatim) {
        part.place.range.begin = run.place.range.begin + static_cast<std::uint32_t>(from);
        part.place.range.end = run.place.range.begin + static_cast<std::uint32_t>(to);
      }
    }
    out.append(std::move(part));
  }
  return out;
}

void Text::append(const Text& other) {
  const std::vector<Run> runs = other.runs_;  // `other` may be this
  for (const Run& run : runs) append(run);
}

void Text::append(Run run) {
  if (run.size() == 0) return;
  if (!run.hole && !runs_.empty()) {
    Run& last = runs_.back();
    if (!last.hole && last.verbatim && run.verbatim && continues(last.place, run.place) && last.trail == run.trail &&
        last.outside == run.outside) {
      last.text += run.text;
      last.place.range.end = run.place.range.end;
      flat_ += run.text;
      return;
    }
  }
  begins_.push_back(flat_.size());
  if (run.hole) {
    flat_ += kHole;
    ++holes_;
  } else {
    flat_ += run.text;
  }
  runs_.push_back(std::move(run));
}

const Hole* Text::hole() const {
  if (!known())
    for (const Run& run : runs_)
      if (run.hole) return run.hole.get();
  return nullptr;
}

Outside Text::by_default() const {
  for (const Run& run : runs_)
    if (run.outside) return run.outside;
  return nullptr;
}

Place Text::place() const {
  Place out;
  for (const Run& run : runs_) {
    if (!run.place) continue;
    if (!out) {
      out = run.place;
    } else if (run.place.source == out.source && run.place.range.begin >= out.range.end && run.verbatim) {
      out.range.end = run.place.range.end;
    }
  }
  return out;
}

std::optional<Place> Text::literal() const {
  if (runs_.empty()) return std::nullopt;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (!runs_[i].verbatim || (i > 0 && !continues(runs_[i - 1].place, runs_[i].place))) return std::nullopt;
  return Place{runs_.front().place.source, {runs_.front().place.range.begin, runs_.back().place.range.end}};
}

std::vector<Step> Text::chain() const {
  std::vector<TrailPtr> queue;
  std::set<const Trail*> seen;
  const auto add = [&](const TrailPtr& trail) {
    if (trail && queue.size() < kMostSteps && seen.insert(trail.get()).second) queue.push_back(trail);
  };
  for (const Run& run : runs_) add(run.trail);
  std::vector<Step> out;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const TrailPtr trail = queue[i];
    const bool said = std::any_of(out.begin(), out.end(), [&](const Step& step) {
      return step.says == trail->step.says && step.place.source == trail->step.place.source && step.place.range == trail->step.place.range;
    });
    if (!said) out.push_back(trail->step);
    for (const TrailPtr& before : trail->from) add(before);
  }
  return out;
}

Text Text::via(Step step) const {
  Text out;
  TrailPtr before, made;
  for (const Run& run : runs_) {
    if (!made || run.trail != before) {
      before = run.trail;
      made = Trail::make(step, {before});
    }
    Run copy = run;
    copy.trail = made;
    out.append(std::move(copy));
  }
  return out;
}

Text Text::unless(const Outside& given) const {
  if (!given) return *this;
  Text out;
  for (Run run : runs_) {
    if (!run.outside) run.outside = given;
    out.append(std::move(run));
  }
  return out;
}

bool operator==(const Text& a, const Text& b) {
  if (a.flat_ != b.flat_ || a.holes_ != b.holes_) return false;
  if (a.holes_ == 0) return true;
  std::size_t i = 0, j = 0;
  while (true) {
    while (i < a.runs_.size() && !a.runs_[i].hole) ++i;
    while (j < b.runs_.size() && !b.runs_[j].hole) ++j;
    if (i == a.runs_.size() || j == b.runs_.size()) return i == a.runs_.size() && j == b.runs_.size();
    const Hole& x = *a.runs_[i].hole;
    const Hole& y = *b.runs_[j].hole;
    if (a.begins_[i] != b.begins_[j]) return false;
    if (&x != &y && (x.why != y.why || x.name != y.name || x.because != y.because || x.many != y.many)) return false;
    ++i, ++j;
  }
}

}  // namespace shardlint::shell
