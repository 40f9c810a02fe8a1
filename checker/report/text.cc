// The layout is that of the samples in the README: what is wrong, where, what will happen, why it is believed, what to do.
#include "checker/report/text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "checker/report/excerpt.h"
#include "checker/report/paint.h"
#include "checker/report/statistics.h"
#include "checker/text/files.h"

namespace shardlint {

namespace {

constexpr std::size_t kMaxWidth = 120;     // a name at the far right of a very wide terminal is not seen
constexpr std::size_t kMaxNoteWidth = 72;  // notes longer than this do not move the places of the others
constexpr std::size_t kMaxDiffLines = 12;  // of each side

std::string commas(i64 number) { return with_commas(grouped(number)); }
std::string shown_text(std::string_view message) { return printable(with_commas(message)); }
std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", commas(static_cast<i64>(count)), count == 1 ? one : many);
}

const Value* value_of(const PlanReport& plan, std::string_view name) {
  for (const FieldReport& field : plan.fields)
    if (field.name == name && field.value && field.value->is_number()) return &*field.value;
  return nullptr;
}

std::optional<double> number(const PlanReport& plan, std::string_view name) {
  const Value* value = value_of(plan, name);
  return value ? std::optional(value->number()) : std::nullopt;
}

// The digits of a field that is a number: a double does not hold those of every one.
std::string digits(const PlanReport& plan, std::string_view name) {
  const Value& value = *value_of(plan, name);
  return value.integer() ? commas(*value.integer()) : to_string(value);
}

std::string title(const PlanReport& plan) { return plan.title.empty() ? plan.framework : plan.title; }

class Text {
 public:
  Text(const CheckResult& result, const TextReport& how)
      : result_(result), how_(how), paint_(how.style.color), width_(std::min(how.style.width, kMaxWidth)) {}

  std::string write() {
    for (const Finding& finding : result_.findings) {
      introduce(finding);
      this->finding(finding);
    }
    if (how_.not_evaluated) not_evaluated();
    if (how_.statistics) statistics();
    summary();
    return std::move(out_);
  }

 private:
  void line(std::string_view text) {
    out_ += text;
    while (out_.ends_with(' ')) out_.pop_back();
    out_ += '\n';
  }

  std::string file_of(const Place& place) const { return printable(shown(place.source->path(), how_.style.working_folder)); }
  std::string where(const Place& place, bool column) const { return place_line(place, how_.style.working_folder, column); }
  std::string in(Severity severity, std::string_view text) const {
    return paint_.in(severity == Severity::Error ? "1;31" : severity == Severity::Warning ? "1;33" : "1;36", text);
  }

  // The plan that a finding is about, before its first finding.
  void introduce(const Finding& finding) {
    const PlanReport* plan = nullptr;
    const std::string file = !finding.run.empty() ? finding.run : finding.place ? finding.place.source->path() : "";
    for (const PlanReport& candidate : result_.plans) {
      // A finding about a run of several plans is introduced by the first of them.
      const bool whole_run =
          !plan && candidate.file == file && (finding.plan == "default" || candidate.name.starts_with(finding.plan + "/"));
      const bool exact = candidate.name == finding.plan;
      if ((exact && candidate.file == file) || whole_run || (exact && !plan && finding.run.empty() && finding.plan != "default"))
        plan = &candidate;
    }
    if (!plan && result_.plans.size() == 1) plan = result_.plans.data();
    if (!plan || !introduced_.insert(plan).second) return;
    line(paint_.bold(plan_line(*plan, how_.style.working_folder)));
    line("");
  }

  void finding(const Finding& finding) {
    const std::string kind = std::string(name(finding.severity)) + ":";
    const std::string message = shown_text(finding.message);
    const std::size_t left = kind.size() + 1 + columns(message);
    const std::size_t name_width = columns(finding.rule);
    const bool beside = left + 2 + name_width <= width_;
    const auto right = [&](std::size_t used) {
      return spaces(std::max<std::size_t>(2, width_ > used + name_width ? width_ - used - name_width : 0)) + paint_.faint(finding.rule);
    };
    line(fmt::format("{} {}{}", in(finding.severity, kind), paint_.bold(message), beside ? right(left) : ""));
    const std::string at = finding.place ? where(finding.place, true) : "";
    if (finding.place || !beside) line(fmt::format("   {}{}", paint_.blue(at), beside ? "" : right(3 + columns(at))));

    std::size_t gutter = 1;
    if (finding.place && !finding.place.source->text().empty())
      gutter = source(finding);
    else if (!finding.effect.empty())
      line("   " + shown_text(finding.effect));
    notes(finding.notes, gutter);
    fixes(finding, gutter);
    line("");
  }

