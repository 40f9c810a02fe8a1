#include "checker/engine/attach.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "checker/diag/composition.h"
#include "checker/fix/writer.h"
#include "checker/plan/law.h"

namespace shardlint {

namespace {

// Before facts are bound to their keys: whether this one is written as the key is.
bool may_be(const Fact& fact, const KeySpec& key) {
  const std::size_t at = fact.path.size() - std::min(key.path.size(), fact.path.size());
  return (fact.path.ends_with(key.path) && (at == 0 || fact.path[at - 1] == '.')) ||
         std::find(key.flags.begin(), key.flags.end(), fact.spelled) != key.flags.end();
}

class Attacher {
 public:
  Attacher(const Files& files, const AttachWorld& world, Job& job) : files_(files), world_(world), job_(job), schema_(*job.schema) {}

  Attachments run() {
    std::optional<Judgement> before;
    for (const AttachSpec& spec : schema_.attaches) {
      const KeySpec& key = *schema_.key_of(spec.key);
      // Most files name none; then there is nothing to be judged for.
      const bool there = std::any_of(job_.facts.begin(), job_.facts.end(), [&](const Fact& fact) { return may_be(fact, key); });
      if (!there) continue;
      if (!before) before = judge(job_);
      Evaluation& evaluation = *before->evaluation;
      if (spec.when != kNoExpr && !evaluation.evaluate(spec.when).is(true)) continue;
      const SlotState& state = evaluation.at(spec.key);
      if (!state.known() && evaluation.written_but_unknown(spec.key))
        nobody_knows(spec, "a value that is decided elsewhere names the file");
      if (!state.known() || !state.value.text() || state.value.text()->empty()) continue;
      std::uint32_t by = 0;
      if (const auto roots = evaluation.root_facts(spec.key); !roots.empty()) by = roots[0];
      attach(spec, *state.value.text(), by, evaluation);
    }
    const auto first_setting =
        std::find_if(job_.facts.begin(), job_.facts.end(), [](const Fact& fact) { return fact.way == Way::Setting; });
    job_.facts.insert(first_setting, taken_.begin(), taken_.end());
    return std::move(out_);
  }

 private:
  void attach(const AttachSpec& spec, const std::string& named, std::uint32_t by, Evaluation& evaluation) {
    const Schema* schema = schema_named(spec.schema);
    const bool certain = !named.starts_with('/') && !named.starts_with('~') && named.find("${") == named.npos &&
                         named.find("://") == named.npos && named.find("..") == named.npos;
    const std::string ending = named.substr(std::min(named.rfind('.'), named.size()));
    if (!schema || ending != ".json") return nobody_knows(spec, fmt::format("{} names it, which is no file that is read here", named));
    const std::optional<std::string> path = found_above(files_, world_.home, world_.workspace, named);
    if (!path) {
      nobody_knows(spec, fmt::format("{} decides, and it is not in reach", named));
      if (certain) missing(named, by);
      return;
    }
    const Files::Read read = files_.read(*path);
    if (!read.text) return nobody_knows(spec, fmt::format("{} cannot be read", named));
    const bool hjson = schema->loader == Dialect::Hjson;
    const DocumentPtr document = read_document(std::make_shared<const Source>(*path, *read.text), Format::Json, hjson);
    Job job{schema, &schema->forms[0], "", {}};
    if (!document->roots.empty()) job.facts = facts_of(document, *document->roots[0], job.form->loader);
    if (!document->problems.empty() || job.facts.empty()) {
      nobody_knows(spec, fmt::format("{} cannot be read", named));
    } else {
      for (std::string_view key : spec.needs)
        if (std::none_of(job.facts.begin(), job.facts.end(), [&](const Fact& fact) { return fact.path == key; }))
          lacks(key, *path, document, by);
      for (std::size_t i = 0; i < spec.paths.size(); ++i) tell(job, spec.paths[i], spec.values[i], i < spec.insists, evaluation);
      cluster(job, evaluation);
      take(spec, job);
    }
    out_.jobs.push_back(std::move(job));
    out_.documents.push_back(document);
  }

  // What this framework puts at `path` of the file.
  void tell(Job& job, std::string_view path, ExprId expr, bool insists, Evaluation& evaluation) {
    const auto at = std::find_if(job.facts.begin(), job.facts.end(), [&](const Fact& fact) { return fact.path == path; });
    if (at == job.facts.end()) return;
    std::vector<Slot> reads;
    const Result result = evaluation.evaluate(expr, &reads);
    const bool left_open = at->value.text() && !job.schema->filled.empty() && *at->value.text() == job.schema->filled;
    if (!result.known() || result.value.is_null()) {
      // It is filled in all the same, if nobody can say with what.
      if (left_open && !insists) job.facts.erase(at);
      return;
    }
    std::vector<std::uint32_t> roots;
    for (Slot slot : reads)
      for (std::uint32_t root : evaluation.root_facts(slot))
        if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
    if (!left_open) {
      if (insists && differ(at->value, result.value)) disagree(*at, result.value, roots, job);
      return;
    }
    const Place place = at->place;
    const std::string said = fmt::format("{} is {} here", at->spelled, *at->value.text());
    Fact filled = *at;
    if (roots.size() == 1 && job_.facts[roots[0]].value == result.value) {
      const Fact& source = job_.facts[roots[0]];
      filled = source;
      filled.path = at->path, filled.inherited = true;
    }
    filled.value = result.value;
    auto chain = std::make_shared<std::vector<Step>>(filled.chain ? *filled.chain : std::vector<Step>{});
    chain->push_back({said, place});
    filled.chain = std::move(chain);
    *at = std::move(filled);
  }

