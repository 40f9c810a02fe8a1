#include "checker/schema/load.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "checker/document/document.h"
#include "checker/document/readers.h"

namespace shardlint {

namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> out;
  if (text.empty()) return out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    out.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return out;
    begin = end + separator.size();
  }
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

class Loader {
 public:
  Loader(const std::string& folder, std::vector<std::string>& errors)
      : folder_(folder), errors_(errors), data_(std::make_unique<SchemaData>()) {}

  std::unique_ptr<SchemaData> run() {
    const DocumentPtr main = toml(folder_ + "/schema.toml");
    if (!main || main->roots.empty()) {
      if (errors_.empty()) errors_.push_back(folder_ + "/schema.toml:1: there is no schema here");
      return nullptr;
    }
    const Node& root = *main->roots[0];
    read_bases(*main, root);
    read_tables();
    header(*main, root);
    for (const Base& base : bases_) read_keys(base.folder, &base);
    read_keys(folder_, nullptr);
    index_keys();
    for (const Base& base : bases_) settings_of(*base.main, *base.main->roots[0], &base);
    settings_of(*main, root, nullptr);
    if (!errors_.empty()) return nullptr;
    for (const Base& base : bases_) name_slots(*base.main, *base.main->roots[0]);
    name_slots(*main, root);
    mapping(*main, root);
    defaults();
    attaches(*main, root);
    law();
    hold_in_forms();
    finish();
    return errors_.empty() ? std::move(data_) : nullptr;
  }

  // The same law, and behind it what somebody else asks for.
  std::unique_ptr<SchemaData> extend(const Schema& base, std::string_view owner, const std::vector<OwnConstraint>& constraints) {
    const auto copy = [](auto& to, const auto& from) { to.assign(from.begin(), from.end()); };
    SchemaData& data = *data_;
    data.schema = base;
    owner_ = owner;
    copy(data.lets, base.lets), copy(data.keys, base.keys), copy(data.forms, base.forms), copy(data.tables, base.tables);
    copy(data.plans, base.plans), copy(data.field_alias, base.field_alias), copy(data.law, base.law), copy(data.pool.nodes, base.nodes);
    for (const Const& constant : base.constants) data.pool.constants.push_back(constant.value());
    for (const OwnConstraint& own : constraints) data.law.push_back(clause(*own.document, *own.table, false, nullptr, ""));
    hold_in_forms();
    if (!errors_.empty()) return nullptr;
    constants();
    name_models();
    data.schema.law = data.law, data.schema.nodes = data.pool.nodes, data.schema.constants = data.constants;
    return std::move(data_);
  }

 private:
  // Another schema that this one is built on: its tables, keys, names, mapping, rules and law hold here too.
  struct Exception {
    std::vector<std::string_view> law;
    std::string_view when;
  };
  struct Base {
    std::string folder;
    DocumentPtr main;
    std::string_view name, below;              // the schema; the path below which its keys stand
    std::vector<std::string_view> without;     // patterns of its keys, rows and clauses that are left out
    std::vector<Exception> exceptions;         // where some of its clauses do not hold
    std::map<std::string, std::string> flags;  // flag -> how its setting is written as a key

