// The pipeline on one screen: find the units of work, read their documents, recognise the framework, judge, explain, look for fixes.
#include "checker/engine/check.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "checker/compose/compose.h"
#include "checker/diag/hygiene.h"
#include "checker/engine/attach.h"
#include "checker/engine/bindings.h"
#include "checker/engine/cxx.h"
#include "checker/engine/findings.h"
#include "checker/engine/suppress.h"
#include "checker/fix/search.h"
#include "checker/launch/launch.h"

namespace shardlint {

namespace {

constexpr std::size_t kSearch = 200'000;  // facts that are judged again for the fixes of a unit; a usual job takes a fifth
constexpr std::size_t kSearched = 50;     // findings of a unit for which fixes are looked for
constexpr std::size_t kShown = 200;       // findings of a file
constexpr std::size_t kSyntax = 3;        // of them about its syntax: what comes behind is mostly the first one's consequence
constexpr int kRounds = 200;              // fixes that are made in a unit

// Files that are judged together as one run.
struct Unit {
  std::vector<std::string> files;
  std::vector<Fact> overrides;
  std::string name = "default";
  Settings settings;
  std::string workspace;             // folder that includes may lead into
  std::vector<BindingPtr> bindings;  // for C++
  std::vector<std::string> cxx_flags;
  bool run = false;    // a [[run]], or overrides were given: nothing is added when it is started
  bool named = false;  // by the user or a run: always checked for syntax and duplicate keys
};

std::string at(const Place& place) { return fmt::format("{}:{}", place.source->path(), place.source->position(place.range.begin).line); }

struct UnitResult {
  std::vector<Finding> findings;
  std::vector<PlanReport> plans;
  std::vector<NotEvaluatedReport> not_evaluated;
  std::vector<std::string> errors, remarks;
  std::size_t files = 0, passed_over = 0, suppressed = 0, checks = 0;
};

// ---- discovery

class Discovery {
 public:
  Discovery(const Files& files, const CheckOptions& options)
      : files_(files), options_(options), finder_(files, options.isolated, options.config) {}

  std::vector<Unit> run(std::vector<std::string>& errors) {
    if (options_.config) finder_.for_path(".");  // whether it is needed or not
    for (const std::string& path : options_.paths) {
      if (path == "-")
        file(options_.stdin_name, true);
      else if (files_.is_folder(path))
        root_ = path, folder(path, 0), root_.reset();
      else if (files_.exists(path))
        file(path, true);
      else
        errors.push_back(fmt::format("{}: no such file or folder", path));
    }
    errors.insert(errors.end(), folder_errors_.begin(), folder_errors_.end());
    errors.insert(errors.end(), finder_.errors().begin(), finder_.errors().end());
    errors.insert(errors.end(), run_errors_.begin(), run_errors_.end());
    return std::move(units_);
  }

 private:
  void folder(const std::string& path, int depth) {
    const auto settings = options_.isolated ? nullptr : finder_.in_folder(path);
    if (settings && !settings->errors.empty()) return;  // nobody knows what was to be judged here, and how
    if (settings && !settings->runs.empty() && !options_.all_files) {
      for (const RunSetting& run : settings->runs) {
        Unit unit;
        const std::size_t errors_before = run_errors_.size();
        for (std::size_t i = 0; i < run.files.size(); ++i) {
          const std::string file = unit.files.emplace_back(join(path == "." ? "" : path, run.files[i]));
          const std::string where = at(i < run.file_places.size() ? run.file_places[i] : run.place);
          if (files_.is_folder(file))
            run_errors_.push_back(fmt::format("{}: {} is a folder; a run takes files", where, file));
          else if (!files_.exists(file))
            run_errors_.push_back(fmt::format("{}: {}: no such file", where, file));
        }
        if (run_errors_.size() > errors_before) continue;  // half a run is not that run
        unit.overrides = run.overrides;
        unit.overrides.insert(unit.overrides.end(), options_.overrides.begin(), options_.overrides.end());
        unit.name = run.name;
        unit.named = unit.run = true;
        unit.workspace = path;
        unit.settings = effective(settings.get(), unit.files.empty() ? path : unit.files[0], options_.command_line);
        bind_cxx(unit, settings.get());
        units_.push_back(std::move(unit));
      }
      return;
    }
    if (depth > 64) return;
    if (const std::string why = files_.why_closed(path); !why.empty()) folder_errors_.push_back(fmt::format("{}: {}", path, why));
    for (const std::string& name : files_.list(path)) {
      const std::string inner = path == "." ? name : join(path, name);
      if (files_.is_folder(inner)) {
        if (name != "node_modules") folder(inner, depth + 1);
      } else if ((format_of(name) && name != "shardlint.toml" && name != kBindingFile) || launch::has_script_ending(name)) {
        file(inner, false);
      }
    }
  }

  void file(const std::string& path, bool named) {
    const auto settings = finder_.for_path(path);
    if (settings && !settings->errors.empty()) return;
    Unit unit;
    unit.files = {path};
    unit.overrides = options_.overrides;
    unit.named = named;
    unit.run = !options_.overrides.empty();
    unit.workspace = settings && !options_.isolated ? settings->folder : workspace_of(path);
    unit.settings = effective(settings.get(), path, options_.command_line);
    bind_cxx(unit, settings.get());
    units_.push_back(std::move(unit));
  }

