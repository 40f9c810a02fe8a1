// Configurations: the documents of a unit are read, their framework is recognised, what they include is composed, and the run is judged.
#include <algorithm>

#include <fmt/format.h>

#include "checker/diag/hygiene.h"
#include "checker/engine/attach.h"
#include "checker/engine/unit.h"

namespace shardlint {

namespace {

constexpr std::size_t kSyntax = 3;  // findings of a file about its syntax: what comes behind is mostly the first one's consequence

class DocumentCheck : UnitCheck {
 public:
  DocumentCheck(const Files& files, const CheckOptions& options, const Unit& unit) : UnitCheck(files, options, unit) {}

  UnitResult run() {
    for (const std::string& path : unit_.files) read(path);
    // Half a run says nothing about the whole; the error says which file is not there.
    if (documents_.empty() || documents_.size() < unit_.files.size()) return std::move(out_);
    if (documents_.size() == 1 && documents_[0]->format == Format::Yaml)
      if (std::optional<UnitResult> started = check_manifest(files_, options_, unit_, documents_[0])) return std::move(*started);
    const bool known = recognised();
    if (!known && !unit_.named) {
      out_.passed_over = documents_.size();
      return std::move(out_);
    }
    if (!known && forced_in_vain()) return std::move(out_);
    out_.files = documents_.size();
    included_ = std::move(composed_.included);
    std::vector<DocumentPtr> all = documents_;
    all.insert(all.end(), included_.begin(), included_.end());
    for (const DocumentPtr& document : all) syntax(*document, job_.schema, job_.form);
    // Of a file that no loader can read, whatever seems to be missing may stand behind the fault.
    const bool whole = std::all_of(all.begin(), all.end(), [](const DocumentPtr& document) { return document->problems.empty(); });
    if (known && whole) {
      for (Finding& finding : composed_.findings) out_.findings.push_back(std::move(finding));
      if (cut_) cut_off();
      const AttachWorld world{unit_.workspace, folder_of(unit_.files[0]), unit_.run, options_.fixes};
      const Attachments attached = attach_files(files_, world, job_);
      for (const Finding& finding : attached.findings) out_.findings.push_back(finding);
      Judgement judgement = judge_job(job_);
      // A part is judged in the runs that it is a part of, and has no plan of its own.
      for (std::size_t plan = 0; plan < job_.schema->plan_count() && !job_.form->part; ++plan)
        if (Evaluation* evaluation = judgement.plan(plan)) report_plan(job_, *evaluation);
      for (std::size_t i = 0; i < attached.jobs.size(); ++i) {
        syntax(*attached.documents[i], attached.jobs[i].schema, attached.jobs[i].form);
        if (attached.documents[i]->problems.empty()) judge_job(attached.jobs[i]);
        included_.push_back(attached.documents[i]);  // where ignores may stand
      }
      keep(std::move(job_));
    }
    if (!known && whole)
      out_.remarks.push_back(
          fmt::format("{}: no framework is recognised, so only syntax was checked; --framework NAME forces one", unit_.files[0]));
    for (Finding& finding : out_.findings) finding.plan = plan_name(finding.plan);
    close(known && whole);
    return std::move(out_);
  }

 private:
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

  // What is written where; the values wait for the framework whose loader reads them.
  Facts facts(const std::vector<DocumentPtr>& documents) {
    Facts out;
    cut_.reset();
    for (const DocumentPtr& document : documents) {
      if (document->roots.empty()) continue;
      Place cut;
      Facts more = facts_of(document, *document->roots[0], std::nullopt, &cut);
      if (cut && !cut_) cut_ = std::move(cut);
      if (out.empty()) {
        out = std::move(more);
        continue;
      }
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

  bool recognised() {
    Facts first = facts(documents_);
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
    const std::string home = documents_.size() == 1 ? "/" + folder_of(join(files_.working_folder(), unit_.files[0])) + "/" : "";
    for (const Schema* schema : candidates)
      for (const FormSpec& form : schema->forms)
        if (const std::size_t depth = kept_in(form, home); depth > deepest) deepest = depth, job_.schema = schema, job_.form = &form;
    const WrittenPaths paths(first);
    look([&](const Schema& schema) { return recognise(schema, paths, version_of(schema)); });
    // What the files themselves do not tell may be told by what they include.
    std::optional<Composed> composed;
    look([&](const Schema& schema) -> const FormSpec* {
      if (!includes(schema, documents_.back())) return nullptr;
      composed = layered(schema, schema.loader, unit_.overrides);
      const FormSpec* form = recognise(schema, composed->facts, version_of(schema));
      if (!form) composed.reset();
      return form;
    });
    // A framework that the user names needs no proof, but for files that were only discovered.
    if (!wanted.empty() && unit_.named) look([&](const Schema& schema) { return likely_form(schema, first, version_of(schema)); });
    if (!job_.schema) return false;
    if (job_.form->loader == Dialect::Hjson) first = facts(read_as_hjson());
    job_.version = version_of(*job_.schema);
    Facts overrides;
    for (const Fact& fact : unit_.overrides) overrides.push_back(in_form(fact, *job_.schema, *job_.form));
    if (job_.schema->composition.style == Layering::None) {
      job_.facts = std::move(first);
      read_values(job_.facts, job_.form->loader);
      if (cut_ && !read_before(job_.form->root, *cut_)) job_.partial = "there are more values than are read here";
      for (Fact& word : overrides) {
        if (!word.path.starts_with('~'))
          job_.facts.push_back(std::move(word));
        else
          out_.errors.push_back(fmt::format("`{}` is no override of {}; one is written as `key=value`", word.word, job_.schema->title));
      }
    } else {
      const bool again = !composed || !unit_.overrides.empty() || job_.form->loader != job_.schema->loader;
      composed_ = again ? layered(*job_.schema, job_.form->loader, std::move(overrides)) : *std::move(composed);
      job_.facts = std::move(composed_.facts);
      cut_ = composed_.cut;
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

  // How long the path of the form's folder is in which `home`, "/a/b/", lies; 0 if it lies in none.
  static std::size_t kept_in(const FormSpec& form, const std::string& home) {
    std::size_t out = 0;
    for (std::string_view folder : form.folders)
      if (home.find(fmt::format("/{}/", folder)) != std::string::npos) out = std::max(out, folder.size());
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

  // Whether the section that holds a form's arguments was read whole before the values became too many.
  bool read_before(std::string_view root, const Place& cut) const {
    return !root.empty() && std::any_of(job_.facts.begin(), job_.facts.end(), [&](const Fact& fact) {
      return fact.path == root && fact.key_place.source == cut.source && fact.key_place.range.begin < cut.range.begin;
    });
  }

  void cut_off() {
    add(hygiene::kTooMany, hygiene::kTooMany.severity,
        "with this key the file comes to more than 200,000 values; what is behind them is not judged",
        *cut_ ? *cut_ : Place{documents_[0]->source, {0, 0}})
        .effect = "nothing is known of what they change";
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

  Composed composed_;
  std::optional<Place> cut_;  // there are more values than are read: the key that brings them, if it is one
  Job job_;
};

}  // namespace

UnitResult check_documents(const Files& files, const CheckOptions& options, const Unit& unit) {
  return DocumentCheck(files, options, unit).run();
}

}  // namespace shardlint