    static bool listed(const std::vector<std::string_view>& patterns, std::string_view name) {
      return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view wanted) {
        return wanted.ends_with('*') ? name.starts_with(wanted.substr(0, wanted.size() - 1)) : name == wanted;
      });
    }
  };

  // ---- helpers over the document tree

  void error(const Document& document, Range range, std::string_view message) {
    errors_.push_back(fmt::format("{}:{}: {}", document.source->path(), document.source->position(range.begin).line, message));
  }
  std::string_view keep(std::string_view text) { return data_->strings.emplace_back(text); }
  std::span<const std::string_view> keep(std::vector<std::string_view> list) { return data_->string_lists.emplace_back(std::move(list)); }

  DocumentPtr toml(const std::string& path) {
    const auto source = std::make_shared<Source>(path, read_file(path));
    DocumentPtr document = read_document(source, Format::Toml);
    for (const Problem& problem : document->problems) error(*document, problem.range, problem.message);
    documents_.push_back(document);
    return document->problems.empty() ? document : nullptr;
  }

  std::string_view text(const Document& document, const Node& table, std::string_view key, std::string_view otherwise = "") {
    const Entry* entry = document.find(table, key);
    return entry ? keep(entry->value->text) : otherwise;
  }
  std::vector<std::string_view> texts(const Document& document, const Node& table, std::string_view key) {
    std::vector<std::string_view> out;
    if (const Entry* entry = document.find(table, key)) {
      if (entry->value->kind != Node::Kind::Sequence) error(document, entry->key_range, fmt::format("{} must be a list", key));
      for (const Item& item : entry->value->items) out.push_back(keep(item.value->text));
    }
    return out;
  }
  void only(const Document& document, const Node& table, std::initializer_list<std::string_view> known) {
    for (const Entry& entry : table.entries)
      if (std::find(known.begin(), known.end(), entry.key) == known.end())
        error(document, entry.key_range, fmt::format("{} has no meaning here", entry.key));
  }
  static bool truth(const Document& document, const Node& table, std::string_view key, bool otherwise) {
    const Entry* entry = document.find(table, key);
    return entry && entry->value->value && entry->value->value->boolean() ? *entry->value->value->boolean() : otherwise;
  }
  static i64 integer(const Document& document, const Node& table, std::string_view key, i64 otherwise) {
    const Entry* entry = document.find(table, key);
    return entry && entry->value->value && entry->value->value->integer() ? *entry->value->value->integer() : otherwise;
  }
  Policy policy(const Document& document, const Node& root, std::string_view key, Policy otherwise) {
    const Entry* entry = document.find(root, key);
    if (!entry) return otherwise;
    const std::string& word = entry->value->text;
    if (word == "error") return Policy::Error;
    if (word == "warning") return Policy::Warning;
    if (word == "near") return Policy::Near;
    if (word != "ignore") error(document, entry->value_range, "error, warning, near or ignore");
    return Policy::Ignore;
  }
  Dialect dialect(const Document& document, const Node& table, Dialect otherwise) {
    const Entry* entry = document.find(table, "loader");
    if (!entry) return otherwise;
    if (const auto named = dialect_named(entry->value->text)) return *named;
    error(document, entry->value_range, fmt::format("no loader {}", entry->value->text));
    return otherwise;
  }

  // ---- bases

  void read_bases(const Document& document, const Node& root) {
    const Entry* bases = document.find(root, "built_on");
    if (!bases) return;
    for (const Item& item : bases->value->items) {
      const Node& table = *item.value;
      only(document, table, {"schema", "below", "without", "except"});
      Base base;
      base.name = text(document, table, "schema"), base.below = text(document, table, "below");
      base.folder = (std::filesystem::path(folder_).parent_path() / base.name).string();
      base.without = texts(document, table, "without");
      if (const Entry* exceptions = document.find(table, "except"))
        for (const Item& one : exceptions->value->items) {
          only(document, *one.value, {"law", "when"});
          base.exceptions.push_back({texts(document, *one.value, "law"), text(document, *one.value, "when", "true")});
        }
      base.main = toml(base.folder + "/schema.toml");
      if (!base.main || base.main->roots.empty())
        error(document, table.range, fmt::format("no schema {}", base.name));
      else
        bases_.push_back(std::move(base));
    }
  }

  // What the base says of its flags, said of keys: --bf16 is bf16, --no-bias-gelu-fusion is bias_gelu_fusion: false.
  static std::string as_keys(std::string_view text, const Base* base) {
    if (!base || base->flags.empty()) return std::string(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      if (text.compare(at, 2, "--") == 0)
        while (end < text.size() && (text[end] == '-' || (text[end] >= 'a' && text[end] <= 'z') || (text[end] >= '0' && text[end] <= '9')))
          ++end;
      const auto flag = base->flags.find(std::string(text.substr(at, end - at)));
      if (end == at || flag == base->flags.end())
        out += text[at++];
      else
        out += flag->second, at = end;
    }
    return out;
  }

  // ---- schema.toml

  Recognise recognise(const Document& document, const Node& table) {
    Recognise out;
    if (const Entry* entry = document.find(table, "recognise")) {
      only(document, *entry->value, {"keys", "never", "needs", "must"});
      out.keys = keep(texts(document, *entry->value, "keys"));
      out.never = keep(texts(document, *entry->value, "never"));
      out.must = keep(texts(document, *entry->value, "must"));
      out.needs = static_cast<std::uint16_t>(integer(document, *entry->value, "needs", 1));
    }
    return out;
  }

  Composition composition(const Document& document, const Node& root) {
    static constexpr std::pair<std::string_view, Layering> kStyles[] = {{"none", Layering::None},     {"omegaconf", Layering::OmegaConf},
                                                                        {"hydra", Layering::Hydra},   {"nemo-rl", Layering::Inherit},
                                                                        {"primus", Layering::Primus}, {"base-config", Layering::Base}};
    Composition out;
    const Entry* entry = document.find(root, "composition");
    if (!entry) return out;
    const Node& table = *entry->value;
    only(document, table, {"style", "search", "resolvers", "builtin", "eager", "base_in_code", "whole"});
    const std::string_view style = text(document, table, "style", "none");
    const auto found = std::find_if(std::begin(kStyles), std::end(kStyles), [&](const auto& s) { return s.first == style; });
    if (found == std::end(kStyles))
      error(document, entry->key_range, fmt::format("no style {}", style));
    else
      out.style = found->second;
    out.search = keep(texts(document, table, "search"));
    out.resolvers = keep(texts(document, table, "resolvers"));
    out.builtin = keep(texts(document, table, "builtin"));
    out.eager = truth(document, table, "eager", false);
    out.base_in_code = truth(document, table, "base_in_code", false);
    out.whole = keep(texts(document, table, "whole"));
    return out;
  }

  LaunchSpec launch(const Document& document, const Node& root) {
    static constexpr std::pair<std::string_view, LaunchWords> kWords[] = {
        {"flags", LaunchWords::Flags}, {"names", LaunchWords::Names}, {"pairs", LaunchWords::Pairs}};
    LaunchSpec out;
    const Entry* entry = document.find(root, "launch");
    if (!entry) return out;
    const Node& table = *entry->value;
    only(document, table, {"words", "form", "file", "config"});
    const std::string_view words = text(document, table, "words");
    const auto found = std::find_if(std::begin(kWords), std::end(kWords), [&](const auto& one) { return one.first == words; });
    if (found == std::end(kWords))
      error(document, entry->key_range, fmt::format("no words {}", words));
    else
      out.words = found->second;
    out.form = text(document, table, "form");
    out.file = text(document, table, "file");
    out.config = text(document, table, "config");
    return out;
  }

  void header(const Document& document, const Node& root) {
    only(document, root, {"name",      "title",       "versions",    "source",        "formats",
                          "loader",    "unknown_key", "wrong_type",  "duplicate_key", "duplicate_across_files",
                          "dashes",    "required",    "open_when",   "framework",     "built_on",
                          "base",      "recognise",   "composition", "form",          "coerce",
                          "null_word", "section",     "filled",      "attach",        "let",
                          "plan",      "union",       "rules",       "minimal",       "launch"});
    Schema& schema = data_->schema;
    schema.filled = text(document, root, "filled");
    schema.name = text(document, root, "name");
    schema.framework = text(document, root, "framework", schema.name);
    schema.title = text(document, root, "title", schema.name);
    schema.source = text(document, root, "source");
    schema.versions = keep(texts(document, root, "versions"));
    for (std::string_view format : texts(document, root, "formats")) {
      if (format == "toml")
        data_->formats.push_back(Format::Toml);
      else if (format == "yaml")
        data_->formats.push_back(Format::Yaml);
      else if (format == "json")
        data_->formats.push_back(Format::Json);
      else
        error(document, root.range, fmt::format("no format {}", format));
    }
    schema.loader = dialect(document, root, Dialect::PyYaml);
    schema.unknown_key = policy(document, root, "unknown_key", Policy::Error);
    schema.wrong_type = policy(document, root, "wrong_type", Policy::Error);
    schema.duplicate_key = policy(document, root, "duplicate_key", Policy::Warning);
    schema.required = truth(document, root, "required", true);
    schema.dashes = truth(document, root, "dashes", false);
    schema.null_word = text(document, root, "null_word");
    if (const Entry* coerce = document.find(root, "coerce")) {
      const std::string& word = coerce->value->text;
      if (word != "pydantic" && word != "python") error(document, coerce->value_range, fmt::format("no coercion {}", word));
      schema.coerce = word == "python" ? Coercion::Python : Coercion::Pydantic;
    }
    schema.duplicate_across_files = policy(document, root, "duplicate_across_files", Policy::Ignore);
    schema.composition = composition(document, root);
    schema.launch = launch(document, root);
    const Entry* forms = document.find(root, "form");
    if (forms && document.find(root, "recognise"))
      error(document, document.find(root, "recognise")->key_range, "with [[form]] every form says itself how it is recognised");
    if (forms)
      for (const Item& item : forms->value->items) {
        const Node& table = *item.value;
        only(document, table,
             {"name", "root", "env", "keys", "nulls", "complete", "unknown_key", "wrong_type", "duplicate_key", "loader", "sections",
              "under", "since", "until", "law", "recognise", "env_adds", "part", "folders"});
        FormSpec& form = data_->forms.emplace_back();
        form.name = text(document, table, "name"), form.root = text(document, table, "root"), form.env = text(document, table, "env");
        form.flags = text(document, table, "keys", "names") == "flags";
        form.nulls = truth(document, table, "nulls", false), form.complete = truth(document, table, "complete", false);
        form.unknown_key = policy(document, table, "unknown_key", schema.unknown_key),
        form.wrong_type = policy(document, table, "wrong_type", schema.wrong_type);
        form.duplicate_key = policy(document, table, "duplicate_key", schema.duplicate_key);
        form.under = text(document, table, "under"), form.since = text(document, table, "since"),
        form.until = text(document, table, "until");
        form.loader = dialect(document, table, schema.loader);
        form.sections = keep(texts(document, table, "sections")), form.law = keep(texts(document, table, "law"));
        form.recognise = recognise(document, table);
        form.env_adds = truth(document, table, "env_adds", false), form.part = truth(document, table, "part", false);
        form.folders = keep(texts(document, table, "folders"));
      }
    else {
      FormSpec& form = data_->forms.emplace_back();
      form.name = "file", form.unknown_key = schema.unknown_key, form.wrong_type = schema.wrong_type, form.loader = schema.loader;
      form.duplicate_key = schema.duplicate_key;
      form.recognise = recognise(document, root);
    }
    if (const Entry* sections = document.find(root, "section"))
      for (const Item& item : sections->value->items) {
        only(document, *item.value, {"at", "unknown_key", "wrong_type", "lax"});
        for (std::string_view at : texts(document, *item.value, "at"))
          data_->sections.push_back({at, policy(document, *item.value, "unknown_key", schema.unknown_key),
                                     policy(document, *item.value, "wrong_type", schema.wrong_type),
                                     truth(document, *item.value, "lax", false)});
      }
    if (const Entry* bases = document.find(root, "base"))
      for (const Item& item : bases->value->items) {
        only(document, *item.value, {"name", "set"});
        data_->bases.push_back({text(document, *item.value, "name"), keep(texts(document, *item.value, "set"))});
      }
  }

  // What a base and the schema itself both bring; the later word counts.
  void settings_of(const Document& document, const Node& root, const Base* base) {
    const auto path = [&](std::string_view key) {
      const std::string below = base ? fmt::format("{}.{}", base->below, key) : "";
      return keep(at_.contains(below) ? std::string_view(below) : key);
    };
    if (const Entry* unions = document.find(root, "union"))
      for (const Item& item : unions->value->items) {
        only(document, *item.value, {"at", "members", "fallback", "fallback_needs_null"});
        data_->unions.push_back({path(text(document, *item.value, "at")), keep(texts(document, *item.value, "members")),
                                 text(document, *item.value, "fallback"), keep(texts(document, *item.value, "fallback_needs_null"))});
      }
    if (const Entry* rules = document.find(root, "rules"))
      for (const Entry& entry : rules->value->entries) data_->rules.push_back({keep(entry.key), keep(entry.value->text)});
    if (const Entry* minimal = document.find(root, "minimal"))
      for (const Entry& entry : minimal->value->entries) {
        const std::string_view key = path(entry.key), raw = document.raw(entry.value_range);
        std::erase_if(data_->minimal, [&](const Assignment& earlier) { return earlier.key == key; });
        data_->minimal.push_back({key, raw == "\"null\"" ? "null" : keep(raw)});  // TOML has no null
      }
  }

  // ---- tables

  struct Tsv {
    std::string path;
    std::string_view text;
    std::vector<std::string_view> header;
    std::vector<std::pair<std::size_t, std::vector<std::string_view>>> rows;  // with the line
  };

  Tsv& tsv(const std::string& path) {
    Tsv& out = tsvs_.emplace_back();
    out.path = path;
    out.text = keep(read_file(path));
    std::size_t line = 0;
    for (std::string_view row : split(out.text, "\n")) {
      ++line;
      if (row.ends_with('\r')) row.remove_suffix(1);
      if (row.empty() || row.starts_with('#')) continue;
      std::vector<std::string_view> cells = split(row, "\t");
      if (out.header.empty()) {
        out.header = std::move(cells);
        continue;
      }
      if (cells.size() > out.header.size()) errors_.push_back(fmt::format("{}:{}: more cells than columns", path, line));
      cells.resize(out.header.size());
      out.rows.push_back({line, std::move(cells)});
    }
    return out;
  }

  void read_tables() {
    std::vector<std::string> paths;
    std::vector<std::filesystem::path> folders = {std::filesystem::path(folder_).parent_path(), std::filesystem::path(folder_)};
    for (const Base& base : bases_) folders.emplace_back(base.folder);
    for (const std::filesystem::path& folder : folders)
      for (const auto& file : std::filesystem::directory_iterator(folder))
        if (const std::string stem = file.path().stem().string();
            file.path().extension() == ".tsv" && stem != "keys" && stem != "examples" && !stem.starts_with("not-static"))
          paths.push_back(file.path().string());
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
      const Tsv& table = tsv(path);
      std::vector<std::string_view> cells;
      for (const auto& [line, row] : table.rows) cells.insert(cells.end(), row.begin(), row.end());
      data_->tables.push_back({keep(std::filesystem::path(path).stem().string()), keep(table.header), keep(std::move(cells))});
    }
  }

  // ---- keys.tsv

  std::optional<TypeSet> types(std::string_view text, TypeSet& items) {
    TypeSet out = 0;
    for (std::string_view word : split(text, "|")) {
      if (word == "int")
        out |= type::Int;
      else if (word == "float")
        out |= type::Real | type::Int;
      else if (word == "bool")
        out |= type::Bool;
      else if (word == "str" || word == "enum")
        out |= type::Str;
      else if (word == "dict")
        out |= type::Map;
      else if (word == "null")
        out |= type::Null;
      else if (word == "any")
        out |= type::Any;
      else if (word == "list")
        out |= type::List;
      else if (word.starts_with("list[") && word.ends_with("]")) {
        TypeSet unused = 0;
        const auto inner = types(word.substr(5, word.size() - 6), unused);
        if (!inner) return std::nullopt;
        items = *inner;
        out |= type::List;
      } else
        return std::nullopt;
    }
    return out;
  }

  void read_keys(const std::string& folder, const Base* base) {
    const std::string path = folder + "/keys.tsv";
    const Tsv& table = tsv(path);
    const auto column = [&](std::string_view name) {
      return static_cast<std::size_t>(std::find(table.header.begin(), table.header.end(), name) - table.header.begin());
    };
    const std::size_t key = column("key"), kind = column("type"), standard = column("default"), choices = column("choices"),
                      flags = column("flags"), in = column("in"), also = column("also"), since = column("since"), until = column("until"),
                      instead = column("instead"), state = column("state"), note = column("note");
    if (key == table.header.size() || kind == table.header.size()) return errors_.push_back(path + ":1: columns key and type are needed");
    for (Base& own : bases_)
      for (const auto& [line, cells] : table.rows)
        for (std::string_view flag : split(&own == base && flags < cells.size() ? cells[flags] : std::string_view(), " ")) {
          const std::size_t equals = flag.find('=');
          const bool no = equals != std::string_view::npos && flag.substr(equals + 1) == "false";
          own.flags[std::string(flag.substr(0, equals))] = fmt::format("{}{}", cells[key], no ? ": false" : "");
        }
    std::set<std::string_view> here;
    const auto below = [&](std::string_view name) {
      return base && !base->below.empty() && !name.starts_with("env.") ? keep(fmt::format("{}.{}", base->below, name)) : keep(name);
    };
    for (const auto& [line, cells] : table.rows) {
      const auto& row = cells;
      const auto cell = [&](std::size_t c) { return c < row.size() ? row[c] : std::string_view(); };
      const auto wrong = [&, at = line](std::string_view what) { errors_.push_back(fmt::format("{}:{}: {}", path, at, what)); };
      if (base && Base::listed(base->without, cell(key))) continue;
      KeySpec spec;
      spec.path = below(cell(key));
      if (!here.insert(spec.path).second) wrong(fmt::format("{} stands twice", spec.path));
      // The row of a base gives way to the schema's own.
      const auto earlier = at_.find(spec.path);
      const std::size_t index = earlier == at_.end() ? data_->keys.size() : earlier->second;
      if (earlier != at_.end()) std::erase_if(default_texts_, [&](const Text& other) { return other.key == index; });
      at_[spec.path] = index;
      std::string_view words = cell(kind);
      if (words.ends_with('!')) spec.strict = true, words.remove_suffix(1);
      if (const auto set = types(words, spec.item_types))
        spec.types = *set;
      else
        wrong(fmt::format("no type {}", cell(kind)));
      constexpr std::string_view kRequiredIf = "<required if ";
      spec.required = cell(standard) == "<required>" || cell(standard).starts_with(kRequiredIf);
      if (std::string_view standing = cell(standard); standing.starts_with(kRequiredIf) && standing.ends_with('>')) {
        standing = standing.substr(kRequiredIf.size(), standing.size() - kRequiredIf.size() - 1);
        std::vector<std::string_view> siblings;
        for (std::string_view sibling : split(standing, " or ")) siblings.push_back(keep(sibling));
        spec.required_if = keep(std::move(siblings));
      }
      spec.has_default = !spec.required && !cell(standard).empty();
      if (spec.has_default) default_texts_.push_back({index, path, line, cell(standard)});
      std::string_view list = cell(choices);
      if (list.starts_with("i:")) spec.choices_any_case = true, list.remove_prefix(2);
      if (list.starts_with("~:")) spec.choices_offered = true, list.remove_prefix(2);
      if (list.starts_with("n:")) {
        list.remove_prefix(2);
        const std::size_t dots = list.find("..");
        const auto bound = [&](std::string_view digits, double otherwise) { return digits.empty() ? otherwise : real_of(digits); };
        if (dots == std::string_view::npos)
          wrong(fmt::format("no range {}", list));
        else
          spec.ranged = true, spec.least = bound(list.substr(0, dots), std::numeric_limits<double>::lowest()),
          spec.most = bound(list.substr(dots + 2), std::numeric_limits<double>::max());
        list = {};
      }
      std::vector<std::string_view> kept;
      for (std::string_view choice : split(list, "|")) kept.push_back(keep(choice));
      spec.choices = keep(std::move(kept));
      std::vector<std::string_view> members, spellings;
      for (std::string_view member : split(cell(in), "; ")) members.push_back(keep(member));
      spec.members = keep(std::move(members));
      for (std::string_view flag : split(cell(flags), " ")) {
        const std::size_t equals = flag.find('=');
        const std::string_view spelling = keep(flag.substr(0, equals));
        if (base) continue;
        spellings.push_back(spelling);
        data_->flags.push_back({spelling, static_cast<std::uint16_t>(index), kNoExpr});
        if (equals != std::string_view::npos) flag_texts_.push_back({spelling, line, flag.substr(equals + 1)});
      }
      spec.flags = keep(std::move(spellings));
      for (std::string_view place : split(cell(also), " ")) {
        const bool optional = place.ends_with('?');
        if (optional) place.remove_suffix(1);
        if (base) continue;
        const bool placed = std::any_of(data_->forms.begin(), data_->forms.end(), [&](const FormSpec& form) {
          return std::any_of(form.sections.begin(), form.sections.end(),
                             [&](std::string_view section) { return place.starts_with(std::string(section) + "."); });
        });
        if (!placed) wrong(fmt::format("{} stands in no section of a form", place));
        data_->places.push_back({keep(place), static_cast<std::uint16_t>(index), optional});
      }
      spec.since = keep(cell(since)), spec.until = keep(cell(until)), spec.note = keep(cell(note));
      const std::string_view other = cell(instead);
      spec.instead = other.empty() || other.starts_with('(') ? keep(as_keys(other, base)) : below(other);
      const std::string_view word = cell(state);
      if (word == "deprecated")
        spec.state = KeyState::Deprecated;
      else if (word == "renamed")
        spec.state = KeyState::Renamed;
      else if (word == "removed")
        spec.state = KeyState::Removed;
      else if (word == "ignored")
        spec.state = KeyState::Ignored;
      else if (!word.empty())
        wrong(fmt::format("no state {}", word));
      if (index == data_->keys.size())
        data_->keys.push_back(spec);
      else
        data_->keys[index] = spec;
    }
  }

  void index_keys() {
    const std::string path = folder_ + "/keys.tsv";
    for (KeySpec& spec : data_->keys) {
      std::string_view section = spec.path;
      while (spec.section < 0) {
        const std::size_t cut = std::max(section.rfind('.') + 1, section.rfind('[') + 1);
        if (cut == 0) break;
        section = section.substr(0, cut - 1);
        if (const auto found = at_.find(section); found != at_.end()) spec.section = static_cast<std::int32_t>(found->second);
      }
    }
    std::sort(data_->flags.begin(), data_->flags.end(), [](const FlagSpec& a, const FlagSpec& b) { return a.spelling < b.spelling; });
    std::sort(data_->places.begin(), data_->places.end(), [](const PlaceSpec& a, const PlaceSpec& b) { return a.path < b.path; });
    for (std::size_t i = 1; i < data_->places.size(); ++i)
      if (data_->places[i].path == data_->places[i - 1].path)
        errors_.push_back(fmt::format("{}: {} is the place of two keys", path, data_->places[i].path));
    data_->keys_by_path.resize(data_->keys.size());
    for (std::size_t i = 0; i < data_->keys.size(); ++i) data_->keys_by_path[i] = static_cast<std::uint16_t>(i);
    std::sort(data_->keys_by_path.begin(), data_->keys_by_path.end(),
              [&](std::uint16_t a, std::uint16_t b) { return data_->keys[a].path < data_->keys[b].path; });
    data_->key_table = table_of(data_->keys);
    for (std::uint16_t key = 0; key < data_->keys.size(); ++key)
      if (data_->keys[key].required || !data_->keys[key].required_if.empty()) data_->needed_keys.push_back(key);
  }

  // ---- names and expressions

  class SchemaNames : public Names {
   public:
    SchemaNames(const SchemaData& data, const std::vector<Base>& bases) : data_(data), bases_(bases) {}
    std::optional<Name> field(std::string_view name) const override {
      if (const auto field = field_named(name)) return Name{slot(*field), fields()[slot(*field)].types, false};
      for (std::size_t i = 0; i < data_.lets.size(); ++i)
        if (data_.lets[i].name == name) return Name{static_cast<Slot>(kFieldCount + i), type::Any, false};
      return std::nullopt;
    }
    // A base's key goes by the name that it has there too.
    std::optional<Name> key(std::string_view path) const override {
      for (const Base& base : bases_)
        if (!base.below.empty())
          if (const auto found = exact(fmt::format("{}.{}", base.below, path))) return found;
      return exact(path);
    }
    std::optional<Name> exact(std::string_view path) const {
      for (std::size_t i = 0; i < data_.keys.size(); ++i)
        if (const KeySpec& key = data_.keys[i]; key.path == path)
          // A key that is not written and has no default, or stands below an optional section, is null.
          return Name{static_cast<Slot>(kFieldCount + data_.lets.size() + i), static_cast<TypeSet>(key.types | type::Null), key.per_item()};
      return std::nullopt;
    }
    bool has_table(std::string_view table, std::string_view column, std::size_t keys) const override {
      for (const TableSpec& spec : data_.tables)
        if (spec.name == table && keys < spec.columns.size())
          return std::find(spec.columns.begin() + static_cast<std::ptrdiff_t>(keys), spec.columns.end(), column) != spec.columns.end();
      return false;
    }
    bool has_form(std::string_view name) const override {
      return !bases_.empty() ||
             std::any_of(data_.forms.begin(), data_.forms.end(), [&](const FormSpec& form) { return form.name == name; });
    }
    std::string nearest(std::string_view name) const override {
      std::vector<std::string_view> all;
      for (const FieldInfo& field : fields()) all.push_back(field.name);
      for (const LetSpec& let : data_.lets) all.push_back(let.name);
      for (const KeySpec& key : data_.keys) all.push_back(key.path);
      const auto near = shardlint::nearest(name, all, 1);
      return near.empty() ? "" : std::string(near[0]);
    }

   private:
    const SchemaData& data_;
    const std::vector<Base>& bases_;
  };

  std::optional<Compiled> expression(std::string_view where, std::string_view text, TypeSet wanted) {
    ExprError problem;
    auto compiled = compile(text, SchemaNames(*data_, bases_), data_->pool, wanted, problem);
    if (!compiled) errors_.push_back(fmt::format("{}: {}\n    {}\n    {:>{}}", where, problem.message, text, "^", problem.column + 1));
    return compiled;
  }
  std::string where(const Document& document, Range range) const {
    return fmt::format("{}:{}", document.source->path(), document.source->position(range.begin).line);
  }
  ExprId expression(const Document& document, const Node& table, std::string_view key, TypeSet wanted, std::vector<Slot>* reads = nullptr) {
    const Entry* entry = document.find(table, key);
    if (!entry) return kNoExpr;
    const auto compiled = expression(where(document, entry->key_range), entry->value->text, wanted);
    if (!compiled) return kNoExpr;
    if (reads)
      for (Slot slot : compiled->slots)
        if (std::find(reads->begin(), reads->end(), slot) == reads->end()) reads->push_back(slot);
    return compiled->id;
  }

  // A field, a let's name or a 'key', which is written with or without its quotes when no field has the name.
  Slot slot_of(const Document& document, Range range, std::string_view name) {
    const SchemaNames names(*data_, bases_);
    std::optional<Name> found;
    if (name.size() > 2 && name.front() == '\'' && name.back() == '\'')
      found = names.key(name.substr(1, name.size() - 2));
    else if (!(found = names.field(name)))
      found = names.key(name);
    if (found) return found->slot;
    const std::string near = names.nearest(name);
    error(document, range, fmt::format("no field or key {}{}", name, near.empty() ? "" : "; did you mean " + near + "?"));
    return kNoSlot;
  }
  std::span<const Slot> slots(const Document& document, const Node& table, std::string_view key) {
    std::vector<Slot> out;
    if (const Entry* entry = document.find(table, key))
      for (const Item& item : entry->value->items) out.push_back(slot_of(document, item.value_range, item.value->text));
    return data_->slot_lists.emplace_back(std::move(out));
  }

  void name_slots(const Document& document, const Node& root) {
    if (const Entry* lets = document.find(root, "let"))
      for (const Entry& entry : lets->value->entries)
        if (!let_named(entry.key)) data_->lets.push_back({keep(entry.key), kNoExpr});
  }
  LetSpec* let_named(std::string_view name) {
    const auto found = std::find_if(data_->lets.begin(), data_->lets.end(), [&](const LetSpec& let) { return let.name == name; });
    return found == data_->lets.end() ? nullptr : &*found;
  }

  void mapping(const Document& document, const Node& root) {
    const auto lets_of = [&](const Document& file, const Node& top) {
      if (const Entry* lets = file.find(top, "let"))
        for (const Entry& entry : lets->value->entries)
          if (const auto compiled = expression(where(file, entry.key_range), entry.value->text, type::Any))
            let_named(entry.key)->expr = compiled->id;
    };
    for (const Base& base : bases_) lets_of(*base.main, *base.main->roots[0]);
    lets_of(document, root);
    for (const FieldInfo& field : fields()) {
      const auto compiled =
          field.derivation.empty() ? std::nullopt : expression(fmt::format("fields.def: {}", field.name), field.derivation, type::Any);
      data_->field_derivation.push_back(compiled ? compiled->id : kNoExpr);
    }
    const Entry* plan = document.find(root, "plan");
    if (!plan) return error(document, root.range, "[plan] is missing");
    const bool several = plan->value->kind == Node::Kind::Sequence;
    for (std::size_t i = 0; i < (several ? plan->value->items.size() : 1); ++i) {
      const Node& table = several ? *plan->value->items[i].value : *plan->value;
      add_plan(document, table, several);
      if (i == 0)
        for (const Base& base : bases_)
          if (const Entry* mapped = base.main->find(*base.main->roots[0], "plan"))
            for (const Entry& entry : mapped->value->entries) map_field(*base.main, entry, entry.key);
      for (const Entry& entry : table.entries)
        if (!several || (entry.key != "name" && entry.key != "when" && entry.key != "like")) map_field(document, entry, entry.key);
    }
    data_->schema.open_when = expression(document, root, "open_when", type::Bool);
  }

  // A plan that is like an earlier one begins with its mapping.
  void add_plan(const Document& document, const Node& table, bool named) {
    std::size_t from = data_->plans.size();
    if (const Entry* like = document.find(table, "like"); like && named) {
      for (from = 0; from < data_->plans.size() && data_->plans[from].name != like->value->text;) ++from;
      if (from == data_->plans.size()) error(document, like->value_range, fmt::format("no plan {} before this one", like->value->text));
    }
    for (Slot field = 0; field < kFieldCount; ++field) {
      const std::size_t source = from * kFieldCount + field;
      const bool copied = from < data_->plans.size();
      const Slot alias = copied ? data_->field_alias[source] : kNoSlot;
      const ExprId expr = copied ? data_->field_expr[source] : kNoExpr;
      data_->field_alias.push_back(alias), data_->field_expr.push_back(expr);
    }
    if (!named) return;
    PlanSpec& spec = data_->plans.emplace_back();
    spec.name = text(document, table, "name");
    if (spec.name.empty()) error(document, table.range, "one of several plans needs a name");
    spec.when = expression(document, table, "when", type::Bool);
    if (spec.when != kNoExpr && data_->plans.size() == 1) error(document, table.range, "the first plan is always there");
    if (data_->plans.size() > 16) error(document, table.range, "a run holds 16 plans at most");
  }

  // [plan] keys with dots (overlap.p2p) may be written as nested TOML tables too.
  void map_field(const Document& document, const Entry& entry, const std::string& name) {
    if (entry.value->kind == Node::Kind::Mapping) {
      for (const Entry& inner : entry.value->entries) map_field(document, inner, name + "." + inner.key);
      return;
    }
    const auto field = field_named(name);
    if (!field) return error(document, entry.key_range, fmt::format("no field {}", name));
    const auto compiled = expression(where(document, entry.key_range), entry.value->text, fields()[slot(*field)].types);
    if (!compiled) return;
    const ExprNode& node = data_->pool.nodes[compiled->id];
    const std::size_t keys_from = kFieldCount + data_->lets.size();
    Slot& alias = data_->field_alias[data_->field_alias.size() - kFieldCount + slot(*field)];  // of the last plan
    ExprId& expr = data_->field_expr[data_->field_expr.size() - kFieldCount + slot(*field)];
    if (node.op == Op::Read && node.slot >= keys_from)
      alias = node.slot, expr = kNoExpr;
    else
      expr = compiled->id, alias = kNoSlot;
  }

  void defaults() {
    for (const auto& [key, path, line, text] : default_texts_) {
      std::vector<ExprId> ids;
      const bool several = data_->keys[key].members.size() > 1 && text.find(" / ") != std::string_view::npos;
      for (std::string_view one : several ? split(text, " / ") : std::vector{text}) {
        if (one == "{}" || one == "<required>") one = "null";
        if (const auto compiled = expression(fmt::format("{}:{}", path, line), one, type::Any)) ids.push_back(compiled->id);
      }
      data_->keys[key].defaults = data_->expr_lists.emplace_back(std::move(ids));
    }
    const std::string path = folder_ + "/keys.tsv";
    for (const auto& [spelling, line, text] : flag_texts_)
      if (const auto compiled = expression(fmt::format("{}:{}", path, line), text, type::Any))
        std::find_if(data_->flags.begin(), data_->flags.end(), [&, wanted = spelling](const FlagSpec& flag) {
          return flag.spelling == wanted;
        })->constant = compiled->id;
  }

  // ---- files of other frameworks

  void attaches(const Document& document, const Node& root) {
    const Entry* list = document.find(root, "attach");
    if (!list) return;
    for (const Item& item : list->value->items) {
      const Node& table = *item.value;
      only(document, table, {"key", "when", "schema", "needs", "takes", "says", "fills"});
      AttachSpec spec;
      const Entry* key = document.find(table, "key");
      if (!key || !document.find(table, "schema"))
        error(document, table.range, "an attachment needs key and schema");
      else
        spec.key = slot_of(document, key->value_range, key->value->text);
      spec.when = expression(document, table, "when", type::Bool);
      spec.schema = text(document, table, "schema");
      const Tsv& keys = tsv((std::filesystem::path(folder_).parent_path() / spec.schema / "keys.tsv").string());
      std::set<std::string_view> known;
      for (const auto& [line, cells] : keys.rows) known.insert(cells[0]);
      const auto check = [&](Range range, std::string_view path) {
        if (!known.contains(path)) error(document, range, fmt::format("{} has no key {}", spec.schema, path));
      };
      std::vector<std::string_view> needs = texts(document, table, "needs");
      for (std::string_view path : needs) check(table.range, path);
      spec.needs = keep(std::move(needs));
      spec.takes = slots(document, table, "takes");
      for (Slot taken : spec.takes)
        if (taken >= kFieldCount) error(document, table.range, "takes lists canonical fields");
      std::vector<std::string_view> paths;
      std::vector<ExprId> values;
      for (std::string_view name : {"says", "fills"}) {
        if (const Entry* pairs = document.find(table, name))
          for (const Entry& pair : pairs->value->entries) {
            check(pair.key_range, pair.key);
            const auto compiled = expression(where(document, pair.key_range), pair.value->text, type::Any);
            paths.push_back(keep(pair.key)), values.push_back(compiled ? compiled->id : kNoExpr);
          }
        if (name == "says") spec.insists = static_cast<std::uint16_t>(paths.size());
      }
      spec.paths = keep(std::move(paths));
      spec.values = data_->expr_lists.emplace_back(std::move(values));
      data_->attaches.push_back(spec);
    }
  }

  // ---- constraints

  std::span<const Segment> message(const Document& document, const Node& table, std::string_view key, const Base* base) {
    std::vector<Segment> out;
    const Entry* entry = document.find(table, key);
    std::string_view rest = entry ? keep(as_keys(entry->value->text, base)) : std::string_view();
    while (!rest.empty()) {
      const std::size_t open = rest.find('{');
      const std::size_t close = open == std::string_view::npos ? open : rest.find('}', open);
      if (open != std::string_view::npos && close == std::string_view::npos) error(document, entry->key_range, "a { is never closed");
      if (close == std::string_view::npos) {
        out.push_back({keep(rest), kNoExpr});
        break;
      }
      const auto compiled = expression(where(document, entry->key_range), rest.substr(open + 1, close - open - 1), type::Any);
      out.push_back({keep(rest.substr(0, open)), compiled ? compiled->id : kNoExpr});
      rest.remove_prefix(close + 1);
    }
    return data_->segment_lists.emplace_back(std::move(out));
  }

  void law() {
    std::vector<std::pair<const Base*, std::string>> paths;
    const auto files_of = [&](const std::string& folder, const Base* base) {
      const std::size_t before = paths.size();
      for (const auto& file : std::filesystem::directory_iterator(folder))
        if (const std::string stem = file.path().stem().string(); file.path().extension() == ".toml" && stem.starts_with("constraints"))
          paths.emplace_back(base, file.path().string());
      std::sort(paths.begin() + static_cast<std::ptrdiff_t>(before), paths.end());
    };
    for (const Base& base : bases_) files_of(base.folder, &base);
    files_of(folder_, nullptr);
    struct Placed {
      i64 order;
      std::string place;
      Clause clause;
    };
    std::vector<Placed> clauses;
    for (const auto& [base, path] : paths) {
      const DocumentPtr document = toml(path);
      if (!document || document->roots.empty()) continue;
      only(*document, *document->roots[0], {"constraint", "rewrite"});
      std::vector<std::pair<const Node*, bool>> tables;
      for (const Entry& entry : document->roots[0]->entries)
        for (const Item& item : entry.value->items) tables.push_back({item.value, entry.key == "rewrite"});
      std::sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) { return a.first->range.begin < b.first->range.begin; });
      for (const auto& [table, rewrite] : tables) {
        const auto in = [&, clause = table](const std::vector<std::string_view>& patterns) {
          const std::vector<std::string_view> rows = split(text(*document, *clause, "row"), " ");
          return Base::listed(patterns, text(*document, *clause, "name")) ||
                 std::any_of(rows.begin(), rows.end(), [&](std::string_view row) { return Base::listed(patterns, row); });
        };
        if (base && in(base->without)) continue;
        std::string unless;
        if (base)
          for (const Exception& exception : base->exceptions)
            if (in(exception.law)) unless += fmt::format("{}({})", unless.empty() ? "" : " or ", exception.when);
        clauses.push_back(
            {integer(*document, *table, "order", 100), where(*document, table->range), clause(*document, *table, rewrite, base, unless)});
      }
    }
    std::set<std::string_view> names;
    for (const Placed& placed : clauses)
      if (!names.insert(placed.clause.name).second)
        errors_.push_back(fmt::format("{}: the name {} stands twice", placed.place, placed.clause.name));
    std::stable_sort(clauses.begin(), clauses.end(), [](const Placed& a, const Placed& b) { return a.order < b.order; });
    for (const Placed& placed : clauses) data_->law.push_back(placed.clause);
  }

  Clause clause(const Document& document, const Node& table, bool rewrite, const Base* base, const std::string& unless) {
    if (rewrite)
      only(document, table,
           {"name", "row", "family", "plan", "when", "set", "to", "severity", "says", "effect", "why", "order", "since", "until", "source",
            "fires", "silent"});
    else
      only(document, table, {"name",   "row",   "family", "plan",          "when",       "require",   "severity", "says",
                             "effect", "why",   "blame",  "rather_change", "candidates", "spoils",    "same_as",  "order",
                             "since",  "until", "source", "fires",         "silent",     "framework", "preview"});
    if (owner_.empty())
      for (std::string_view theirs : {"framework", "preview"})
        if (const Entry* entry = document.find(table, theirs))
          error(document, entry->key_range, fmt::format("{} has no meaning here", theirs));
    Clause out;
    const std::string_view owner = !owner_.empty() ? owner_
                                   : base          ? text(*base->main, *base->main->roots[0], "framework", base->name)
                                                   : data_->schema.framework;
    out.name = keep(fmt::format("{}/{}", owner, text(document, table, "name")));
    out.inherited = base != nullptr;
    out.rewrite = rewrite;
    out.family = text(document, table, "family", rewrite || !owner_.empty() ? "training" : "");
    if (std::find(std::begin(kFamilies), std::end(kFamilies), out.family) == std::end(kFamilies))
      error(document, table.range, fmt::format("no family {}", out.family));
    const std::string_view severity = text(document, table, "severity", rewrite ? "warning" : "error");
    if (severity == "error")
      out.severity = Severity::Error;
    else if (severity == "warning")
      out.severity = Severity::Warning;
    else if (severity == "info")
      out.severity = Severity::Info;
    else if (severity == "none" && rewrite)
      out.silent = true, out.severity = Severity::Info;
    else
      error(document, table.range, fmt::format("no severity {}", severity));
    if (const Entry* plan = document.find(table, "plan")) {
      while (out.plan < data_->plans.size() && data_->plans[out.plan].name != plan->value->text) ++out.plan;
      if (out.plan == data_->plans.size()) {
        error(document, plan->value_range, fmt::format("no plan {}", plan->value->text));
        out.plan = 0;
      }
    }
    std::vector<Slot> reads;
    if (unless.empty()) {
      out.when = expression(document, table, "when", type::Bool, &reads);
    } else if (const auto compiled = expression(
                   where(document, table.range),
                   fmt::format("{}not ({})", document.find(table, "when") ? fmt::format("({}) and ", text(document, table, "when")) : "",
                               unless),
                   type::Bool)) {
      out.when = compiled->id, reads = compiled->slots;
    }
    if (rewrite) {
      const Entry* set = document.find(table, "set");
      if (!set || !document.find(table, "to"))
        error(document, table.range, "a rewrite needs set and to");
      else
        out.set = slot_of(document, set->value_range, set->value->text);
      if (const std::size_t field = out.plan * std::size_t{kFieldCount} + out.set;
          out.set < kFieldCount && data_->field_alias[field] != kNoSlot)
        out.set = data_->field_alias[field];
      out.to = expression(document, table, "to", type::Any, &reads);
    } else {
      if (!document.find(table, "require")) error(document, table.range, "a constraint needs require");
      out.require = expression(document, table, "require", type::Bool, &reads);
    }
    out.reads = data_->slot_lists.emplace_back(std::move(reads));
    out.says = message(document, table, "says", base);
    if (out.says.empty() && !out.silent) error(document, table.range, "says is missing");
    out.effect = message(document, table, "effect", base);
    out.why = keep(as_keys(text(document, table, "why"), base)), out.source = text(document, table, "source"),
    out.same_as = text(document, table, "same_as");
    out.since = text(document, table, "since"), out.until = text(document, table, "until");
    out.blame = slots(document, table, "blame"), out.rather_change = slots(document, table, "rather_change"),
    out.spoils = slots(document, table, "spoils");
    std::vector<ExprId> candidates;
    for (std::string_view candidate : texts(document, table, "candidates"))
      if (const auto compiled = expression(where(document, table.range), candidate, type::Any)) candidates.push_back(compiled->id);
    out.candidates = data_->expr_lists.emplace_back(std::move(candidates));
    std::vector<std::string_view> rows;
    for (std::string_view row : split(text(document, table, "row"), " ")) rows.push_back(row);
    out.rows = keep(std::move(rows));
    out.fires = keep(examples(document, table, "fires"));
    out.quiet = keep(examples(document, table, "silent"));
    return out;
  }

  // An example names a base's key as the base does.
  std::vector<std::string_view> examples(const Document& document, const Node& table, std::string_view key) {
    std::vector<std::string_view> out = texts(document, table, key);
    for (std::string_view& line : out)
      for (const Base& base : bases_)
        if (std::string path = fmt::format("{}.{}", base.below, line.substr(0, line.find(" = ")));
            !base.below.empty() && at_.contains(path))
          line = keep(fmt::format("{}.{}", base.below, line));
    return out;
  }

  // A form may have a start of its own, which checks less.
  void hold_in_forms() {
    if (data_->forms.size() > 32) return errors_.push_back("more than 32 forms");
    for (Clause& clause : data_->law)
      for (std::size_t form = 0; form < data_->forms.size(); ++form) {
        const std::span<const std::string_view> law = data_->forms[form].law;
        const auto listed = [&](std::string_view name) {
          return std::any_of(law.begin(), law.end(), [&](std::string_view wanted) {
            return wanted.ends_with('*') ? name.starts_with(wanted.substr(0, wanted.size() - 1)) : name == wanted;
          });
        };
        const bool holds = law.empty() || listed(clause.name.substr(clause.name.find('/') + 1)) ||
                           std::any_of(clause.rows.begin(), clause.rows.end(), listed);
        if (!holds) clause.forms &= ~(1u << form);
      }
  }

  // ---- views

  void constants() {
    for (const Value& value : data_->pool.constants) {
      Const constant{value.kind(), 0, 0, {}};
      if (value.integer()) constant.integer = *value.integer();
      if (value.boolean()) constant.integer = *value.boolean();
      if (value.real()) constant.real = *value.real();
      if (value.text()) constant.text = keep(*value.text());
      data_->constants.push_back(constant);
    }
  }

  void name_models() {
    std::set<Slot> seen;
    const auto collect = [&](const auto& self, ExprId id) -> void {
      const ExprNode& node = data_->pool.nodes[id];
      if (node.op == Op::Const) return;
      if (node.op == Op::Read) {
        if (!seen.insert(node.slot).second || node.slot < kFieldCount) return;
        const std::size_t let = node.slot - kFieldCount;
        if (let < data_->lets.size()) return self(self, data_->lets[let].expr);
        data_->model_keys.push_back(static_cast<std::uint16_t>(let - data_->lets.size()));
        return;
      }
      for (ExprId child = node.a; child != kNoExpr; child = data_->pool.nodes[child].next) self(self, child);
    };
    for (const ExprNode& node : data_->pool.nodes)
      if (node.op == Op::Call && node.function == Function::Shape) collect(collect, node.a);
    data_->schema.model_keys = data_->model_keys;
  }

  void finish() {
    constants();
    name_models();
    Schema& schema = data_->schema;
    schema.key_table = data_->key_table, schema.needed_keys = data_->needed_keys;
    schema.formats = data_->formats, schema.forms = data_->forms, schema.keys = data_->keys, schema.keys_by_path = data_->keys_by_path,
    schema.flags = data_->flags, schema.places = data_->places;
    schema.sections = data_->sections, schema.attaches = data_->attaches;
    schema.unions = data_->unions, schema.lets = data_->lets, schema.tables = data_->tables, schema.rules = data_->rules,
    schema.minimal = data_->minimal;
    schema.bases = data_->bases, schema.plans = data_->plans;
    schema.field_alias = data_->field_alias, schema.field_expr = data_->field_expr, schema.field_derivation = data_->field_derivation;
    schema.law = data_->law, schema.nodes = data_->pool.nodes, schema.constants = data_->constants;
  }

  struct Text {
    std::size_t key;
    std::string path;
    std::size_t line;
    std::string_view text;
  };
  struct FlagText {
    std::string_view spelling;
    std::size_t line;
    std::string_view text;
  };

  std::string folder_;
  std::vector<std::string>& errors_;
  std::unique_ptr<SchemaData> data_;
  std::vector<DocumentPtr> documents_;
  std::deque<Tsv> tsvs_;
  std::string owner_;  // of constraints that are no framework's
  std::vector<Base> bases_;
  std::map<std::string_view, std::size_t, std::less<>> at_;  // keys by path
  std::vector<Text> default_texts_;
  std::vector<FlagText> flag_texts_;
};

}  // namespace

std::unique_ptr<SchemaData> extend_schema(const Schema& base, std::string_view owner, const std::vector<OwnConstraint>& constraints,
                                          std::vector<std::string>& errors) {
  std::vector<std::string> found;
  std::unique_ptr<SchemaData> out = Loader("", found).extend(base, owner, constraints);
  errors.insert(errors.end(), found.begin(), found.end());
  return out;
}

std::unique_ptr<SchemaData> load_schema(const std::string& folder, std::vector<std::string>& errors) {
  return Loader(folder, errors).run();
}

}  // namespace shardlint