  // The bindings that a C++ file is read with: those that the settings name, else a file found upward; then those that come with shardlint
  // for types that nobody else binds.
  void bind_cxx(Unit& unit, const SettingsFile* settings) {
    const auto cpp =
        std::find_if(unit.files.begin(), unit.files.end(), [](const std::string& file) { return format_of(file) == Format::Cpp; });
    if (cpp == unit.files.end()) return;
    const bool named = settings && !options_.isolated && !settings->bindings.empty();
    if (named) {
      for (const std::string& name : settings->bindings)
        if (const BindingPtr binding = binding_at(join(settings->folder == "." ? "" : settings->folder, name), true))
          unit.bindings.push_back(binding);
    } else if (!options_.isolated) {
      std::string folder = folder_of(*cpp);
      for (int level = 0; level < 64; ++level) {
        if (const BindingPtr binding = binding_at(join(folder, kBindingFile), false)) {
          unit.bindings.push_back(binding);
          break;
        }
        const std::string whole = join(files_.working_folder(), folder.empty() ? "." : folder), above = folder_of(whole);
        if (above.empty() || above == whole || files_.exists(join(whole, ".git"))) break;
        folder = above;
      }
    }
    for (const BindingPtr& own : built_in_bindings())
      if (std::none_of(unit.bindings.begin(), unit.bindings.end(), [&](const BindingPtr& other) { return other->covers(*own); }))
        unit.bindings.push_back(own);
    if (settings && !options_.isolated) unit.cxx_flags = settings->cxx_flags;
  }

  BindingPtr binding_at(const std::string& path, bool needed) {
    const auto [entry, fresh] = bindings_.try_emplace(path);
    if (!fresh || (!needed && !files_.exists(path))) return entry->second;
    const Files::Read read = files_.read(path);
    if (read.text)
      entry->second = std::make_shared<const BindingFile>(std::make_shared<const Source>(path, *read.text), "");
    else
      run_errors_.push_back(fmt::format("{}: {}", path, read.error));
    return entry->second;
  }
  static constexpr const char* kBindingFile = "shardlint.bindings.toml";

  // The repository's root; else the folder that was named; else where the command was given, if the file lies below; else the file's own.
  std::string workspace_of(const std::string& path) {
    const std::string own = folder_of(path);
    if (const auto known = workspaces_.find(own); known != workspaces_.end()) return known->second;
    const bool below = !own.starts_with('/') && own != ".." && !own.starts_with("../") && files_.working_folder() != "/";
    std::string out = root_ ? *root_ : below || own.empty() ? "." : own;
    std::string folder = join(files_.working_folder(), own.empty() ? "." : own);
    for (int level = 0; level < 64; ++level) {
      if (files_.exists(join(folder, ".git"))) {
        out = folder;
        break;
      }
      const std::string above = folder_of(folder);
      if (above.empty() || above == folder) break;
      folder = above;
    }
    return workspaces_[own] = out;
  }

  const Files& files_;
  const CheckOptions& options_;
  SettingsFinder finder_;
  std::vector<Unit> units_;
  std::vector<std::string> folder_errors_, run_errors_;
  std::optional<std::string> root_;                // the folder under discovery
  std::map<std::string, std::string> workspaces_;  // by folder
  std::map<std::string, BindingPtr> bindings_;     // by path; null: not there
};

// ---- one unit

class UnitCheck {
 public:
  UnitCheck(const Files& files, const CheckOptions& options, const Unit& unit) : files_(files), options_(options), unit_(unit) {}

  UnitResult run() {
    if (std::any_of(unit_.files.begin(), unit_.files.end(), [](const std::string& file) { return format_of(file) == Format::Cpp; }))
      return run_cxx();
    if (unit_.files.size() == 1 && !format_of(unit_.files[0]) && run_script(unit_.files[0])) return std::move(out_);
    for (const std::string& path : unit_.files) read(path);
    // Half a run says nothing about the whole; the error says which file is not there.
    if (documents_.empty() || documents_.size() < unit_.files.size()) return std::move(out_);
    if (documents_.size() == 1 && documents_[0]->format == Format::Yaml && run_manifest()) return std::move(out_);
    const bool known = recognised();
    if (!known && !unit_.named) {
      out_.passed_over = documents_.size();
      return std::move(out_);
    }
    if (!known && forced_in_vain()) return std::move(out_);
    out_.files = documents_.size();
    std::vector<DocumentPtr> all = documents_;
    all.insert(all.end(), composed_.included.begin(), composed_.included.end());
    for (const DocumentPtr& document : all) syntax(*document, job_.schema, job_.form);
    // Of a file that no loader can read, whatever seems to be missing may stand behind the fault.
    const bool whole = std::all_of(all.begin(), all.end(), [](const DocumentPtr& document) { return document->problems.empty(); });
    if (known && whole) {
      for (Finding& finding : composed_.findings) out_.findings.push_back(std::move(finding));
      const AttachWorld world{unit_.workspace, folder_of(unit_.files[0]), unit_.run, options_.fixes};
      const Attachments attached = attach_files(files_, world, job_);
      for (const Finding& finding : attached.findings) out_.findings.push_back(finding);
      Judgement judgement = judge_job(job_);
      // A part is judged in the runs that it is a part of, and has no plan of its own.
      for (std::size_t plan = 0; plan < job_.schema->plan_count() && !job_.form->part; ++plan)
        if (Evaluation* evaluation = judgement.plan(plan)) report_plan(*evaluation);
      for (std::size_t i = 0; i < attached.jobs.size(); ++i) {
        syntax(*attached.documents[i], attached.jobs[i].schema, attached.jobs[i].form);
        if (attached.documents[i]->problems.empty()) judge_job(attached.jobs[i]);
        composed_.included.push_back(attached.documents[i]);  // where ignores may stand
      }
    }
    if (!known && whole)
      out_.remarks.push_back(
          fmt::format("{}: no framework is recognised, so only syntax was checked; --framework NAME forces one", unit_.files[0]));
    for (Finding& finding : out_.findings) finding.plan = plan_name(finding.plan);
    close(known && whole);
    return std::move(out_);
  }

