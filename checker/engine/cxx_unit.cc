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
    // What a file's own ignores are for may be found only when it is judged by itself.
    close(!unit_.start);
    return std::move(out_);
  }

 private:
  // What the command that starts the program says of the cluster, if the program takes it from there.
  Facts launched(const CxxPlan& plan, bool only) const {
    Facts out;
    if (!unit_.start || !(plan.of_program() || (plan.role == "plan" && only))) return out;
    out = launch::environment_facts(*unit_.start, plan.binding->environment());
    const bool own = unit_.start->launcher == plan.binding->launcher().program;
    for (const Fact& fact : unit_.start->cluster) {
      // A program that counts its ranks by variables of its launcher's has none of them from another launcher.
      if (plan.binding->counts_ranks() && !own && fact.path != "nodes") continue;
      if (std::none_of(out.begin(), out.end(), [&](const Fact& other) { return other.path == fact.path; })) out.push_back(fact);
    }
    return out;
  }

  void judge_cxx(const DocumentPtr& document) {
    for (const BindingPtr& binding : unit_.bindings)
      for (const Finding& mistake : binding->mistakes()) out_.findings.push_back(mistake);
    CxxUnit unit = read_cxx(*unit_.cxx->readers, files_, document, unit_.bindings,
                            unit_.cxx->builds.command(document->source->path(), unit_.cxx_flags), unit_.start.get());
    if (!unit.failure.empty()) {
      Finding& finding = add(hygiene::kCxxNotRead, hygiene::kCxxNotRead.severity, unit.failure, {document->source, {0, 0}});
      finding.effect = "nothing is known of the plans that it builds";
    }
    for (const CxxUnit::Narrowed& narrowed : unit.narrowed) {
      Finding& finding = add(hygiene::kDoesNotFit, hygiene::kDoesNotFit.severity, narrowed.message,
                             narrowed.place ? narrowed.place : Place{document->source, {0, 0}});
      finding.effect = "C++ cuts the number without a word";
    }
    for (const CxxUnit::Mistake& mistake : unit.mistakes) {
      Finding& finding =
          add(hygiene::kBadBinding, hygiene::kBadBinding.severity,
              mistake.nearest.empty() ? mistake.message : fmt::format("{}; the nearest is {}", mistake.message, mistake.nearest),
              mistake.place);
      finding.effect = "what it binds is never read";
    }
    const bool only = std::count_if(unit.plans.begin(), unit.plans.end(), [](const CxxPlan& plan) { return plan.role == "plan"; }) == 1;
    for (CxxPlan& plan : unit.plans) {
      Job job;
      job.schema = &plan.framework->schema(), job.form = &job.schema->forms[0];
      const auto says = [](const Facts& facts, const std::string& path) {
        return std::any_of(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.path == path; });
      };
      // What the program leaves to whoever starts it; settings stand in for what nobody says.
      const Facts own = std::move(plan.facts);
      Facts launched = this->launched(plan, only);
      // A plan that a program builds may be for another cluster; only what it asks for at its start is this one's.
      if (!plan.of_program()) std::erase_if(launched, [&](const Fact& fact) { return !says(own, fact.path); });
      for (const Fact& fact : own)
        if (fact.open.empty() || !says(launched, fact.path)) job.facts.push_back(fact);
      for (const Fact& fact : launched)
        if (!says(job.facts, fact.path)) job.facts.push_back(fact);
      for (const Fact& fact : unit_.settings.facts)
        if (!says(launched, fact.path)) job.facts.push_back(fact);
      run_ = unit_.start && unit_.name != "default" ? fmt::format("{}/{}", unit_.name, plan.name) : plan.name;
      if (plan.of_program()) (unit_.start ? out_.started : out_.alone).emplace_back(document->source->path(), plan.name);
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
        out_.findings[i].plan = run_, out_.findings[i].run = document->source->path();
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
