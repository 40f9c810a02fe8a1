#include "checker/engine/bindings.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "checker/diag/hygiene.h"
#include "checker/engine/builtin_bindings.h"
#include "checker/plan/rule.h"

namespace shardlint {

namespace {

namespace json = llvm::json;

constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"precision", "precision.compute"}, {"max_seq_length", "max_positions"}, {"bias", "linear_bias"}};

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string last_part(std::string_view name) {
  const std::size_t colon = name.rfind("::");
  return std::string(colon == std::string_view::npos ? name : name.substr(colon + 2));
}

json::Value to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Mapping: {
      json::Object out;
      for (const Entry& entry : node.entries)
        if (!entry.shadowed) out[json::isUTF8(entry.key) ? entry.key : json::fixUTF8(entry.key)] = to_json(*entry.value);
      return out;
    }
    case Node::Kind::Sequence: {
      json::Array out;
      for (const Item& item : node.items) out.push_back(to_json(*item.value));
      return out;
    }
    case Node::Kind::Scalar: break;
  }
  const Value value = node.value.value_or(Value(node.text));
  if (value.boolean()) return *value.boolean();
  if (value.integer()) return *value.integer();
  if (value.real()) return *value.real();
  const std::string& text = value.text() ? *value.text() : node.text;
  return json::isUTF8(text) ? text : json::fixUTF8(text);
}

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> field_aliases() { return kAliases; }

std::string_view canonical_field(std::string_view name) {
  for (const auto& [alias, field] : kAliases)
    if (alias == name) return field;
  const auto field = field_named(name);
  return field ? fields()[slot(*field)].name : std::string_view();
}

// ---- the shape of the file

struct BindingFile::Reader {
  BindingFile& out;
  const Document& document;

  using Keys = std::initializer_list<std::string_view>;

  void mistake(Range range, std::string message, std::string effect = "what it binds is not read as it is meant") {
    Finding& finding = out.mistakes_.emplace_back();
    finding.rule = hygiene::kBadBinding.name, finding.family = hygiene::kBadBinding.family,
    finding.severity = hygiene::kBadBinding.severity;
    finding.message = std::move(message), finding.effect = std::move(effect), finding.place = document.place(range);
  }

  static std::string hint(std::string_view word, const std::vector<std::string_view>& known) {
    const auto near = nearest(word, known, 1);
    return near.empty() ? "" : fmt::format("; did you mean {}?", near[0]);
  }

  void only(const Node& table, Keys keys, bool fields_too = false) {
    for (const Entry& entry : table.entries) {
      if (std::find(keys.begin(), keys.end(), entry.key) != keys.end() || (fields_too && !canonical_field(entry.key).empty())) continue;
      mistake(entry.key_range, fmt::format("a binding has no key {} here{}", entry.key, hint(entry.key, {keys.begin(), keys.end()})));
    }
  }

  const Node* find(const Node& table, std::string_view key, Node::Kind kind, std::string_view wanted) {
    const Entry* entry = document.find(table, key);
    if (!entry) return nullptr;
    if (entry->value->kind == kind) return entry->value;
    mistake(entry->key_range, fmt::format("{} is {}", key, wanted));
    return nullptr;
  }
  const Node* table(const Node& in, std::string_view key) { return find(in, key, Node::Kind::Mapping, "a table"); }
  template <class Each>
  void rows(const Node& in, std::string_view key, const Each& each) {
    const Node* list = find(in, key, Node::Kind::Sequence, fmt::format("a list of tables ([[{}]])", key));
    for (std::size_t i = 0; list && i < list->items.size(); ++i)
      if (list->items[i].value->kind == Node::Kind::Mapping)
        each(*list->items[i].value, i);
      else
        mistake(list->items[i].value_range, fmt::format("{} is a list of tables", key));
  }
  std::string text(const Node& in, std::string_view key, bool needed = false) {
    const Entry* entry = document.find(in, key);
    if (!entry) {
      if (needed) mistake(in.range, fmt::format("this table has no {}", key));
      return "";
    }
    if (entry->value->kind == Node::Kind::Scalar && entry->value->value && entry->value->value->text()) return *entry->value->value->text();
    mistake(entry->value_range.empty() ? entry->key_range : entry->value_range, fmt::format("{} is text", key));
    return "";
  }
  void choice(const Node& in, std::string_view key, Keys choices) {
    const Entry* entry = document.find(in, key);
    const std::string word = entry ? text(in, key) : "";
    if (!word.empty() && std::find(choices.begin(), choices.end(), word) == choices.end())
      mistake(entry->value_range,
              fmt::format("{} is one of {}, not {}{}", key, fmt::join(choices, ", "), word, hint(word, {choices.begin(), choices.end()})));
  }