 private:
  // Ignores are weighed against everything that was found: one whose rule is not selected today is not useless.
  void close(bool judged) {
    out_.suppressed += suppress(documents_, composed_.included, out_.findings, judged);
    select();
    cap();
    std::stable_sort(out_.findings.begin(), out_.findings.end(), [&](const Finding& a, const Finding& b) {
      return std::tuple(b.severity, file_of(a), a.place.range.begin) < std::tuple(a.severity, file_of(b), b.place.range.begin);
    });
    for (Finding& finding : out_.findings) finding.run = unit_.files[0];
  }

  // ---- launch scripts: every training command is a run of its own

  bool run_script(const std::string& path) {
    Files::Read file;
    if (options_.stdin_text && path == options_.stdin_name)
      file.text = options_.stdin_text;
    else
      file = files_.read(path);
    if (!file.text || !launch::is_script(path, *file.text)) return false;
    const auto source = std::make_shared<const Source>(path, std::move(*file.text));
    launch::Reading reading = launch::read(files_, source, unit_.workspace);
    auto document = std::make_shared<Document>();
    document->source = source;
    for (const shell::Comment& comment : reading.comments)
      if (comment.place.source == source) document->comments.push_back({comment.place.range});
    documents_.push_back(document);
    if (judge_trainings(reading)) return true;
    out_.passed_over = 1;
    documents_.clear();
    return true;
  }

  // A manifest that starts no training is whatever it was before.
  bool run_manifest() {
    const Document& document = *documents_[0];
    if (!document.problems.empty()) return false;
    const auto looks = [&](const Node* root) {
      return root->kind == Node::Kind::Mapping && (document.find(*root, "apiVersion") || document.find(*root, "run"));
    };
    if (std::none_of(document.roots.begin(), document.roots.end(), looks)) return false;
    launch::Reading reading = launch::read_manifest(files_, documents_[0], unit_.workspace);
    return judge_trainings(reading);
  }