  // The source line, the carets and what will happen. Returns the digits of the line number.
  std::size_t source(const Finding& finding) {
    const std::string number = std::to_string(finding.place.source->position(finding.place.range.begin).line);
    const std::size_t used = number.size() + 4;
    const Excerpt shown = excerpt(*finding.place.source, finding.place.range, width_ > used + 20 ? width_ - used : 20);
    const std::string blank = spaces(number.size() + 2) + paint_.blue("|");
    line(blank);
    line(fmt::format(" {} {} {}", paint_.blue(number), paint_.blue("|"), shown.text));
    const std::string carets = in(finding.severity, std::string(shown.carets, '^'));
    line(fmt::format("{} {}{} {}", blank, spaces(shown.indent), carets, in(finding.severity, shown_text(finding.effect))));
    if (!finding.notes.empty()) line(blank);
    return number.size();
  }

  void notes(const std::vector<Note>& notes, std::size_t gutter) {
    std::size_t longest = 0;
    for (const Note& note : notes)
      if (const std::size_t width = columns(shown_text(note.message)); note.place && width <= kMaxNoteWidth)
        longest = std::max(longest, width);
    for (const Note& note : notes) {
      const std::string message = shown_text(note.message);
      const std::string place = note.place ? "   " + paint_.blue(where(note.place, false)) : "";
      line(fmt::format("{}{} {}{}", spaces(gutter + 2), paint_.blue("="), note.place ? padded(message, longest) : message, place));
    }
  }

  // Alternatives that change the same value stand in one line, and the first is shown as a diff.
  void fixes(const Finding& finding, std::size_t gutter) {
    std::vector<bool> told(finding.fixes.size());
    for (std::size_t i = 0; i < finding.fixes.size(); ++i) {
      if (told[i]) continue;
      const Fix& fix = finding.fixes[i];
      std::string offered = replaces_value(fix) ? printable(fix.edits[0].text) : shown_text(fix.title);
      for (std::size_t j = i + 1; j < finding.fixes.size() && replaces_value(fix); ++j) {
        const Fix& other = finding.fixes[j];
        if (told[j] || !replaces_value(other) || other.safety != fix.safety || other.edits[0].source != fix.edits[0].source ||
            !(other.edits[0].range == fix.edits[0].range))
          continue;
        offered += " or " + printable(other.edits[0].text);
        told[j] = true;
      }
      line(fmt::format("  {} {}", paint_.green(fix.safety == Safety::Safe ? "fix (safe):" : "fix (checked):"), offered));
      const bool says_more = replaces_value(fix) && fix.title.find(fix.edits[0].text) == std::string::npos;
      for (const LineDiff& change : line_diffs(fix)) diff(change, finding, gutter, says_more ? shown_text(fix.title) : "");
    }
  }

  static bool replaces_value(const Fix& fix) {
    return fix.edits.size() == 1 && !fix.edits[0].range.empty() && !fix.edits[0].text.empty() &&
           fix.edits[0].text.find('\n') == std::string::npos &&
           fix.edits[0].source->text(fix.edits[0].range).find('\n') == std::string_view::npos;
  }