  void canonical(std::string_view name, Range range) {
    if (!canonical_field(name).empty() || name == "device_lists") return;
    std::vector<std::string_view> names;
    for (const FieldInfo& field : fields()) names.push_back(field.name);
    for (const auto& [alias, field] : kAliases) names.push_back(alias);
    mistake(range, fmt::format("a plan has no field {}{}", name, hint(name, names)));
  }
  void target(const Node& node, Range range) {
    if (node.kind == Node::Kind::Scalar) {
      if (node.value && node.value->text())
        canonical(*node.value->text(), range);
      else
        mistake(range, "the name of a plan's field stands here, as text");
      return;
    }
    if (node.kind != Node::Kind::Mapping) return mistake(range, "the name of a plan's field stands here, or a table with `is`");
    only(node, {"is", "unset", "unit", "sentinel", "invert", "values"});
    const Entry* is = document.find(node, "is");
    if (is && is->value->value && is->value->value->text())
      canonical(*is->value->value->text(), is->value_range);
    else
      mistake(range, "this table has no `is`: which field of a plan it stands for");
  }
  void targets(const Node& in, std::string_view key) {
    if (const Node* map = table(in, key))
      for (const Entry& entry : map->entries) target(*entry.value, entry.value_range.empty() ? entry.key_range : entry.value_range);
  }
  // Words and the fields that they are: `nodes = "nodes"`, `PROCESSES = { is = "processes" }`.
  std::vector<std::pair<std::string, std::string>> names(const Node& in, std::string_view key) const {
    std::vector<std::pair<std::string, std::string>> names;
    const Entry* map = document.find(in, key);
    if (!map || map->value->kind != Node::Kind::Mapping) return names;
    for (const Entry& entry : map->value->entries) {
      const Node* node = entry.value;
      if (const Entry* is = node->kind == Node::Kind::Mapping ? document.find(*node, "is") : nullptr) node = is->value;
      if (node->value && node->value->text())
        if (const std::string_view field = canonical_field(*node->value->text()); !field.empty()) names.emplace_back(entry.key, field);
    }
    return names;
  }
  void derive(const Node& in, const std::string& row) {
    const Node* map = table(in, "derive");
    for (std::size_t i = 0; map && i < map->entries.size(); ++i) {
      const Entry& entry = map->entries[i];
      canonical(entry.key, entry.key_range);
      if (entry.value->value && entry.value->value->text())
        out.derive_[row].emplace_back(entry.key, *entry.value->value->text());
      else
        mistake(entry.key_range, "a derivation is text: \"tp * pp\"");
    }
  }
  void call(const Node& node, bool named) {
    only(node, {"name", "params", "map", "unset", "plan", "derive"}, true);
    if (named) text(node, "name", true);
    find(node, "params", Node::Kind::Sequence, "a list of the parameters' names");
    targets(node, "map");
    // A name of the map that is none of the parameters.
    const Entry* params = document.find(node, "params");
    const Node* map = document.find(node, "map") ? document.find(node, "map")->value : nullptr;
    if (params && map && params->value->kind == Node::Kind::Sequence)
      for (const Entry& entry : map->entries) {
        std::vector<std::string_view> names;
        for (const Item& item : params->value->items) names.push_back(item.value->text);
        if (!entry.key.starts_with('#') && std::find(names.begin(), names.end(), entry.key) == names.end())
          mistake(entry.key_range, fmt::format("{} is none of the parameters{}", entry.key, hint(entry.key, names)));
      }
  }
  void remember(const std::string& name) {
    if (const std::string word = last_part(name); !word.empty()) out.words_.push_back(word);
  }

  void expressions(const Node& root);