  bool judge_trainings(launch::Reading& reading) {
    const SourcePtr source = documents_[0]->source;
    bool judged = false;
    std::map<std::string, int> times;
    for (launch::Training& training : reading.trainings) {
      // The second and third of several are told apart by their number.
      const int before_it = times[training.name];
      const std::string number = before_it ? std::to_string(before_it + 1) : "";
      training_ = training.name.empty() || number.empty() ? training.name + number : fmt::format("{}/{}", training.name, number);
      const std::size_t before = out_.findings.size();
      if (!judge_training(training)) continue;
      judged = true, ++times[training.name];
      for (Finding& finding : training.findings) out_.findings.push_back(std::move(finding)), out_.findings.back().plan = plan_name("");
      for (std::size_t i = before; i < out_.findings.size(); ++i)
        if (!out_.findings[i].place) out_.findings[i].place = training.command->argv[0].place;
    }
    training_.clear();
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

  bool judge_training(launch::Training& training) {
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
    job_ = Job{};
    composed_ = Composed{};
    const std::size_t before = out_.findings.size();
    job_.schema = &schema, job_.form = &form, job_.version = version_of(schema);
    job_.facts = std::move(facts);
    job_.partial = partial;
    for (const Fact& fact : unit_.overrides) job_.facts.push_back(in_form(fact, schema, form));
    for (const Fact& fact : training.cluster) job_.facts.push_back(fact);
    for (const Fact& fact : unit_.settings.facts)
      if (!stated(training, fact.path)) job_.facts.push_back(fact);
    const AttachWorld world{unit_.workspace, folder_of(unit_.files[0]), true, options_.fixes};
    const Attachments attached = attach_files(files_, world, job_);
    for (const Finding& finding : attached.findings) out_.findings.push_back(finding);
    Judgement judgement = judge_job(job_);
    for (std::size_t plan = 0; plan < schema.plan_count(); ++plan)
      if (Evaluation* evaluation = judgement.plan(plan)) report_plan(*evaluation);
    for (std::size_t i = 0; i < attached.jobs.size(); ++i) judge_job(attached.jobs[i]);
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
    for (PlanReport& plan : result.plans) plan.file = unit_.files[0], out_.plans.push_back(std::move(plan));
    for (Finding& finding : result.findings) out_.findings.push_back(std::move(finding));
    for (NotEvaluatedReport& report : result.not_evaluated) report.file = unit_.files[0], out_.not_evaluated.push_back(std::move(report));
    out_.checks += result.checks, out_.suppressed += result.suppressed;
    return true;
  }

  // A word that names a file in reach that is some framework's configuration.
  bool follow(const launch::Training& training) {
    const std::vector<shell::Word>& argv = training.command->argv;
    for (std::size_t at = training.launcher == "accelerate" ? 0 : training.program; at < argv.size(); ++at) {
      std::optional<std::string> word = argv[at].text.str();
      if (!word) continue;
      if (word->starts_with("--"))
        if (const std::size_t equals = word->find('='); equals != std::string::npos) word = word->substr(equals + 1);
      if (!format_of(*word) || word->starts_with('/') || word->starts_with('~') || word->find('=') != std::string::npos) continue;
      std::string path = join(training.command->folder.str().value_or(""), *word);
      std::string folder = folder_of(unit_.files[0]);
      std::optional<std::string> found;
      for (int level = 0; level < 64 && !found; ++level) {
        const std::string here = join(folder, path);
        if (files_.exists(here) && !files_.is_folder(here)) found = here;
        if (folder.empty() || normal(folder) == normal(unit_.workspace.empty() ? "." : unit_.workspace)) break;
        folder = folder_of(folder);
      }
      // What the script writes itself stands nowhere else yet.
      Overlay overlay(&files_);
      SourcePtr written_in;
      if (const auto& written = training.command->written; written) {
        const auto made = written->find(*word);
        const std::optional<std::string> text = made == written->end() ? std::nullopt : made->second.str();
        if (text) overlay.put(path, *text), found = path, written_in = made->second.place().source;
      }
      if (!found) continue;
      Unit unit = started_with(*found, training);
      for (const Fact& fact : launch::pairs_of(training)) unit.overrides.push_back(fact);
      std::vector<OverrideWord> words;
      for (std::size_t i = training.program + 1; i < argv.size(); ++i) {
        const std::optional<std::string> text = argv[i].text.str();
        if (!text || i == at || !text->starts_with("--") || text->find('.') == std::string::npos || text->find(*word) != std::string::npos)
          continue;
        if (i + 1 == at) continue;
        const Place place = argv[i].token ? argv[i].token : argv[i].place;
        words.push_back({*text, place});
        if (text->find('=') == std::string::npos && i + 1 < argv.size())
          if (const std::optional<std::string> value = argv[i + 1].text.str(); value && !value->starts_with("--"))
            words.push_back({*value, argv[i + 1].token ? argv[i + 1].token : argv[i + 1].place});
      }
      if (Checked<Facts> made = read_overrides(words); made.value)
        for (Fact& fact : *made.value) unit.overrides.push_back(std::move(fact));
      UnitResult result = UnitCheck(overlay, options_, unit).run();
      if (written_in) moved_to(*found, training, result);
      if (adopt(std::move(result))) return true;
    }
    return false;
  }

  // Words like key=value over a file of the framework's own.
  bool pairs(const launch::Training& training, const std::string& wanted) {
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
      UnitResult result = UnitCheck(overlay, options_, unit).run();
      moved_to(path, training, result);
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

  // C++: every plan that the unit builds is judged by itself.
  UnitResult run_cxx() {
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
    out_.suppressed = suppress(documents_, {}, out_.findings, true);
    select();
    cap();
    std::stable_sort(out_.findings.begin(), out_.findings.end(), [&](const Finding& a, const Finding& b) {
      return std::tuple(b.severity, file_of(a), a.place.range.begin) < std::tuple(a.severity, file_of(b), b.place.range.begin);
    });
    return std::move(out_);
  }

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
      job_ = {};
      job_.schema = &plan.framework->schema(), job_.form = &job_.schema->forms[0];
      job_.facts = std::move(plan.facts);
      job_.facts.insert(job_.facts.end(), unit_.settings.facts.begin(), unit_.settings.facts.end());
      plan_name_ = plan.name;
      about_ = document->source->path();
      const std::size_t before = out_.findings.size(), plans = out_.plans.size();
      Judgement judgement = judge_job(job_);
      report_plan(*judgement.evaluation);
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

  // A framework that the command line asks for and that has no files of this format.
  bool forced_in_vain() {
    const Schema* wanted = options_.command_line.framework ? schema_named(*options_.command_line.framework) : nullptr;
    const auto name = [](Format format) {
      return format == Format::Toml ? "toml" : format == Format::Yaml ? "yaml" : format == Format::Cpp ? "C++" : "json";
    };
    if (!wanted || std::find(wanted->formats.begin(), wanted->formats.end(), documents_[0]->format) != wanted->formats.end()) return false;
    std::string formats;
    for (Format format : wanted->formats) formats += fmt::format("{}{}", formats.empty() ? "" : " or ", name(format));
    out_.errors.push_back(fmt::format("{}: {} is configured in {}, and this file is {}", unit_.files[0], wanted->title, formats,
                                      name(documents_[0]->format)));
    return true;
  }

  void read(const std::string& path) {
    Files::Read file;
    if (options_.stdin_text && path == options_.stdin_name)
      file.text = options_.stdin_text;
    else
      file = files_.read(path);
    if (!file.text) {
      out_.errors.push_back(fmt::format("{}: {}", path, file.error));
      return;
    }
    std::optional<Format> format = format_of(path);
    if (!format) {
      if (unit_.named)
        out_.errors.push_back(fmt::format("{}: no format is known by this name; shardlint reads .toml, .yaml, .yml and .json", path));
      return;
    }
    documents_.push_back(read_document(std::make_shared<const Source>(path, std::move(*file.text)), *format));
  }

  static Facts facts(const std::vector<DocumentPtr>& documents, Dialect dialect) {
    Facts out;
    for (const DocumentPtr& document : documents) {
      if (document->roots.empty()) continue;
      Facts more = facts_of(document, *document->roots[0], dialect);
      out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    return out;
  }

  // Only now is it known that comments and missing commas are no fault of these files.
  const std::vector<DocumentPtr>& read_as_hjson() {
    for (DocumentPtr& document : documents_)
      if (document->format == Format::Json && !document->problems.empty())
        document = read_document(document->source, document->format, true);
    return documents_;
  }

  static Dialect first_reading(Format format) {
    return format == Format::Toml ? Dialect::Toml : format == Format::Json ? Dialect::Json : Dialect::PyYaml;
  }

  bool recognised() {
    const Dialect reading = first_reading(documents_[0]->format);
    Facts first = facts(documents_, reading);
    const std::string wanted = unit_.settings.framework.value_or("");
    std::vector<const Schema*> candidates;
    for (const Schema* schema : schemas())
      if ((wanted.empty() || schema->framework == wanted) &&
          std::find(schema->formats.begin(), schema->formats.end(), documents_[0]->format) != schema->formats.end())
        candidates.push_back(schema);
    const auto look = [&](auto form_of) {
      for (std::size_t i = 0; i < candidates.size() && !job_.form; ++i)
        if ((job_.form = form_of(*candidates[i]))) job_.schema = candidates[i];
    };
    // What lies where a framework keeps its parts is one of them, however much it looks like another framework's run.
    std::size_t deepest = 0;
    for (const Schema* schema : candidates)
      for (const FormSpec& form : schema->forms)
        if (const std::size_t depth = kept_in(form); depth > deepest) deepest = depth, job_.schema = schema, job_.form = &form;
    look([&](const Schema& schema) {
      const FormSpec* form = recognise(schema, first, version_of(schema));
      return !form && includes(schema, documents_.back())
                 ? recognise(schema, layered(schema, schema.loader, unit_.overrides).facts, version_of(schema))
                 : form;
    });
    // A framework that the user names needs no proof, but for files that were only discovered.
    if (!wanted.empty() && unit_.named) look([&](const Schema& schema) { return likely_form(schema, first, version_of(schema)); });
    if (!job_.schema) return false;
    if (job_.form->loader == Dialect::Hjson) first = facts(read_as_hjson(), reading);
    job_.version = version_of(*job_.schema);
    Facts overrides;
    for (const Fact& fact : unit_.overrides) overrides.push_back(in_form(fact, *job_.schema, *job_.form));
    if (job_.schema->composition.style == Layering::None) {
      job_.facts = std::move(first);
      if (job_.form->loader != reading) read_values(job_.facts, job_.form->loader);
      for (Fact& word : overrides) {
        if (!word.path.starts_with('~'))
          job_.facts.push_back(std::move(word));
        else
          out_.errors.push_back(fmt::format("`{}` is no override of {}; one is written as `key=value`", word.word, job_.schema->title));
      }
    } else {
      composed_ = layered(*job_.schema, job_.form->loader, std::move(overrides));
      job_.facts = std::move(composed_.facts);
      job_.partial = composed_.partial, job_.partial_below = composed_.partial_below, job_.moved = composed_.moved;
    }
    job_.facts.insert(job_.facts.end(), unit_.settings.facts.begin(), unit_.settings.facts.end());
    if (unit_.run) {
      Fact started;
      started.path = started.spelled = kStarted, started.value = true, started.way = Way::Setting;
      job_.facts.push_back(std::move(started));
    }
    return true;
  }

  Composed layered(const Schema& schema, Dialect loader, Facts overrides) const {
    Layers layers{&schema, loader, documents_, std::move(overrides), {}, unit_.workspace, unit_.named, unit_.run};
    for (const Fact& fact : unit_.settings.facts)
      if (fact.path.starts_with("env.")) layers.environment.insert_or_assign(fact.path.substr(4), to_string(fact.value));
    return compose(files_, layers);
  }

  // How long the path of the form's folder is in which the unit's file lies; 0 if it lies in none.
  std::size_t kept_in(const FormSpec& form) const {
    if (documents_.size() != 1) return 0;
    const std::string path = "/" + folder_of(join(files_.working_folder(), unit_.files[0])) + "/";
    std::size_t out = 0;
    for (std::string_view folder : form.folders)
      if (path.find(fmt::format("/{}/", folder)) != std::string::npos) out = std::max(out, folder.size());
    return out;
  }

  std::string version_of(const Schema& schema) const {
    std::string out;
    for (const auto& [name, version] : unit_.settings.versions)
      if (name == schema.framework) out = version;
    return out;
  }

  static const FormSpec* likely_form(const Schema& schema, const Facts& facts, const std::string& version) {
    for (const FormSpec& form : schema.forms)
      if (!form.root.empty() && std::any_of(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.path == form.root; }))
        return &form;
    for (const FormSpec& form : schema.forms)
      if (form.root.empty() && is_of(form, schema, version)) return &form;
    return &schema.forms[0];
  }

  // What the reader itself had to say.
  void syntax(const Document& document, const Schema* schema, const FormSpec* form) {
    const bool known = schema != nullptr;
    const bool toml = document.format == Format::Toml;
    std::size_t said = 0;
    for (const Problem& problem : document.problems) {
      // A key that stands twice is said below, in one finding.
      const auto same = [&](const Duplicate& duplicate) { return toml && duplicate.second == problem.range; };
      if (std::any_of(document.duplicates.begin(), document.duplicates.end(), same) || ++said > kSyntax) continue;
      Finding& finding = add(hygiene::kSyntaxError, Severity::Error, problem.message, document.place(problem.range));
      finding.effect = schema ? fmt::format("{} cannot read the file", schema->title) : "no loader can read the file";
      if (problem.context_range)
        finding.notes.push_back({problem.context.empty() ? "opened here" : problem.context, document.place(*problem.context_range)});
    }
    if (known && toml && document.source->text().starts_with("\xEF\xBB\xBF")) {
      Finding& finding = add(hygiene::kSyntaxError, Severity::Error, "the file begins with a byte-order mark, which tomllib refuses",
                             document.place({0, 3}));
      finding.effect = fmt::format("{} cannot read the file", schema->title);
      if (options_.fixes) finding.fixes.push_back({"remove the mark", Safety::Safe, {{document.source, {0, 3}, ""}}});
    }
    if (known && !document.roots.empty() && document.roots[0]->kind != Node::Kind::Mapping) {
      const bool list = document.roots[0]->kind == Node::Kind::Sequence;
      add(hygiene::kWrongType, Severity::Error,
          fmt::format("this file holds {}, not keys with their values", list ? "a list" : "one value"),
          document.place(document.roots[0]->range))
          .effect = fmt::format("{} refuses the file", schema->title);
    }
    // What is recognised here is read by loaders that take one document a file.
    if (known && document.roots.size() > 1) {
      Finding& finding = add(hygiene::kSyntaxError, Severity::Error, "a second YAML document begins in this file",
                             document.place(second_document(document)));
      finding.effect = fmt::format("{} reads files of one document and refuses this one", schema->title);
    }
    const bool refused = toml || (known && form->duplicate_key == Policy::Error);
    for (const Duplicate& duplicate : document.duplicates) {
      Finding& finding = add(hygiene::kDuplicateKey, refused ? Severity::Error : Severity::Warning,
                             fmt::format("{} stands twice here", duplicate.key), document.place(duplicate.second));
      finding.effect = refused ? fmt::format("{} refuses the file", known ? schema->title : "TOML") : "this one wins and nobody is told";
      finding.notes.push_back({fmt::format("the other {} stands here", duplicate.key), document.place(duplicate.first)});
    }
  }

  // The marker before it, or where it begins if there is none.
  static Range second_document(const Document& document) {
    const Range range = document.roots[1]->range;
    const std::string_view before = document.source->text().substr(0, range.begin + 3);
    const std::size_t marker = before.rfind("\n---");
    if (marker == std::string_view::npos) return range;
    const auto begin = static_cast<std::uint32_t>(marker + 1);
    return {begin, begin + 3};
  }

  Finding& add(const RuleInfo& info, Severity severity, std::string message, Place place) {
    Finding& finding = out_.findings.emplace_back();
    finding.rule = info.name, finding.family = info.family, finding.severity = severity;
    finding.message = std::move(message), finding.place = std::move(place);
    return finding;
  }

  Judgement judge_job(const Job& job) {
    Judgement judgement = judge(job);
    out_.checks += judgement.checks;
    std::vector<bool> visible;
    for (const Violation& violation : judgement.violations) {
      const std::vector<std::string> also = names_in(violation.same_as);
      visible.push_back(shown(violation.rule, violation.family, also, level(violation.rule, violation.family, also, violation.severity)));
    }
    std::vector<std::size_t> cause = fold(job, judgement, visible);
    std::size_t budget = kSearch, searched = 0;
    std::map<std::size_t, std::vector<FoundFix>> fixes;
    for (std::size_t i = 0; i < cause.size() && searched < kSearched; ++i) {
      // The search is the costly part; a finding that is not shown, or stands alone and is shown without fixes, needs none.
      if (cause[i] != i || !visible[i] || !(options_.fixes || i + 1 < cause.size())) continue;
      ++searched;
      std::vector<FoundFix> found = search_fixes(job, judgement, judgement.violations[i], budget);
      if (found.empty()) continue;
      fold_mended(job, judgement, found[0], i, cause);
      fixes[i] = std::move(found);
    }
    std::vector<std::vector<std::size_t>> consequences(cause.size());
    for (std::size_t j = 0; j < cause.size(); ++j)
      if (cause[j] != j && judgement.violations[j].severity != Severity::Info) consequences[cause[j]].push_back(j);
    for (std::size_t i = 0; i < cause.size(); ++i) {
      if (cause[i] != i) continue;
      Finding finding = make_finding(job, judgement, i, consequences[i]);
      if (const auto found = fixes.find(i); found != fixes.end() && options_.fixes)
        for (FoundFix& fix : found->second) finding.fixes.push_back(std::move(fix.fix));
      out_.findings.push_back(std::move(finding));
    }
    for (const NotEvaluated& entry : judgement.not_evaluated) {
      NotEvaluatedReport report{std::string(entry.rule), about(), {}};
      for (Slot slot : entry.because) report.because.emplace_back(job.schema->slot_name(slot));
      out_.not_evaluated.push_back(std::move(report));
    }
    return judgement;
  }

  // One wrong value can break several laws. What the best fix of the first also mends, by changing that one value, hangs under it.
  void fold_mended(const Job& job, Judgement& judgement, const FoundFix& found, std::size_t index, std::vector<std::size_t>& cause) {
    const bool one_value = found.changes.size() == 1 && found.changes[0].kind == Change::Kind::Set;
    for (std::size_t j = index + 1; j < cause.size(); ++j) {
      const Violation& other = judgement.violations[j];
      if (cause[j] != j || std::find(found.mends.begin(), found.mends.end(), other.rule) == found.mends.end()) continue;
      // Keys that are moved together were left behind together.
      const bool moved = !one_value && other.fact && std::any_of(found.changes.begin(), found.changes.end(), [&](const Change& change) {
        return change.kind == Change::Kind::Remove && change.fact == *other.fact;
      });
      const std::vector<std::uint32_t> roots = written_roots(job, judgement.of(other), other);
      if (moved || (one_value && std::find(roots.begin(), roots.end(), found.changes[0].fact) != roots.end()))
        std::replace(cause.begin(), cause.end(), j, index);
    }
  }

  // The run's name, and behind it the plan's where a run holds several.
  std::string plan_name(std::string_view plan) const {
    if (!plan_name_.empty()) return plan_name_;
    std::string run = training_.empty() ? unit_.name : unit_.name == "default" ? training_ : fmt::format("{}/{}", unit_.name, training_);
    if (plan.empty()) return run;
    return run == "default" ? std::string(plan) : fmt::format("{}/{}", run, plan);
  }

  // The file whose plan is under judgement.
  const std::string& about() const { return about_.empty() ? unit_.files[0] : about_; }

  void report_plan(Evaluation& evaluation) {
    const std::string_view name = job_.schema->plans.empty() ? std::string_view() : job_.schema->plans[evaluation.plan()].name;
    PlanReport plan{about(), plan_name(name), std::string(job_.schema->framework), std::string(job_.schema->title), job_.version, {}, {}};
    if (options_.origins) plan.plan = std::make_shared<const Plan>(make_plan(evaluation)), plan.job = std::make_shared<const Job>(job_);
    plan.index = evaluation.plan();
    if (plan.version.empty() && !job_.schema->versions.empty()) plan.version = job_.schema->versions.back();
    for (Slot slot = 0; slot < kFieldCount; ++slot) {
      const SlotState& state = evaluation.at(slot);
      // What a job has and its plan has not is of interest where there are several plans.
      if (job_.schema->plans.empty() && fields()[slot].name.starts_with("job_")) continue;
      FieldReport& field = plan.fields.emplace_back(FieldReport{std::string(fields()[slot].name), {}, "", {}, {}});
      if (state.known() && !state.value.is_null()) field.value = state.value;
      if (options_.origins) tell_origin(evaluation, slot, state, field);
    }
    out_.plans.push_back(std::move(plan));
  }

  void tell_origin(Evaluation& evaluation, Slot slot, const SlotState& state, FieldReport& field) const {
    std::string from;
    for (Slot dep : evaluation.inputs(slot)) from += (from.empty() ? "" : ", ") + display_name(job_, evaluation, dep);
    switch (state.origin) {
      case SlotState::Origin::Nothing: field.origin = "not stated"; break;
      case SlotState::Origin::Default: field.origin = fmt::format("default of {}", job_.schema->title); break;
      case SlotState::Origin::Written: field.origin = "written"; break;
      case SlotState::Origin::Setting: field.origin = "setting"; break;
      case SlotState::Origin::Rewritten:
        field.origin = fmt::format("changed by {} from {}", job_.schema->title, to_string(state.before));
        break;
      case SlotState::Origin::Derived:
        field.origin = !state.model.empty() ? fmt::format("known shape of {}", state.model)
                       : from.empty()       ? "by definition"
                                            : fmt::format("from {}", from);
        break;
    }
    if (!state.known() && state.origin != SlotState::Origin::Nothing) {
      std::string missing;
      for (Slot root : evaluation.missing_roots(slot)) missing += (missing.empty() ? "" : ", ") + std::string(job_.schema->slot_name(root));
      field.origin = missing.empty() ? "not stated" : fmt::format("needs {}", missing);
    }
    for (std::uint32_t fact : evaluation.root_facts(slot)) {
      const Fact& f = job_.facts[fact];
      if (!field.place) field.place = f.place;
      if (!f.open.empty() && !state.known()) field.origin = f.open;
      if (!f.value.map() && f.open.empty()) field.chain.emplace_back(fmt::format("{} = {}", f.spelled, to_string(f.value)), f.place);
      if (f.chain)
        for (const Step& step : *f.chain) field.chain.emplace_back(step.says, step.place);
    }
  }

  // ---- selection

  // Which of the unit's files it stands in; behind them all what stands in none.
  std::size_t file_of(const Finding& finding) const {
    const auto in = [&](const DocumentPtr& document) { return document->source == finding.place.source; };
    return static_cast<std::size_t>(std::find_if(documents_.begin(), documents_.end(), in) - documents_.begin());
  }

  using Names = std::vector<std::string>;
  static bool covers(std::string_view pattern, std::string_view rule, std::string_view family, const Names& also) {
    return pattern == "all" || means(pattern, rule, family, also);
  }
  Severity level(std::string_view rule, std::string_view family, const Names& also, Severity severity) const {
    for (const auto& [pattern, wanted] : unit_.settings.rules.severity)
      if (covers(pattern, rule, family, also)) severity = wanted;
    return severity;
  }
  bool shown(std::string_view rule, std::string_view family, const Names& also, Severity severity) const {
    const auto any = [&](const std::vector<std::string>& patterns) {
      return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return covers(pattern, rule, family, also); });
    };
    const RuleSettings& rules = unit_.settings.rules;
    return (severity != Severity::Info || options_.advice) && (rules.select.empty() || any(rules.select)) && !any(rules.ignore);
  }
  void select() {
    for (Finding& finding : out_.findings) finding.severity = level(finding.rule, finding.family, finding.also, finding.severity);
    std::erase_if(out_.findings,
                  [&](const Finding& finding) { return !shown(finding.rule, finding.family, finding.also, finding.severity); });
  }