  static bool differ(const Value& a, const Value& b) {
    if (a.is_number() && b.is_number())
      return std::fabs(a.number() - b.number()) > 1e-9 * std::max(std::fabs(a.number()), std::fabs(b.number()));
    return !a.is_null() && !b.is_null() && !(a == b);  // text equals no number, whatever it spells
  }

  void disagree(const Fact& fact, const Value& value, const std::vector<std::uint32_t>& roots, const Job& job) {
    Finding& finding = report(composition::kFilesDisagree);
    const std::string file = base_name(fact.place.source->path());
    const bool spelled_out = fact.value.text() && !value.text();
    const std::string there = spelled_out ? fmt::format("the text \"{}\"", *fact.value.text()) : to_string(fact.value);
    finding.message = fmt::format("{} is {} in {}, and {} passes {}", fact.path, there, file, schema_.title, to_string(value));
    finding.effect =
        fmt::format("the two are compared at the start, and a difference is refused{}", spelled_out ? "; text equals no number" : "");
    const std::string told = fmt::format("{} is {}", fact.path, there);
    for (std::uint32_t root : roots) {
      const Fact& source = job_.facts[root];
      if (!source.place || source.way == Way::Setting) continue;
      if (!finding.place) {
        finding.place = source.place;
        continue;
      }
      finding.notes.push_back({fmt::format("{} is {}", source.spelled, to_string(source.value)), source.place});
    }
    if (finding.place)
      finding.notes.push_back({told, fact.place});
    else
      finding.place = fact.place;
    if (!world_.fixes) return;
    if (auto edits = write_value(fact, Value(job.schema->filled), job.form->loader))
      finding.fixes.push_back({fmt::format("{} = {}", fact.spelled, job.schema->filled), Safety::Unsafe, std::move(*edits)});
  }

  void lacks(std::string_view key, const std::string& path, const DocumentPtr& document, std::uint32_t by) {
    Finding& finding = report(composition::kKeyNotAttached);
    finding.message = fmt::format("{} has no {}", base_name(path), key);
    finding.effect = fmt::format("{} refuses to start with such a file", schema_.title);
    const std::uint32_t begin = document->roots[0]->range.begin;
    finding.place = document->place({begin, begin + 1});
    named_here(finding, by);
  }

  void missing(const std::string& named, std::uint32_t by) {
    if (!world_.run) return;  // nobody knows the folder that the program is started in
    Finding& finding = report(composition::kMissingInclude);
    finding.message = fmt::format("{} is not there", named);
    finding.effect = fmt::format("{} stops when it opens it", schema_.title);
    if (by < job_.facts.size()) finding.place = job_.facts[by].place;
  }

  void named_here(Finding& finding, std::uint32_t by) const {
    if (by < job_.facts.size() && job_.facts[by].place)
      finding.notes.push_back({fmt::format("{} names the file", job_.facts[by].spelled), job_.facts[by].place});
  }

  Finding& report(const RuleInfo& info) {
    Finding& finding = out_.findings.emplace_back();
    finding.rule = info.name, finding.family = info.family, finding.severity = info.severity;
    return finding;
  }

  // The attached framework runs in the same processes.
  void cluster(Job& job, Evaluation& evaluation) const {
    for (Field field : {Field::world_size, Field::nodes, Field::gpus_per_node}) {
      const SlotState& state = evaluation.at(field);
      if (!state.known() || !state.value.integer()) continue;
      Fact fact;
      fact.path = fact.spelled = fields()[slot(field)].name;
      fact.value = state.value;
      fact.way = Way::Setting;
      const auto roots = evaluation.root_facts(slot(field));
      const auto says_it =
          std::find_if(roots.begin(), roots.end(), [&](std::uint32_t root) { return job_.facts[root].value == state.value; });
      if (says_it != roots.end()) fact.place = fact.key_place = job_.facts[*says_it].place;
      job.facts.push_back(std::move(fact));
    }
    for (const Fact& fact : job_.facts)
      if (fact.way == Way::Setting) job.facts.push_back(fact);
  }