  void read(const Node& root) {
    only(root, {"version", "framework", "type", "function", "flags", "launcher", "string_map", "text"});
    if (const Entry* version = document.find(root, "version"))
      if (!version->value->value || !(*version->value->value == Value(1)))
        mistake(version->value_range, "this shardlint reads version 1 of binding files");
    if (const Node* framework = table(root, "framework")) {
      only(*framework, {"name", "rank_order", "uneven_stages", "kv_groups_below_tp", "schedule", "interleaved_needs", "overlap"});
      if (const std::string name = text(*framework, "name"); !name.empty()) out.name_ = name;
      choice(*framework, "uneven_stages", {"refused", "allowed"});
      choice(*framework, "kv_groups_below_tp", {"refused", "replicated"});
      find(*framework, "rank_order", Node::Kind::Sequence, "a list of axes, innermost first");
    }
    rows(root, "type", [&](const Node& type, std::size_t i) {
      only(type, {"name", "role", "accessor_style", "fields", "ctor", "factory", "method", "template", "derive", "finish", "fields_through",
                  "plan"});
      const std::string name = text(type, "name", true);
      out.types_.push_back(name);
      remember(name);
      choice(type, "role", {"plan", "part", "builder", "model"});
      choice(type, "accessor_style", {"none", "same-name", "message"});
      targets(type, "fields");
      derive(type, fmt::format("type[{}]", i));
      rows(type, "ctor", [&](const Node& row, std::size_t) { call(row, false); });
      rows(type, "factory", [&](const Node& row, std::size_t) { call(row, true); });
      rows(type, "method", [&](const Node& row, std::size_t) {
        only(row, {"name", "arg", "sets"});
        text(row, "name", true);
        if (const Entry* sets = document.find(row, "sets"))
          target(*sets->value, sets->value_range);
        else
          mistake(row.range, "this table has no `sets`: which field of a plan the method writes");
      });
      if (const Node* arguments = table(type, "template")) only(*arguments, {"params", "map"}), targets(*arguments, "map");
    });
    rows(root, "function", [&](const Node& row, std::size_t i) {
      call(row, true);
      remember(text(row, "name"));
      derive(row, fmt::format("function[{}]", i));
    });
    rows(root, "flags", [&](const Node& row, std::size_t) {
      only(row, {"style", "macro", "get", "set", "parse", "programs", "map"});
      if (const Node* programs = find(row, "programs", Node::Kind::Sequence, "a list of the programs' names"))
        for (const Item& item : programs->items) out.programs_.push_back(item.value->text);
      choice(row, "style", {"gflags", "absl", "define-macro", "object-macro"});
      targets(row, "map");
      if (const Entry* map = document.find(row, "map"))
        for (const Entry& entry : map->value->entries) out.words_.push_back("FLAGS_" + entry.key), out.words_.push_back(entry.key);
    });
    if (const Node* launcher = table(root, "launcher")) {
      only(*launcher, {"program", "flags", "env", "derive"});
      targets(*launcher, "flags");
      targets(*launcher, "env");
      derive(*launcher, "launcher");
      out.launcher_.program = text(*launcher, "program");
      out.launcher_.flags = names(*launcher, "flags"), out.environment_ = names(*launcher, "env");
    }
    rows(root, "string_map", [&](const Node& row, std::size_t) {
      only(row, {"sink", "arg", "also", "keys"});
      remember(text(row, "sink", true));
      if (const Entry* also = document.find(row, "also"))
        for (const Item& item : also->value->items) remember(item.value->text);
      targets(row, "keys");
    });
    rows(root, "text", [&](const Node& row, std::size_t) {
      only(row, {"format", "sink", "arg", "keys"});
      remember(text(row, "sink", true));
      choice(row, "format", {"json"});
      targets(row, "keys");
    });
  }
};

BindingFile::BindingFile(SourcePtr source, std::string title) : source_(std::move(source)), title_(std::move(title)) {
  document_ = read_document(source_, Format::Toml);
  Reader reader{*this, *document_};
  for (const Problem& problem : document_->problems) reader.mistake(problem.range, problem.message, "nothing in this file is bound");
  if (!document_->problems.empty() || document_->roots.empty()) {
    json_ = "{}";
    return;
  }
  facts_ = facts_of(document_, *document_->roots[0], Dialect::Toml);
  reader.read(*document_->roots[0]);
  if (title_.empty()) title_ = name_;
  reader.expressions(*document_->roots[0]);
  llvm::raw_string_ostream(json_) << to_json(*document_->roots[0]);
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
}

bool BindingFile::mentioned_in(std::string_view text) const {
  // Each word of the text once, against the sorted names.
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && is_word(text[i])) ++i;
    if (std::binary_search(words_.begin(), words_.end(), text.substr(begin, i - begin))) return true;
  }
  return false;
}