  // Nobody reads hundreds of findings in a file. What is said of its spelling goes first, then what is least severe; the most severe one
  // stays, because it decides the exit code.
  void cap() {
    if (out_.findings.size() <= kShown) return;
    std::map<std::size_t, std::vector<std::size_t>> by_file;
    for (std::size_t i = 0; i < out_.findings.size(); ++i) by_file[file_of(out_.findings[i])].push_back(i);
    std::vector<bool> left_out(out_.findings.size());
    for (auto& [file, indices] : by_file) {
      if (indices.size() <= kShown) continue;
      const auto rank = [&](std::size_t i) {
        return std::tuple(out_.findings[i].family == "hygiene", -static_cast<int>(out_.findings[i].severity));
      };
      std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
      const auto worst = std::max_element(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
        return out_.findings[a].severity < out_.findings[b].severity;
      });
      if (worst - indices.begin() >= static_cast<std::ptrdiff_t>(kShown)) std::iter_swap(worst, indices.begin() + kShown - 1);
      for (std::size_t i = kShown; i < indices.size(); ++i) left_out[indices[i]] = true;
      out_.remarks.push_back(fmt::format("{}: {} findings are shown, and {} more were found",
                                         file < documents_.size() ? documents_[file]->source->path() : unit_.files[0], kShown,
                                         with_commas(grouped(static_cast<i64>(indices.size() - kShown)))));
    }
    std::size_t at = 0;
    std::erase_if(out_.findings, [&](const Finding&) { return left_out[at++]; });
  }

