// C++: every plan that a unit builds is judged by itself.
#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "checker/diag/hygiene.h"
#include "checker/engine/cxx.h"
#include "checker/engine/unit.h"

namespace shardlint {

namespace {

class CxxCheck : UnitCheck {
 public:
  CxxCheck(const Files& files, const CheckOptions& options, const Unit& unit) : UnitCheck(files, options, unit) {}

  UnitResult run() {
    for (const std::string& path : unit_.files)
      if (format_of(path) == Format::Cpp) read(path);
    bool read_any = false;
    for (const DocumentPtr& document : documents_) {
      const std::string_view text = document->source->text();
      const bool mentions =
          std::any_of(unit_.bindings.begin(), unit_.bindings.end(), [&](const BindingPtr& b) { return b->mentioned_in(text); });
      if (!mentions) {
        if (unit_.named)
          out_.remarks.push_back(
              fmt::format("{}: no C++ type that shardlint knows is named here; a team's own are bound by [cxx] bindings in shardlint.toml",
                          document->source->path()));
        continue;
      }
      read_any = true;
      ++out_.files;
      judge_cxx(document);
    }
    if (!read_any) return std::move(out_);
    // Two plans can share a mistake: a copy, or a default that both leave alone.
    std::set<std::tuple<std::string, const Source*, std::uint32_t, std::string>> told;
    std::erase_if(out_.findings, [&](const Finding& finding) {
      return !told.emplace(finding.rule, finding.place.source.get(), finding.place.range.begin, finding.message).second;
    });
    close(true);
    return std::move(out_);
  }

 private:
  void judge_cxx(const DocumentPtr& document) {
    for (const BindingPtr& binding : unit_.bindings)
      for (const Finding& mistake : binding->mistakes()) out_.findings.push_back(mistake);
    CxxUnit unit = read_cxx(files_, document, unit_.bindings, compile_command(files_, document->source->path(), unit_.cxx_flags));
    if (!unit.failure.empty()) {
      Finding& finding = add(hygiene::kCxxNotRead, hygiene::kCxxNotRead.severity, unit.failure, {document->source, {0, 0}});
      finding.effect = "nothing is known of the plans that it builds";
    }
    for (const CxxUnit::Mistake& mistake : unit.mistakes) {
      Finding& finding =
          add(hygiene::kBadBinding, hygiene::kBadBinding.severity,
              mistake.nearest.empty() ? mistake.message : fmt::format("{}; the nearest is {}", mistake.message, mistake.nearest),
              mistake.place);
      finding.effect = "what it binds is never read";
    }
    for (CxxPlan& plan : unit.plans) {
      Job job;
      job.schema = &plan.framework->schema(), job.form = &job.schema->forms[0];
      job.facts = std::move(plan.facts);
      job.facts.insert(job.facts.end(), unit_.settings.facts.begin(), unit_.settings.facts.end());
      run_ = plan.name;
      about_ = document->source->path();
      const std::size_t before = out_.findings.size(), plans = out_.plans.size();
      Judgement judgement = judge_job(job);
      report_plan(job, *judgement.evaluation);
      keep(std::move(job));
      // The schema of a team's own types is not in the binary: the framework has it.
      if (std::shared_ptr<const Job>& kept = out_.plans.back().job)
        kept = {std::make_shared<const std::pair<std::shared_ptr<const BoundFramework>, std::shared_ptr<const Job>>>(plan.framework, kept),
                kept.get()};
      for (std::size_t i = before; i < out_.findings.size(); ++i)
        out_.findings[i].plan = plan.name, out_.findings[i].run = document->source->path();
      // As the binding calls it, beside the plan's own name for it.
      for (std::size_t i = plans; i < out_.plans.size(); ++i)
        for (const auto& [alias, field] : plan.aliases) {
          const auto found =
              std::find_if(out_.plans[i].fields.begin(), out_.plans[i].fields.end(), [&](const FieldReport& f) { return f.name == field; });
          if (found == out_.plans[i].fields.end()) continue;
          FieldReport copy = *found;
          copy.name = alias;
          out_.plans[i].fields.push_back(std::move(copy));
        }
    }
  }
};

}  // namespace

UnitResult check_cxx(const Files& files, const CheckOptions& options, const Unit& unit) { return CxxCheck(files, options, unit).run(); }

}  // namespace shardlint