Place BindingFile::place(std::string path) const {
  while (!path.empty()) {
    for (const Fact& fact : facts_)
      if (fact.path == path)
        return path.ends_with(']') || fact.value.map() || fact.value.list() ? Place{source_, fact.key_place.range} : fact.place;
    const std::size_t cut = path.find_last_of(".[");
    if (cut == std::string::npos) break;
    path.resize(cut);
  }
  return {source_, {0, 0}};
}

std::string BindingFile::text_field(const std::string& row, const std::string& key) const {
  for (const Fact& fact : facts_) {
    if (fact.path == fmt::format("{}.keys.{}", row, key) && fact.value.text()) return *fact.value.text();
    if (fact.path == fmt::format("{}.keys.{}.is", row, key) && fact.value.text()) return *fact.value.text();
  }
  return "";
}

bool BindingFile::binds(const std::string& row, std::string_view field) const {
  return std::any_of(facts_.begin(), facts_.end(), [&](const Fact& fact) {
    return fact.path.starts_with(row + ".") && fact.value.text() && canonical_field(*fact.value.text()) == field &&
           !fact.path.ends_with(".name");
  });
}

bool BindingFile::counts_ranks() const {
  const auto launcher = derive_.find("launcher");
  return launcher != derive_.end() &&
         std::any_of(launcher->second.begin(), launcher->second.end(), [](const auto& derived) { return derived.first == "world_size"; });
}

bool BindingFile::covers(const BindingFile& other) const {
  return name_ == other.name_ || std::any_of(types_.begin(), types_.end(), [&](const std::string& type) {
           return std::find(other.types_.begin(), other.types_.end(), type) != other.types_.end();
         });
}

// ---- the law