  const Files& files_;
  const CheckOptions& options_;
  const Unit& unit_;
  std::vector<DocumentPtr> documents_;
  Composed composed_;
  Job job_;
  std::string plan_name_, about_;  // of a C++ unit: the plan under judgement, and its file
  std::string training_;           // the training command that is being judged
  UnitResult out_;
};

CheckResult gather(std::vector<UnitResult>& results) {
  CheckResult out;
  const auto take = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  for (UnitResult& result : results) {
    take(out.findings, result.findings), take(out.plans, result.plans), take(out.not_evaluated, result.not_evaluated),
        take(out.errors, result.errors), take(out.remarks, result.remarks);
    out.files += result.files, out.passed_over += result.passed_over, out.suppressed += result.suppressed, out.checks += result.checks;
  }
  // A file that several others name, and that is a configuration itself, is judged with each of them.
  std::set<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, std::string>> said;
  std::erase_if(out.findings, [&](const Finding& finding) {
    if (!finding.place) return false;
    const Range& range = finding.place.range;
    return !said.emplace(finding.rule, finding.place.source->path(), range.begin, range.end, finding.message).second;
  });
  return out;
}

}  // namespace

CheckResult check(const Files& files, const CheckOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> errors;
  const std::vector<Unit> units = Discovery(files, options).run(errors);
  std::vector<UnitResult> results(units.size());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr fault;  // the first: a fault of ours is the caller's to report, whichever thread meets it
  std::once_flag once;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < units.size(); i = next++) results[i] = UnitCheck(files, options, units[i]).run();
    } catch (...) {
      std::call_once(once, [&] { fault = std::current_exception(); });
      next = units.size();
    }
  };
  const std::size_t threads =
      std::min<std::size_t>(options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency()), units.size());
  std::vector<std::thread> pool;
  for (std::size_t i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  if (fault) std::rethrow_exception(fault);
  CheckResult out = gather(results);
  out.errors.insert(out.errors.begin(), errors.begin(), errors.end());
  out.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return out;
}

