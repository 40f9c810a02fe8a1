// Launch scripts and job manifests: every training command that they start is a run of its own.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "checker/diag/launch.h"
#include "checker/engine/attach.h"
#include "checker/engine/unit.h"
#include "checker/launch/launch.h"
#include "checker/launch/names.h"

namespace shardlint {

namespace {

class LaunchedCheck : UnitCheck {
 public:
  LaunchedCheck(const Files& files, const CheckOptions& options, const Unit& unit) : UnitCheck(files, options, unit) {}

  std::optional<UnitResult> script() {
    const std::string& path = unit_.files[0];
    Files::Read file = text_of(path);
    if (!file.text || !launch::is_script(path, *file.text)) return std::nullopt;
    const auto source = std::make_shared<const Source>(path, std::move(*file.text));
    launch::Reading reading = launch::read(files_, source, world());
    documents_.push_back(commented(source, reading));
    if (!judge_trainings(reading)) out_.passed_over = 1;
    return std::move(out_);
  }

  // A manifest that starts no training is whatever it was before.
  std::optional<UnitResult> manifest(const DocumentPtr& document) {
    if (!document->problems.empty()) return std::nullopt;
    const auto looks = [&](const Node* root) {
      return root->kind == Node::Kind::Mapping && (document->find(*root, "apiVersion") || document->find(*root, "run"));
    };
    if (std::none_of(document->roots.begin(), document->roots.end(), looks)) return std::nullopt;
    documents_.push_back(document);
    launch::Reading reading = launch::read_manifest(files_, document, world());
    documents_.push_back(commented(document->source, reading));
    return judge_trainings(reading) ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  launch::World world() const { return {unit_.workspace, unit_.settings.partitions, submission(), programs()}; }

  launch::Submission submission() const {
    launch::Submission out;
    for (const SbatchOption& option : options_.sbatch)
      out.options.emplace_back(option.name, shell::Text::given(option.value, option.place));
    for (const Fact& fact : unit_.settings.facts)
      if (fact.path.starts_with("env."))
        out.environment.insert_or_assign(fact.path.substr(4), shell::Text::given(to_string(fact.value), fact.place));
    return out;
  }

  // The comments of the scripts that stand in a file.
  static DocumentPtr commented(const SourcePtr& source, const launch::Reading& reading) {
    auto document = std::make_shared<Document>();
    document->source = source;
    for (const shell::Comment& comment : reading.comments)
      if (comment.place.source == source) document->comments.push_back({comment.place.range});
    return document;
  }

  bool judge_trainings(launch::Reading& reading) {
    const SourcePtr source = documents_[0]->source;
    bool judged = false;
    std::map<std::string, int> times;
    for (launch::Training& training : reading.trainings) {
      // The second and third of several are told apart by their number.
      const int before_it = times[training.name];
      const std::string number = before_it ? std::to_string(before_it + 1) : "";
      const std::string name =
          training.name.empty() || number.empty() ? training.name + number : fmt::format("{}/{}", training.name, number);
      run_ = name.empty() ? unit_.name : unit_.name == "default" ? name : fmt::format("{}/{}", unit_.name, name);
      const std::size_t before = out_.findings.size();
      const std::size_t plans = out_.plans.size();
      if (!judge_training(training)) continue;
      compare_names(training, plans);
      judged = true, ++times[training.name];
      for (Finding& finding : training.findings) out_.findings.push_back(std::move(finding)), out_.findings.back().plan = plan_name("");
      for (std::size_t i = before; i < out_.findings.size(); ++i)
        if (!out_.findings[i].place) out_.findings[i].place = training.command->argv[0].place;
    }
    run_ = unit_.name;
    if (!judged) return false;
    out_.files = 1;
    for (Finding& finding : reading.findings) out_.findings.push_back(std::move(finding)), out_.findings.back().plan = plan_name("");
    // Two trainings of one script may share what is wrong.
    std::set<std::tuple<std::string, std::uint32_t, std::string>> said;
    std::erase_if(out_.findings, [&](const Finding& finding) {
      return finding.place && finding.place.source == source &&
             !said.emplace(finding.rule, finding.place.range.begin, finding.message).second;
    });
    close(true);
    return true;
  }

  // A name that says something else than the job misleads whoever reads it.
  void compare_names(launch::Training& training, std::size_t first_plan) const {
    const auto compare = [&](std::string_view name, const Place& place) {
      for (const auto& [field, stated] : launch::counts_in(name)) {
        std::optional<i64> other;
        bool same = false;
        for (std::size_t i = first_plan; i < out_.plans.size(); ++i)
          for (const FieldReport& one : out_.plans[i].fields)
            if (one.name == field && one.value && one.value->integer())
              *one.value->integer() == stated ? void(same = true) : void(other = *one.value->integer());
        if (same || !other) continue;
        Finding& finding = training.findings.emplace_back();
        finding.rule = launching::kName.name, finding.family = launching::kName.family, finding.severity = launching::kName.severity;
        finding.message = fmt::format("the name {} says {} {}, and it is {}", name, field, stated, *other);
        finding.place = place;
      }
    };
    if (const std::optional<std::string> name = training.job_name.str()) compare(*name, training.job_name.place());
    const std::string& path = unit_.files[0];
    compare(base_name(path), {documents_[0]->source, {0, 0}});
  }

  // ---- programs of the team's own

  launch::Programs programs() const {
    launch::Programs out;
    for (const BindingPtr& binding : unit_.bindings)
      if (!binding->launcher().program.empty()) out.launchers.push_back(binding->launcher());
    if (!unit_.bindings.empty()) out.trains = [this](const std::string& word) { return !sources(word).empty(); };
    return out;
  }

  // The C++ files in reach that the program of this name is built from and that name a bound type.
  std::vector<std::string> sources(const std::string& word, bool launched = false) const {
    const std::string name = base_name(word);
    const bool bound = std::any_of(unit_.bindings.begin(), unit_.bindings.end(), [&](const BindingPtr& binding) {
      return std::find(binding->programs().begin(), binding->programs().end(), name) != binding->programs().end();
    });
    // The name of a program that lies somewhere in PATH is no path.
    if (!bound && !launched && word.find('/') == std::string::npos) return {};
    std::vector<std::string> out = unit_.sources;
    if (out.empty()) out = unit_.cxx->builds.sources(word, folder_of(unit_.files[0]), unit_.workspace);
    std::erase_if(out, [&](const std::string& path) {
      const Files::Read read = files_.read(path);
      return !read.text || std::none_of(unit_.bindings.begin(), unit_.bindings.end(),
                                        [&](const BindingPtr& binding) { return binding->mentioned_in(*read.text); });
    });
    return out;
  }

  bool judge_program(const launch::Training& training) {
    const std::optional<std::string> word = training.command->argv[training.program].text.str();
    if (unit_.bindings.empty() || !word) return false;
    bool judged = false;
    for (const std::string& source : sources(*word, !training.launcher.empty())) {
      Unit unit = unit_;
      unit.files = {source}, unit.sources.clear(), unit.name = plan_name("");
      unit.start = std::make_shared<const launch::Training>(training);
      if (!adopt(check_unit(files_, options_, unit))) continue;
      judged = true;
      out_.started.emplace_back(source, run_);
    }
    return judged;
  }

  bool judge_training(launch::Training& training) {
    if (judge_program(training)) return true;
    if (follow(training)) return true;
    const std::string wanted = unit_.settings.framework.value_or("");
    for (const Schema* schema : schemas()) {
      if (!wanted.empty() && schema->framework != wanted && schema_named(wanted)) continue;
      launch::Words words = launch::words_of(*schema, training);
      if (!words.form) continue;
      for (Finding& finding : words.findings) training.findings.push_back(std::move(finding));
      judge_words(*schema, *words.form, std::move(words.facts), training, words.partial);
      return true;
    }
    if (pairs(training, wanted)) return true;
    Facts batch = launch::trainer_facts(training);
    const bool started = !training.launcher.empty() && !training.cluster.empty();
    if (!started || (batch.empty() && training.launcher != "accelerate" && !counted(training))) return false;
    // What it trains is not known here; how many processes there are is.
    const Schema* plain = schema_named("plan");
    if (!plain) return false;
    judge_words(*plain, plain->forms[0], std::move(batch), training, "");
    return true;
  }

  // Whether it is worth judging for its counts alone: a launcher, or several tasks a server.
  static bool counted(const launch::Training& training) {
    if (training.launcher != "srun") return true;
    return std::any_of(training.cluster.begin(), training.cluster.end(),
                       [](const Fact& fact) { return fact.path == "allocated_gpus_per_node"; });
  }

  void judge_words(const Schema& schema, const FormSpec& form, Facts facts, const launch::Training& training, const std::string& partial) {
    const std::size_t before = out_.findings.size();
    Job job;
    job.schema = &schema, job.form = &form, job.version = version_of(schema);
    job.facts = std::move(facts);
    job.partial = partial;
    for (const Fact& fact : unit_.overrides) job.facts.push_back(in_form(fact, schema, form));
    for (const Fact& fact : training.cluster) job.facts.push_back(fact);
    for (const Fact& fact : unit_.settings.facts)
      if (!stated(training, fact.path)) job.facts.push_back(fact);
    const AttachWorld world{unit_.workspace, folder_of(unit_.files[0]), true, options_.fixes};
    const Attachments attached = attach_files(files_, world, job);
    for (const Finding& finding : attached.findings) out_.findings.push_back(finding);
    Judgement judgement = judge_job(job);
    for (std::size_t plan = 0; plan < schema.plan_count(); ++plan)
      if (Evaluation* evaluation = judgement.plan(plan)) report_plan(job, *evaluation), out_.plans.back().started = unit_.files[0];
    for (std::size_t i = 0; i < attached.jobs.size(); ++i) judge_job(attached.jobs[i]);
    keep(std::move(job));
    for (std::size_t i = before; i < out_.findings.size(); ++i) out_.findings[i].plan = plan_name(out_.findings[i].plan);
  }

  static bool stated(const launch::Training& training, std::string_view path) {
    return std::any_of(training.cluster.begin(), training.cluster.end(), [&](const Fact& fact) { return fact.path == path; });
  }

  // The unit of a configuration that a training is started with.
  Unit started_with(const std::string& path, const launch::Training& training) const {
    Unit out;
    out.files = {path};
    out.settings = unit_.settings;
    std::erase_if(out.settings.facts, [&](const Fact& fact) { return stated(training, fact.path); });
    for (const Fact& fact : training.cluster) out.settings.facts.push_back(fact);
    out.workspace = unit_.workspace;
    out.overrides = unit_.overrides;
    out.name = plan_name("");
    return out;
  }

  // Findings and plans of a run that was judged by itself.
  bool adopt(UnitResult result) {
    if (result.plans.empty() && result.findings.empty()) return false;
    for (PlanReport& plan : result.plans) plan.started = plan.file, plan.file = unit_.files[0], out_.plans.push_back(std::move(plan));
    for (Finding& finding : result.findings) out_.findings.push_back(std::move(finding));
    for (NotEvaluatedReport& report : result.not_evaluated) report.file = unit_.files[0], out_.not_evaluated.push_back(std::move(report));
    out_.checks += result.checks, out_.suppressed += result.suppressed, out_.unsettled += result.unsettled;
    return true;
  }

  // The file that a training opens by this name: in its container, or in any folder above the script, since nobody knows where that starts.
  std::optional<std::string> opened(const launch::Training& training, const std::string& named) const {
    const std::string home = folder_of(unit_.files[0]);
    const auto above = [&](const std::string& name) -> std::optional<std::string> {
      std::optional<std::string> found = found_above(files_, home, unit_.workspace, name);
      return found && !files_.is_folder(*found) ? found : std::nullopt;
    };
    const std::string inside = named.starts_with('/') || training.workdir.empty() ? normal(named) : join(training.workdir, named);
    const launch::Mount* mount = nullptr;
    for (const launch::Mount& one : training.mounts)
      if ((inside == one.inside || inside.starts_with(one.inside + "/")) && (!mount || one.inside.size() > mount->inside.size()))
        mount = &one;
    if (mount && inside != mount->inside) {
      const std::string rest = inside.substr(mount->inside.size() + 1);
      // Where the host's folder is not this project's own, what is mounted is a copy of it.
      if (!mount->outside.empty())
        if (const auto found = above(join(mount->outside, rest))) return found;
      return above(rest);
    }
    return above(named.starts_with('/') ? named : join(training.command->folder.str().value_or(""), named));
  }

  // Words of the program that are settings: `--section.key value`, `--section.key=value`, `--section.flag`.
  static Facts dotted(const launch::Training& training, std::size_t config, const std::string& named) {
    Facts out;
    std::vector<OverrideWord> words;
    const std::vector<shell::Word>& argv = training.command->argv;
    const auto place = [&](std::size_t i) { return argv[i].token ? argv[i].token : argv[i].place; };
    const auto open = [&](std::size_t i, const std::string& flag, const shell::Hole* hole) {
      Fact& fact = out.emplace_back();
      fact.way = Way::Override, fact.path = flag, fact.spelled = flag;
      fact.word = fmt::format("{}=\"?\"", flag), fact.place = fact.key_place = place(i);
      fact.open = hole && !hole->because.empty() ? hole->because : "something decides that is not known here";
    };
    for (std::size_t i = training.program + 1; i < argv.size(); ++i) {
      const std::string& flat = argv[i].text.flat();
      const std::size_t equals = flat.find('=');
      const std::string flag = flat.substr(0, equals);
      if (i == config || i + 1 == config || !flag.starts_with("--") || flag.find('.') == std::string::npos ||
          flag.find(shell::Text::kHole) != std::string::npos || flat.find(named) != std::string::npos)
        continue;
      if (!argv[i].text.known()) {
        open(i, flag, argv[i].text.hole());
        continue;
      }
      const bool value = equals == std::string::npos && i + 1 < argv.size() && !argv[i + 1].text.flat().starts_with("--");
      if (value && !argv[i + 1].text.known()) {
        open(i + 1, flag, argv[i + 1].text.hole());
        ++i;
        continue;
      }
      words.push_back({flat, place(i)});
      if (value) words.push_back({argv[i + 1].text.flat(), place(i + 1)}), ++i;
    }
    if (Checked<Facts> made = read_overrides(words); made.value)
      out.insert(out.end(), std::make_move_iterator(made.value->begin()), std::make_move_iterator(made.value->end()));
    return out;
  }

  // What Hugging Face's trainer fills into a DeepSpeed file from its own options.
  static Facts filled(const launch::Training& training, const std::string& text, const std::string& path) {
    Facts out;
    const DocumentPtr document = read_document(std::make_shared<const Source>(path, text), Format::Json, true);
    if (document->roots.empty() || document->roots[0]->kind != Node::Kind::Mapping) return out;
    for (Fact& fact : launch::trainer_facts(training)) {
      fact.path = fact.path == "micro_batch" ? "train_micro_batch_size_per_gpu" : "gradient_accumulation_steps";
      const Entry* entry = document->find(*document->roots[0], fact.path);
      if (entry && (!entry->value->value || !entry->value->value->text() || *entry->value->value->text() != "auto")) continue;
      fact.attached = false;
      out.push_back(std::move(fact));
    }
    return out;
  }

  // A word that names a file in reach that is some framework's configuration.
  bool follow(const launch::Training& training) {
    const std::vector<shell::Word>& argv = training.command->argv;
    for (std::size_t at = training.launcher == "accelerate" ? 0 : training.program; at < argv.size(); ++at) {
      std::optional<std::string> word = argv[at].text.str();
      if (!word) continue;
      if (word->starts_with("--"))
        if (const std::size_t equals = word->find('='); equals != std::string::npos) word = word->substr(equals + 1);
      if (!format_of(*word) || word->find('=') != std::string::npos) continue;
      if (follow(training, at, *word)) return true;
    }
    // Hydra's way to name one.
    std::string folder, name;
    for (std::size_t at = training.program; at < argv.size(); ++at) {
      const std::optional<std::string> word = argv[at].text.str();
      if (!word || !word->starts_with('-')) continue;
      const std::size_t equals = word->find('=');
      const std::string option = word->substr(0, equals);
      std::string& to = option == "--config-path" || option == "-cp" ? folder : name;
      if (option != "--config-path" && option != "-cp" && option != "--config-name" && option != "-cn") continue;
      if (equals != std::string::npos)
        to = word->substr(equals + 1);
      else if (at + 1 < argv.size())
        to = argv[at + 1].text.str().value_or("");
    }
    if (!name.empty() && follow(training, argv.size(), join(folder, name.ends_with(".yaml") ? name : name + ".yaml"))) return true;
    // Primus is told by a variable.
    if (const auto named = training.command->environment->find("EXP"); named != training.command->environment->end())
      if (const std::optional<std::string> path = named->second.str(); path && format_of(*path))
        return follow(training, argv.size(), *path);
    return false;
  }

  bool follow(const launch::Training& training, std::size_t at, const std::string& word) {
    std::optional<std::string> found = opened(training, word);
    // What the script writes itself stands nowhere else yet.
    Overlay overlay(&files_);
    SourcePtr written_in;
    if (const auto& written = training.command->written; written) {
      const auto made = written->find(word);
      const std::optional<std::string> text = made == written->end() ? std::nullopt : made->second.str();
      if (text) {
        found = join(training.command->folder.str().value_or(""), word), written_in = made->second.place().source;
        overlay.put(*found, *text);
      }
    }
    if (!found) return false;
    Unit unit = started_with(*found, training);
    for (const Fact& fact : launch::pairs_of(training)) unit.overrides.push_back(fact);
    for (Fact& fact : dotted(training, at, word)) unit.overrides.push_back(std::move(fact));
    if (found->ends_with(".json"))
      for (Fact& fact : filled(training, overlay.read(*found).text.value_or(""), *found)) unit.overrides.push_back(std::move(fact));
    UnitResult result = check_unit(overlay, options_, unit);
    if (written_in) moved_to(*found, training, result);
    return adopt(std::move(result));
  }

  // Words like key=value over a file of the framework's own.
  bool pairs(launch::Training& training, const std::string& wanted) {
    Facts words = launch::pairs_of(training);
    if (words.empty()) return false;
    Facts holders = words;
    for (const Fact& fact : words)
      for (std::size_t dot = fact.path.find('.'); dot != std::string::npos; dot = fact.path.find('.', dot + 1)) {
        Fact& holder = holders.emplace_back();
        holder.path = fact.path.substr(0, dot), holder.value = Map{1};
      }
    for (const Schema* schema : schemas()) {
      if (schema->launch.words != LaunchWords::Pairs || !recognise(*schema, holders)) continue;
      if (!wanted.empty() && schema->framework != wanted && schema_named(wanted)) continue;
      launch::yaml_words(*schema, training, training.findings);
      std::string config(schema->launch.config);
      const std::vector<shell::Word>& argv = training.command->argv;
      for (std::size_t at = training.program; at < argv.size(); ++at) {
        const std::optional<std::string> word = argv[at].text.str();
        if (word && word->starts_with("--config-name=")) config = word->substr(14);
        if (word && *word == "--config-name" && at + 1 < argv.size()) config = argv[at + 1].text.str().value_or(config);
      }
      if (config.ends_with(".yaml")) config.resize(config.size() - 5);
      std::string text(schema->launch.file);
      if (const std::size_t hole = text.find("{}"); hole != std::string::npos) text.replace(hole, 2, config);
      const std::string path = join(folder_of(unit_.files[0]), fmt::format(".{}.yaml", config));
      Overlay overlay(&files_);
      overlay.put(path, text);
      Unit unit = started_with(path, training);
      unit.settings.framework = std::string(schema->framework);
      unit.named = unit.run = true;
      unit.overrides.insert(unit.overrides.end(), words.begin(), words.end());
      UnitResult result = check_unit(overlay, options_, unit);
      moved_to(path, training, result);
      for (PlanReport& plan : result.plans) plan.file = unit_.files[0];  // no configuration of its own is started
      return adopt(std::move(result));
    }
    return false;
  }

  // No such file is there: what is said of it is said of the command.
  static void moved_to(const std::string& path, const launch::Training& training, UnitResult& result) {
    const auto move = [&](Place& place) {
      if (place && place.source->path() == path) place = training.command->argv[0].place;
    };
    for (Finding& finding : result.findings) {
      move(finding.place);
      for (Note& note : finding.notes) move(note.place);
      // Fixes of a file that is not there help nobody.
      std::erase_if(finding.fixes, [&](const Fix& fix) {
        return std::any_of(fix.edits.begin(), fix.edits.end(), [&](const Edit& edit) { return edit.source->path() == path; });
      });
    }
    for (PlanReport& plan : result.plans)
      for (FieldReport& field : plan.fields) {
        move(field.place);
        for (auto& [says, place] : field.chain) move(place);
      }
  }
};

}  // namespace

std::optional<UnitResult> check_script(const Files& files, const CheckOptions& options, const Unit& unit) {
  return LaunchedCheck(files, options, unit).script();
}

std::optional<UnitResult> check_manifest(const Files& files, const CheckOptions& options, const Unit& unit, const DocumentPtr& document) {
  return LaunchedCheck(files, options, unit).manifest(document);
}

}  // namespace shardlint