namespace {

class FieldNames : public Names {
 public:
  std::optional<Name> field(std::string_view name) const override {
    const auto field = field_named(canonical_field(name));
    return field ? std::optional(Name{slot(*field), fields()[slot(*field)].types, false}) : std::nullopt;
  }
  std::optional<Name> key(std::string_view) const override { return std::nullopt; }
  bool has_table(std::string_view, std::string_view, std::size_t) const override { return false; }
  bool has_form(std::string_view) const override { return false; }
  std::string nearest(std::string_view name) const override {
    std::vector<std::string_view> names;
    for (const FieldInfo& field : fields()) names.push_back(field.name);
    const auto near = shardlint::nearest(name, names, 1);
    return near.empty() ? "" : std::string(near[0]);
  }
};

// `a * b / c` with division that leaves nothing: exact(a * b, c). Also the quotients, for what is said of a remainder.
class Derivation {
 public:
  explicit Derivation(std::string_view text) : text_(text) {}
  std::string out;
  std::vector<std::pair<std::string, std::string>> quotients;
  bool read() {
    out = sum();
    skip();
    return ok_ && at_ == text_.size();
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string sum() {
    std::string left = product();
    while (ok_) {
      if (take('+'))
        left = fmt::format("({} + {})", left, product());
      else if (take('-'))
        left = fmt::format("({} - {})", left, product());
      else
        break;
    }
    return left;
  }
  std::string product() {
    std::string left = atom();
    while (ok_) {
      if (take('*')) {
        left = fmt::format("{} * {}", left, atom());
      } else if (take('/')) {
        const std::string right = atom();
        quotients.emplace_back(left, right);
        left = fmt::format("exact({}, {})", left, right);
      } else {
        break;
      }
    }
    return left;
  }
  std::string atom() {
    skip();
    if (++depth_ > 64) return ok_ = false, "";
    if (take('(')) {
      std::string inner = sum();
      ok_ &= take(')');
      --depth_;
      return fmt::format("({})", inner);
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.')) ++at_;
    ok_ &= at_ > begin;
    --depth_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    const std::string_view field = canonical_field(word);
    return std::string(field.empty() ? word : field);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool ok_ = true;
};

struct Law {
  std::string name, family, when, require, says, effect, same_as;
  std::vector<std::string> blame, rather_change;
  Severity severity = Severity::Error;
};

class Maker {
 public:
  Maker(std::string name, std::string title) : data_(out_->data) {
    const Schema& plan = *schema_named("plan");
    Schema& schema = data_.schema;
    schema.name = schema.framework = keep(std::move(name)), schema.title = keep(std::move(title));
    schema.required = false;
    data_.pool.nodes.assign(plan.nodes.begin(), plan.nodes.end());
    for (const Const& constant : plan.constants) data_.pool.constants.push_back(constant.value());
    data_.tables.assign(plan.tables.begin(), plan.tables.end());
    data_.field_alias.assign(kFieldCount, kNoSlot);
    data_.field_expr.assign(kFieldCount, kNoExpr);
    data_.field_derivation.assign(plan.field_derivation.begin(), plan.field_derivation.end());
    // What nobody binds is unknown, not off: a member for it may be anywhere. Degrees alone are one unless somebody says otherwise.
    for (Slot slot = 0; slot < kFieldCount; ++slot)
      if (const std::string_view text = fields()[slot].derivation; text == "false" || text == "null")
        data_.field_derivation[slot] = kNoExpr;
    FormSpec& form = data_.forms.emplace_back();
    form.name = "code", form.unknown_key = Policy::Ignore, form.wrong_type = Policy::Ignore;
  }

  ExprId expression(const std::string& text, TypeSet wanted, std::vector<Slot>* reads = nullptr) {
    ExprError error;
    const auto compiled = compile(text, FieldNames(), data_.pool, wanted, error);
    if (!compiled) {
      error_ = error.message;
      return kNoExpr;
    }
    if (reads) reads->insert(reads->end(), compiled->slots.begin(), compiled->slots.end());
    return compiled->id;
  }
  const std::string& error() const { return error_; }

  void fix(std::string_view field, const std::string& expression_text) {
    data_.field_expr[slot(*field_named(field))] = expression(expression_text, type::Any);
  }
  void derive(std::string_view field, const std::string& expression_text) {
    data_.field_derivation[slot(*field_named(field))] = expression_text.empty() ? kNoExpr : expression(expression_text, type::Any);
  }
  void rule(std::string_view rule, std::string_view level) { data_.rules.push_back({rule, level}); }

  void add(const Law& law) {
    Clause clause;
    clause.name = keep(fmt::format("{}/{}", data_.schema.name, law.name));
    clause.family = keep(law.family), clause.severity = law.severity, clause.same_as = keep(law.same_as);
    std::vector<Slot> reads;
    if (!law.when.empty()) clause.when = expression(law.when, type::Bool, &reads);
    clause.require = expression(law.require, type::Bool, &reads);
    if (clause.require == kNoExpr || (!law.when.empty() && clause.when == kNoExpr)) return;
    clause.reads = data_.slot_lists.emplace_back(std::move(reads));
    clause.says = message(law.says), clause.effect = message(law.effect);
    clause.blame = slots(law.blame), clause.rather_change = slots(law.rather_change);
    data_.law.push_back(clause);
  }

  std::shared_ptr<const BoundFramework> finish() {
    for (const Value& value : data_.pool.constants) {
      Const constant{value.kind(), 0, 0, {}};
      if (value.integer()) constant.integer = *value.integer();
      if (value.boolean()) constant.integer = *value.boolean();
      if (value.real()) constant.real = *value.real();
      if (value.text()) constant.text = keep(*value.text());
      data_.constants.push_back(constant);
    }
    Schema& schema = data_.schema;
    schema.forms = data_.forms, schema.tables = data_.tables, schema.rules = data_.rules;
    schema.field_alias = data_.field_alias, schema.field_expr = data_.field_expr, schema.field_derivation = data_.field_derivation;
    schema.law = data_.law, schema.nodes = data_.pool.nodes, schema.constants = data_.constants;
    return out_;
  }

 private:
  std::string_view keep(std::string text) { return data_.strings.emplace_back(std::move(text)); }
  std::span<const Slot> slots(const std::vector<std::string>& names) {
    std::vector<Slot> out;
    for (const std::string& name : names)
      if (const auto field = field_named(canonical_field(name)); field && std::find(out.begin(), out.end(), slot(*field)) == out.end())
        out.push_back(slot(*field));
    return data_.slot_lists.emplace_back(std::move(out));
  }
  std::span<const Segment> message(const std::string& text) {
    std::vector<Segment> out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t open = text.find('{', at), close = open == std::string::npos ? open : text.find('}', open);
      Segment segment;
      segment.text = keep(text.substr(at, open == std::string::npos ? open : open - at));
      if (close == std::string::npos) {
        out.push_back(segment);
        break;
      }
      segment.expr = expression(text.substr(open + 1, close - open - 1), type::Any);
      out.push_back(segment);
      at = close + 1;
    }
    return data_.segment_lists.emplace_back(std::move(out));
  }

  std::shared_ptr<BoundFramework> out_ = std::make_shared<BoundFramework>();
  SchemaData& data_;
  std::string error_;
};

// The law for plans that somebody's own code builds, whatever the code: what rules/ says too, but where the other numbers are not in sight.
void common_law(Maker& maker) {
  maker.add({"global-batch-not-divisible",
             "batch",
             "not known(dp) and micro_batch > 0 and global_batch > 0",
             "divides(micro_batch, global_batch)",
             "{plural(global_batch, \"sequence\")} are no whole number of micro-batches of {micro_batch}",
             "whatever the number of replicas, the last round is short",
             "",
             {"global_batch", "micro_batch"},
             {"global_batch", "micro_batch"}});
  maker.add({"step-tokens-not-divisible",
             "batch",
             "global_batch_tokens > 0 and micro_batch > 0 and seq_length > 0 and not known(dp)",
             "divides(micro_batch * seq_length, global_batch_tokens)",
             "{plural(global_batch_tokens, \"token\")} a step are no multiple of the {micro_batch * seq_length} of one micro-batch: "
             "{plural(micro_batch, \"sequence\")} of {seq_length}",
             "no number of replicas makes it come out even",
             "",
             {"global_batch_tokens", "micro_batch", "seq_length"},
             {"global_batch_tokens"}});
  maker.add({"step-tokens-not-divisible-by-replicas",
             "batch",
             "global_batch_tokens > 0 and micro_batch > 0 and seq_length > 0 and dp > 0",
             "divides(micro_batch * seq_length * dp, global_batch_tokens)",
             "{plural(global_batch_tokens, \"token\")} a step are no multiple of the {micro_batch * seq_length * dp} that "
             "{plural(dp, \"replica\")} take at once: {plural(micro_batch, \"sequence\")} of {seq_length} each",
             "the last round is short",
             "batch/global-batch-not-divisible",
             {"global_batch_tokens", "micro_batch", "seq_length", "dp"},
             {"global_batch_tokens"}});
  maker.add({"heads-not-divisible-by-kv-heads",
             "shapes",
             "heads > 0 and kv_groups > 0",
             "divides(kv_groups, heads)",
             "{plural(heads, \"attention head\")} cannot share {plural(kv_groups, \"key/value head\")}",
             "every key/value head serves as many heads as any other",
             "",
             {"heads", "kv_groups"},
             {"kv_groups", "heads"}});
  maker.add({"vocabulary-not-divisible-by-tp",
             "shapes",
             "vocab > 0 and tp > 1",
             "divides(tp, padded_vocab)",
             "{plural(padded_vocab, \"vocabulary entry\")} cannot be split over {plural(tp, \"tensor-parallel rank\")}",
             "the ranks' parts of the embedding would differ",
             "",
             {"vocab", "tp"},
             {"vocab", "tp"}});
}

const std::string* text_of(const Node& table, std::string_view key) {
  for (const Entry& entry : table.entries)
    if (entry.key == key && entry.value->value) return entry.value->value->text();
  return nullptr;
}

const Node* node_of(const Node& table, std::string_view key) {
  for (const Entry& entry : table.entries)
    if (entry.key == key) return entry.value;
  return nullptr;
}

std::string quoted(const Value& value) {
  if (!value.text()) return to_string(value);
  std::string out = "\"";
  for (char c : *value.text())
    if (c != '"' && c != '\\') out += c;
  return out + "\"";
}

}  // namespace

void BindingFile::Reader::expressions(const Node& root) {
  Maker maker(out.name_, out.title_);
  const Node* framework = node_of(root, "framework");
  const Entry* needs = framework && framework->kind == Node::Kind::Mapping ? document.find(*framework, "interleaved_needs") : nullptr;
  if (needs && needs->value->value && needs->value->value->text() && maker.expression(*needs->value->value->text(), type::Bool) == kNoExpr)
    mistake(needs->value_range, maker.error());
  for (const auto& [row, derived] : out.derive_)
    for (const auto& [field, text] : derived) {
      Derivation derivation(text);
      const Place at = out.place(fmt::format("{}.derive.{}", row, field));
      if (!derivation.read())
        mistake(at.range, fmt::format("{} is no derivation: names of fields with + - * / between them", text));
      else if (maker.expression(derivation.out, type::Any) == kNoExpr)
        mistake(at.range, maker.error());
    }
}

std::shared_ptr<const BoundFramework> BindingFile::framework(const std::string& row) const {
  const std::lock_guard lock(making_);
  if (const auto known = frameworks_.find(row); known != frameworks_.end()) return known->second;
  Maker maker(name_, title_);
  static const Node kEmpty;
  const Node* root = document_->roots.empty() ? &kEmpty : document_->roots[0];
  const Node* framework = node_of(*root, "framework") ? node_of(*root, "framework") : &kEmpty;

  std::vector<std::string> order;
  if (const Node* list = node_of(*framework, "rank_order"))
    for (const Item& item : list->items) order.push_back(item.value->text);
  if (!order.empty()) {
    maker.fix("rank_order", quoted(fmt::format("{}", fmt::join(order, "-"))));
    const auto at = [&](std::string_view axis) { return std::find(order.begin(), order.end(), axis) - order.begin(); };
    if (at("cp") < at("tp"))
      maker.add({"tensor-group-leaves-nvlink-domain",
                 "topology",
                 "tp > 1 and cp > 1 and nvlink_domain > 0",
                 "tp * cp <= nvlink_domain and divides(tp * cp, nvlink_domain)",
                 "a tensor-parallel group of {tp} reaches over {tp * cp} GPUs, because CP {cp} varies faster, and {nvlink_domain} are "
                 "joined by NVLink",
                 "every layer's sums cross the network",
                 "topology/tensor-group-leaves-nvlink-domain",
                 {"tp", "cp", "nvlink_domain", "gpus_per_node"},
                 {"tp", "cp"},
                 Severity::Warning});
  }
  const std::string* uneven = text_of(*framework, "uneven_stages");
  if (uneven && *uneven == "allowed") maker.fix("splits_unevenly", "true");
  if (uneven && *uneven == "refused") maker.fix("splits_unevenly", "false");
  if (!uneven || *uneven != "refused") maker.rule("stages/layers-not-divisible-by-stages", "off");
  if (const std::string* few = text_of(*framework, "kv_groups_below_tp"))
    maker.fix("kv_heads_replicated", *few == "replicated" ? "true" : "false");
  if (const std::string* schedule = text_of(*framework, "schedule")) maker.derive("schedule", quoted(*schedule));

  common_law(maker);
  // What overlaps with what, and what is merely slow, the framework's own people know better than a rule that was not made for it.
  for (const Rule* rule : all_rules())
    if (rule->info->family == "overlap") maker.rule(rule->info->name, "off");
  for (std::string_view name :
       {"batch/fewer-microbatches-than-stages", "schedule/interleaving-without-pipeline", "shapes/sequence-exceeds-positions",
        "topology/expert-group-leaves-nvlink-domain", "topology/expert-grid-does-not-divide-world", "moe/expert-parallel-without-experts"})
    maker.rule(name, "info");
  const std::string own = row.substr(0, std::min(row.find(']') == std::string::npos ? row.size() : row.find(']') + 1, row.size()));
  if (binds(own, "dp") && !binds(own, "tp")) {
    // How many ranks one replica takes is not said: whatever it is, the replicas share the world.
    maker.derive("tp", "");
    if (const auto derived = derive_.find(own); derived == derive_.end() || std::none_of(derived->second.begin(), derived->second.end(),
                                                                                         [](const auto& d) { return d.first == "tp"; }))
      maker.add({"replicas-do-not-divide-world",
                 "topology",
                 "not known(tp) and dp > 0 and world_size > 0",
                 "divides(dp, world_size)",
                 "{plural(world_size, \"GPU\")} cannot be split into {plural(dp, \"replica\")} of the same size",
                 "some would be left over",
                 "",
                 {"dp", "world_size"},
                 {"dp", "world_size"}});
  }

  if (const std::string* needs = text_of(*framework, "interleaved_needs")) {
    std::vector<Slot> reads;
    std::string numbers;
    std::vector<std::string> names;
    if (maker.expression(*needs, type::Bool, &reads) != kNoExpr) {
      for (Slot slot : reads)
        if (std::find(names.begin(), names.end(), fields()[slot].name) == names.end()) {
          names.emplace_back(fields()[slot].name);
          numbers += fmt::format("{}{} is {{{}}}", numbers.empty() ? "" : ", ", fields()[slot].name, fields()[slot].name);
        }
      maker.add({"interleaving-needs", "schedule", "schedule == \"interleaved\" and vpp > 1 and pp > 1", *needs,
                 fmt::format("interleaved stages need {}, and {}", *needs, numbers), "the interleaved schedule does not come out even",
                 "schedule/microbatches-not-divisible-by-pipeline", names, names});
    }
  }
  maker.rule("schedule/microbatches-not-divisible-by-pipeline", "off");

  if (const Node* overlap = node_of(*framework, "overlap"))
    for (const Entry& flag : overlap->entries) {
      const Node* needs = flag.value->kind == Node::Kind::Mapping ? node_of(*flag.value, "needs") : nullptr;
      if (!needs) continue;
      for (const Entry& need : needs->entries) {
        std::string list, words;
        const auto add = [&](const Node& node) {
          const Value value = node.value.value_or(Value(node.text));
          list += (list.empty() ? "" : ", ") + quoted(value);
          words += (words.empty() ? "" : " or ") + to_string(value);
        };
        if (need.value->kind == Node::Kind::Sequence)
          for (const Item& item : need.value->items) add(*item.value);
        else
          add(*need.value);
        const std::string_view on = canonical_field(flag.key), wanted = canonical_field(need.key);
        if (on.empty() || wanted.empty()) continue;
        std::string name = fmt::format("{}-needs-{}", on, wanted);
        for (char& c : name)
          if (c == '.' || c == '_') c = '-';
        const std::string says = words == "true" ? fmt::format("{} needs {}, and that is off", on, wanted)
                                                 : fmt::format("{} needs {} {}, and it is {{{}}}", on, wanted, words, wanted);
        const std::string same = on == "overlap.p2p" ? "overlap/p2p-without-interleaving"
                                 : on == "overlap.param_gather"
                                     ? "overlap/param-gather-without-distributed-optimizer overlap/param-gather-without-grad-reduce"
                                 : on == "overlap.tp_comm" ? "overlap/tp-comm-without-sequence-parallel"
                                                           : "";
        maker.add({name,
                   "overlap",
                   std::string(on),
                   fmt::format("{} in [{}]", wanted, list),
                   says,
                   "there is nothing that it could overlap with",
                   same,
                   {std::string(on), std::string(wanted)},
                   {std::string(wanted), std::string(on)}});
      }
    }

  std::vector<std::pair<std::string, std::string>> derived;
  for (const std::string& from :
       {row.substr(0, row.find(']') == std::string::npos ? row.size() : row.find(']') + 1), std::string("launcher")}) {
    if (from == "launcher" && row.starts_with("type")) continue;
    if (const auto found = derive_.find(from); found != derive_.end())
      derived.insert(derived.end(), found->second.begin(), found->second.end());
  }
  for (const auto& [name, text] : derived) {
    Derivation derivation(text);
    const std::string_view field = canonical_field(name);
    if (field.empty() || !derivation.read()) continue;
    maker.fix(field, derivation.out);
    // What is counted from there is not counted back.
    if (text.find("processes") != std::string::npos)
      for (std::string_view counted : {"processes", "processes_per_node"}) maker.derive(counted, "");
    for (const auto& [whole, part] : derivation.quotients) {
      std::string title = fmt::format("{}-is-no-whole-number", field);
      std::replace(title.begin(), title.end(), '_', '-');
      std::vector<Slot> reads;
      maker.expression(part, type::Any, &reads), maker.expression(whole, type::Any, &reads);
      std::vector<std::string> names;
      for (Slot slot : reads) names.emplace_back(fields()[slot].name);
      maker.add({title, "topology", fmt::format("{} > 0", part), fmt::format("divides({}, {})", part, whole),
                 fmt::format("{} is {} / {}, and {{{}}} / {{{}}} is no whole number", field, whole, part, whole, part),
                 "some of them would be left over", "", names, names});
    }
  }
  // Steps that are counted in tokens.
  maker.fix(
      "grad_accum",
      "if(known(global_batch_tokens), exact(global_batch_tokens, micro_batch * seq_length * dp), exact(global_batch, micro_batch * dp))");
  return frameworks_[row] = maker.finish();
}

const std::vector<BindingPtr>& built_in_bindings() {
  static const std::vector<BindingPtr> all = [] {
    std::vector<BindingPtr> out;
    for (const auto& [path, title, text] : builtin_bindings())
      out.push_back(
          std::make_shared<const BindingFile>(std::make_shared<const Source>(std::string(path), std::string(text)), std::string(title)));
    return out;
  }();
  return all;
}

}  // namespace shardlint