  void diff(const LineDiff& change, const Finding& finding, std::size_t gutter, std::string_view remark) {
    const std::string indent = spaces(gutter + 2);
    if (change.source != finding.place.source) line(fmt::format("{}{}", indent, paint_.blue(file_of({change.source, {}}))));
    const auto side = [&](const std::vector<std::string>& lines, bool comes) {
      const std::size_t room = width_ - std::min(width_ - 1, indent.size() + 2);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i == kMaxDiffLines) return this->line(fmt::format("{}  and {} more", indent, counted(lines.size() - i, "line", "lines")));
        const Source one("", lines[i]);
        const std::string text = fmt::format("{} {}", comes ? '+' : '-', excerpt(one, {0, 0}, room).text);
        const bool last = comes && i + 1 == lines.size() && !remark.empty();
        this->line(indent + (comes ? paint_.green(text) : paint_.red(text)) + (last ? "   " + std::string(remark) : ""));
      }
    };
    side(change.before, false);
    side(change.after, true);
  }

  void not_evaluated() {
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> rules;  // by file, by what would settle them
    for (const NotEvaluatedReport& entry : result_.not_evaluated)
      rules[{entry.file, fmt::format("{}", fmt::join(entry.because, ", "))}].push_back(entry.rule);
    for (auto& [key, names] : rules) {
      const auto& [file, because] = key;
      line(fmt::format("{}: {} would settle {}", printable(shown(file, how_.style.working_folder)),
                       because.empty() ? "nothing that a file can say" : paint_.bold(because), counted(names.size(), "check", "checks")));
      std::sort(names.begin(), names.end());
      for (const std::string& name : names) line("   " + paint_.faint(name));
    }
    if (!rules.empty()) line("");
  }

  void statistics() {
    const std::vector<RuleCount> counts = rule_counts(result_.findings);
    for (const RuleCount& rule : counts) line(count_line(rule, paint_));
    if (!counts.empty()) line("");
  }

  std::size_t count(Severity severity) const {
    return static_cast<std::size_t>(
        std::count_if(result_.findings.begin(), result_.findings.end(), [&](const Finding& f) { return f.severity == severity; }));
  }

  // What was understood, where nothing was found; how many findings, where some were.
  std::string verdict() const {
    if (!result_.findings.empty()) {
      std::string out = fmt::format("{}, {}", counted(count(Severity::Error), "error", "errors"),
                                    counted(count(Severity::Warning), "warning", "warnings"));
      if (const std::size_t infos = count(Severity::Info)) out += fmt::format(", {} of advice", counted(infos, "piece", "pieces"));
      return out + ".";
    }
    // One run: what was understood of it, a line for each of its plans.
    const bool one_run =
        !result_.plans.empty() && result_.plans.size() <= kPlanLines &&
        std::all_of(result_.plans.begin(), result_.plans.end(), [&](const PlanReport& plan) { return plan.file == result_.plans[0].file; });
    if (one_run) {
      std::string lines;
      for (const PlanReport& plan : result_.plans) lines += (lines.empty() ? "" : "\n") + plan_line(plan, how_.style.working_folder);
      return lines + ": nothing found.";
    }
    if (result_.plans.empty()) {
      if (result_.files == 0 && result_.unconcerned) return "Nothing that changed concerns a training run.";
      if (result_.files == 0) return "No training config was recognised.";
      return counted(result_.files, "file", "files") + " of no known framework, checked for syntax only: nothing found.";
    }
    std::map<std::string, std::size_t> titles;
    for (const PlanReport& plan : result_.plans) ++titles[title(plan)];
    std::string frameworks;
    for (const auto& [name, plans] : titles)
      frameworks += fmt::format("{}{} {}", frameworks.empty() ? "" : ", ", name, commas(static_cast<i64>(plans)));
    return fmt::format("{} in {} ({}): nothing found.", counted(result_.plans.size(), "plan", "plans"),
                       counted(result_.files, "file", "files"), frameworks);
  }

  void summary() {
    std::string out = paint_.bold(verdict());
    if (!result_.plans.empty()) {
      const auto failed = static_cast<std::size_t>(
          std::count_if(result_.findings.begin(), result_.findings.end(), [](const Finding& f) { return f.family != "hygiene"; }));
      out += fmt::format(" {} passed", counted(result_.checks > failed ? result_.checks - failed : 0, "check", "checks"));
      if (result_.unsettled) {
        out += fmt::format(", {} not evaluated", commas(static_cast<i64>(result_.unsettled)));
        if (!how_.not_evaluated) out += " (--not-evaluated tells which value would settle them)";
      }
      if (result_.suppressed) out += fmt::format(", {} suppressed", commas(static_cast<i64>(result_.suppressed)));
      if (result_.baselined) out += fmt::format(", {} let stand by the baseline", commas(static_cast<i64>(result_.baselined)));
      out += '.';
    }
    if (result_.unconcerned)
      out += fmt::format(" {} read nothing that changed.", counted(result_.unconcerned, "file or run", "files or runs"));
    if (result_.passed_over) out += fmt::format(" {} passed over.", counted(result_.passed_over, "other file", "other files"));
    line(fmt::format("{} {:.0f} ms", out, result_.milliseconds));
  }

  const CheckResult& result_;
  const TextReport& how_;
  Paint paint_;
  std::size_t width_;
  std::string out_;
  std::set<const PlanReport*> introduced_;
};

}  // namespace