namespace {

// Only the run's own files are mended by themselves: an override in shardlint.toml is for a person to change.
bool may_apply(const Unit& unit, const Finding& finding, const Fix& candidate, bool unsafe) {
  return !candidate.edits.empty() && finding.severity != Severity::Info && (unsafe || candidate.safety == Safety::Safe) &&
         std::all_of(candidate.edits.begin(), candidate.edits.end(), [&](const Edit& edit) {
           return std::find(unit.files.begin(), unit.files.end(), edit.source->path()) != unit.files.end();
         });
}

}  // namespace

Fixed fix(const Files& files, const CheckOptions& options, bool unsafe) {
  Fixed out;
  Overlay overlay(&files);
  std::vector<std::string> errors;
  CheckOptions with_fixes = options;
  with_fixes.fixes = true;
  if (options.stdin_text) overlay.put(options.stdin_name, *options.stdin_text);
  with_fixes.stdin_text.reset();
  for (const Unit& unit : Discovery(files, options).run(errors)) {
    std::set<std::vector<std::string>> seen;  // texts that were there before: a circle of fixes ends
    for (int round = 0; round < kRounds; ++round) {
      const UnitResult result = UnitCheck(overlay, with_fixes, unit).run();
      const Fix* chosen = nullptr;
      for (const Finding& finding : result.findings)
        for (const Fix& candidate : finding.fixes)
          if (!chosen && may_apply(unit, finding, candidate, unsafe)) chosen = &candidate;
      if (!chosen) break;
      std::map<std::string, std::vector<Edit>> by_file;
      for (const Edit& edit : chosen->edits) by_file[edit.source->path()].push_back(edit);
      std::vector<std::string> after_texts;
      bool made = true;
      for (auto& [path, edits] : by_file) {
        const SourcePtr source = edits[0].source;
        const std::optional<std::string> after = apply(*source, edits);
        if (!after) {
          made = false;
          break;
        }
        after_texts.push_back(*after);
        auto [entry, fresh] = out.texts.try_emplace(path, std::string(source->text()), "");
        entry->second.second = *after;
        overlay.put(path, *after);
      }
      if (!made || !seen.insert(after_texts).second) break;
      std::vector<std::string>& changed = out.fixes.emplace_back();
      for (const auto& [path, edits] : by_file) changed.push_back(path);
    }
  }
  CheckOptions again = with_fixes;
  again.fixes = options.fixes;
  std::replace(again.paths.begin(), again.paths.end(), std::string("-"), options.stdin_name);
  out.left = check(overlay, again);
  return out;
}

}  // namespace shardlint