  void take(const AttachSpec& spec, const Job& job) {
    if (spec.takes.empty()) return;
    const Judgement judgement = judge(job);
    for (Slot taken : spec.takes) {
      const SlotState& state = judgement.evaluation->at(taken);
      const auto roots = judgement.evaluation->root_facts(taken);
      // The fact that says the value as it is, rather than the section that holds it.
      const auto written = [&](std::uint32_t root) { return job.facts[root].way != Way::Setting; };
      auto own = std::find_if(roots.begin(), roots.end(),
                              [&](std::uint32_t root) { return written(root) && job.facts[root].value == state.value; });
      if (own == roots.end()) own = std::find_if(roots.begin(), roots.end(), written);
      Fact fact;
      if (own != roots.end()) fact = job.facts[*own];
      // Only where the value stands there as it is can it be changed there.
      const bool editable = own != roots.end() && fact.value == state.value && fact.value.kind() == state.value.kind();
      if (!editable) fact.node = nullptr, fact.document = nullptr, fact.parent = nullptr, fact.way = Way::Setting;
      fact.path = fields()[taken].name;
      if (fact.spelled.empty()) fact.spelled = fact.path;
      fact.attached = true, fact.inherited = true, fact.formula = nullptr;
      fact.value = state.value;
      if (!state.known()) fact.open = fmt::format("{} decides, and nothing says its value", job.schema->title);
      taken_.push_back(std::move(fact));
    }
  }

  void nobody_knows(const AttachSpec& spec, const std::string& why) {
    for (Slot taken : spec.takes) {
      Fact fact;
      fact.path = fact.spelled = fields()[taken].name;
      fact.way = Way::Setting, fact.attached = true, fact.open = why;
      taken_.push_back(std::move(fact));
    }
  }

  const Files& files_;
  const AttachWorld& world_;
  Job& job_;
  const Schema& schema_;
  Facts taken_;
  Attachments out_;
};

}  // namespace

namespace {

constexpr std::size_t kModels = 32;  // folders that a run names and that may hold a model

// The model that a config.json states, as the columns of shape(); none if it states no layers.
std::optional<FolderModel> model_in(const DocumentPtr& document) {
  const Schema* schema = schema_named("transformers");
  if (!schema || document->roots.empty() || !document->problems.empty() || document->roots[0]->kind != Node::Kind::Mapping)
    return std::nullopt;
  const Node* root = document->roots[0];
  // A model that also sees or hears keeps what its language part is in a section of its own.
  if (const Entry* text = document->find(*root, "text_config"); text && text->value->kind == Node::Kind::Mapping) root = text->value;
  Job job{schema, &schema->forms[0], "", {}};
  job.facts = facts_of(document, *root, job.form->loader);
  const Judgement judgement = judge(job);
  FolderModel out;
  out.shape.cells.fill(ModelShape::kUnknown);
  for (std::size_t column = 0; column < kShapeColumns; ++column) {
    const ShapeColumn& one = shape_columns()[column];
    std::optional<Slot> at;
    if (const auto field = field_named(one.name)) at = slot(*field);
    for (std::size_t let = 0; let < schema->lets.size(); ++let)
      if (schema->lets[let].name == one.name) at = schema->let_slot(let);
    if (!at) continue;
    const SlotState& state = judgement.evaluation->at(*at);
    if (!state.known()) continue;
    if (state.value.is_null() && !one.every && !one.flag) out.shape.cells[column] = ModelShape::kNone;
    if (const bool* flag = state.value.boolean()) out.shape.cells[column] = *flag;
    if (const i64* number = state.value.integer(); number && *number > 0 && *number < (i64{1} << 31)) out.shape.cells[column] = *number;
    const std::vector<std::uint32_t> roots = judgement.evaluation->root_facts(*at);
    if (const Fact* fact = roots.size() == 1 ? &job.facts[roots[0]] : nullptr; fact && fact->value == state.value)
      out.says[column] = {fact->path, fact->place};
  }
  return out.shape.cells[*shape_column("layers")] == ModelShape::kUnknown ? std::nullopt : std::optional(out);
}

// Where a public model is named, a folder with that name comes first, as it does for the library that loads it.
void read_models(const Files& files, const AttachWorld& world, Job& job) {
  const Schema& schema = *job.schema;
  if (schema.model_keys.empty()) return;
  std::size_t looked = 0;
  FolderModels models;
  for (const Fact& fact : job.facts) {
    const std::string* named = fact.value.text();
    if (!named || named->empty() || named->size() > 512 || named->find_first_of(" \n$:") != std::string::npos || !fact.open.empty())
      continue;
    const auto may_name = [&](std::uint16_t key) { return may_be(fact, schema.keys[key]); };
    if (std::none_of(schema.model_keys.begin(), schema.model_keys.end(), may_name)) continue;
    if (models.contains(*named)) continue;
    const std::optional<std::string> path = found_above(files, world.home, world.workspace, *named + "/config.json");
    if (!path) continue;
    if (++looked > kModels) break;
    const Files::Read read = files.read(*path);
    if (!read.text) continue;
    const DocumentPtr document = read_document(std::make_shared<const Source>(*path, *read.text), Format::Json);
    if (std::optional<FolderModel> model = model_in(document)) models[*named] = std::move(*model);
  }
  if (!models.empty()) job.models = std::make_shared<const FolderModels>(std::move(models));
}

}  // namespace

Attachments attach_files(const Files& files, const AttachWorld& world, Job& job) {
  read_models(files, world, job);
  if (job.schema->attaches.empty()) return {};
  return Attacher(files, world, job).run();
}

}  // namespace shardlint