namespace {

// The option that a value stands behind, or the word that says it: "--nodes", "parallelism.tp".
std::string option_of(const Place& place) {
  const std::string_view line = place.source->text();
  const auto word_at = [&](std::size_t at) {
    const std::size_t begin = at == 0 ? 0 : line.rfind(' ', at - 1) + 1;  // npos + 1 is 0
    return std::pair(begin, line.substr(begin, std::min(line.find(' ', begin), line.size()) - begin));
  };
  const auto named = [](std::string_view word) { return std::string(word.substr(0, word.find('='))); };
  const auto [begin, word] = word_at(std::min<std::size_t>(place.range.begin, line.size()));
  if (word.starts_with("--") || begin < 2) return named(word);
  const std::string_view before = word_at(begin - 2).second;
  const bool value = before.starts_with("--") && before.size() > 2 && before.find('=') == std::string_view::npos;
  if (value && before == "--sbatch") return "sbatch --" + named(word);
  return value && (before == "--set" || word.find('=') == std::string_view::npos) ? std::string(before) : named(word);
}

}  // namespace

std::string place_line(const Place& place, std::string_view working_folder, bool column) {
  if (place.source->path() == "<command line>") return printable(option_of(place));
  std::string file = printable(shown(place.source->path(), working_folder));
  if (place.source->text().empty()) return file;
  const Position at = place.source->position(place.range.begin);
  return column ? fmt::format("{}:{}:{}", file, at.line, at.column) : fmt::format("{}:{}", file, at.line);
}

std::string split_line(const PlanReport& plan, bool ones) {
  const auto world = number(plan, "world_size");
  std::string out, split;
  double product = 1;
  for (const auto& [label, field] : {std::pair{"TP", "tp"}, {"PP", "pp"}, {"CP", "cp"}, {"DP", "dp"}})
    if (const auto degree = number(plan, field)) {
      product *= *degree;
      if (*degree != 1 || ones) split += fmt::format("{}{} {}", split.empty() ? "" : " x ", label, digits(plan, field));
    }
  if (world) out = fmt::format("{} {}", digits(plan, "world_size"), *world == 1 ? "GPU" : "GPUs");
  if (!split.empty()) out += (!world ? "" : product == *world ? " = " : " for ") + split;
  if (const auto experts = number(plan, "ep"); experts && *experts > 1) out += fmt::format(", EP {}", digits(plan, "ep"));
  return out;
}

std::string plan_line(const PlanReport& plan, std::string_view working_folder) {
  std::string out = printable(shown(plan.file, working_folder));
  if (!plan.started.empty() && plan.started != plan.file) out += fmt::format(" -> {}", printable(shown(plan.started, working_folder)));
  out += fmt::format("   {}", title(plan));
  if (plan.name != "default") out += fmt::format("   {}", printable(plan.name));

  if (const std::string split = split_line(plan, true); !split.empty()) out += "   " + split;

  std::optional<double> batches = number(plan, "num_microbatches");
  const auto global = number(plan, "global_batch"), own = number(plan, "replica_batch"), micro = own ? own : number(plan, "micro_batch"),
             replicas = number(plan, "dp");
  if (!batches && global && micro && replicas && *micro * *replicas > 0) batches = *global / (*micro * *replicas);
  if (batches) {
    const bool even = *batches == std::floor(*batches) && std::fabs(*batches) < 1e15;
    out += fmt::format("   {} {}", even ? commas(static_cast<i64>(*batches)) : fmt::format("{:.4g}", *batches),
                       *batches == 1 ? "micro-batch" : "micro-batches");
  }
  // Who submits a job sees at once whether it was understood.
  if (value_of(plan, "tokens_per_step") && !plan.started.empty())
    out += fmt::format("   {} tokens a step", digits(plan, "tokens_per_step"));
  return out;
}

std::string text_report(const CheckResult& result, const TextReport& how) { return Text(result, how).write(); }

}  // namespace shardlint
