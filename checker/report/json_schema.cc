#include "checker/report/json_schema.h"

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "checker/report/json_parts.h"

namespace shardlint {

namespace {

struct Branch {
  const KeySpec* key = nullptr;
  std::map<std::string, Branch*, std::less<>> properties;
  Branch* any = nullptr;    // of names that are free
  Branch* items = nullptr;  // of a list
};

class Export {
 public:
  Export(const Schema& schema, std::string& out) : schema_(schema), parts_(out, "") {}

  void write() {
    std::vector<std::pair<const FormSpec*, Branch*>> roots;
    for (const FormSpec& form : schema_.forms)
      if (!form.part) roots.emplace_back(&form, tree(form));
    json_.object([&] {
      json_.attribute("$schema", "http://json-schema.org/draft-07/schema#");
      parts_.text("title", fmt::format("{} configuration", schema_.title));
      parts_.text("description",
                  fmt::format("Keys of {}, read from {}; written by shardlint {}.", schema_.title, schema_.source, SHARDLINT_VERSION));
      if (roots.size() == 1) return content(*roots[0].second, *roots[0].first, "", true);
      json_.attributeArray("anyOf", [&] {
        for (const auto& [form, root] : roots)
          json_.object([&] {
            parts_.text("title", form->name.empty() ? schema_.name : form->name);
            content(*root, *form, "", true);
          });
      });
    });
  }

 private:
  Branch* tree(const FormSpec& form) {
    Branch* root = &branches_.emplace_back();
    Branch* top = form.root.empty() ? root : at(root, form.root);
    for (const KeySpec& key : schema_.keys) {
      if (!schema_.has(form, key) || is_variable(key.path) || key.state == KeyState::Removed) continue;
      if (!form.flags) {
        at(top, schema_.path_in(form, key))->key = &key;
        continue;
      }
      for (const FlagSpec& flag : schema_.flags)
        if (&schema_.keys[flag.key] == &key) step(top, flag.spelling)->key = &key;
    }
    return root;
  }

  Branch* at(Branch* branch, std::string_view path) {
    while (!path.empty()) {
      const std::size_t dot = std::min(path.find('.'), path.size());
      std::string_view part = path.substr(0, dot);
      path.remove_prefix(std::min(dot + 1, path.size()));
      int lists = 0;
      for (; part.ends_with("[*]"); ++lists) part.remove_suffix(3);
      branch = step(branch, part);
      for (; lists; --lists) branch = fresh(branch->items);
    }
    return branch;
  }
  Branch* step(Branch* branch, std::string_view name) { return fresh(name == "*" ? branch->any : branch->properties[std::string(name)]); }
  Branch* fresh(Branch*& branch) { return branch ? branch : branch = &branches_.emplace_back(); }

  Policy unknown(const FormSpec& form, std::string_view path) const {
    const SectionSpec* section = path.empty() ? nullptr : schema_.section_at(path);
    return section ? section->unknown_key : form.unknown_key;
  }

  // Which of its members a section is read as decides what it must have.
  bool in_union(std::string_view path) const {
    return std::any_of(schema_.unions.begin(), schema_.unions.end(), [&](const UnionSpec& one) { return path.starts_with(one.at); });
  }

  // The members that say what may stand in a mapping or a list.
  // `closed`: nothing above may be another thing than a mapping, so that its keys are all that are known.
  void content(const Branch& branch, const FormSpec& form, const std::string& path, bool closed) {
    if (!branch.properties.empty()) {
      json_.attributeObject("properties", [&] {
        for (const auto& property : branch.properties) {
          const std::string& name = property.first;
          json_.attributeBegin(JsonParts::utf8(name));
          json_.object([&] { value(*property.second, form, path.empty() ? name : path + "." + name, closed); });
          json_.attributeEnd();
        }
      });
      // An override, an include or a base may bring what is not written here.
      std::vector<std::string_view> required;
      for (const auto& [name, inner] : branch.properties)
        if (schema_.required && !in_union(path) && inner->key && inner->key->required && inner->key->required_if.empty() &&
            schema_.composition.style == Layering::None)
          required.push_back(name);
      if (!required.empty()) parts_.list("required", required, [&](std::string_view name) { parts_.item(name); });
    }
    if (branch.any) {
      json_.attributeObject("additionalProperties", [&] { value(*branch.any, form, path + ".*", closed); });
    } else if (closed && !branch.properties.empty() && !in_union(path) && unknown(form, path) == Policy::Error &&
               schema_.composition.style == Layering::None && !schema_.dashes && form.sections.empty()) {
      json_.attribute("additionalProperties", false);
    }
    if (branch.items) json_.attributeObject("items", [&] { value(*branch.items, form, path + "[*]", closed); });
  }

  void value(const Branch& branch, const FormSpec& form, const std::string& path, bool closed) {
    if (branch.key) {
      std::string says(branch.key->note);
      if (!branch.key->instead.empty()) says += fmt::format("{}Written as {} now.", says.empty() ? "" : " ", branch.key->instead);
      if (!says.empty()) parts_.text("description", says);
      if (branch.key->state == KeyState::Deprecated || branch.key->state == KeyState::Renamed) json_.attribute("deprecated", true);
    }
    kinds(branch, form);
    content(branch, form, path, closed && (!branch.key || !(branch.key->types & ~(type::Map | type::List | type::Null))));
  }

  void kinds(const Branch& branch, const FormSpec& form) {
    const KeySpec* key = branch.key;
    if (!key || (form.wrong_type != Policy::Error && !key->strict) || key->types == type::Any) return;
    TypeSet types = key->types;
    if (form.nulls) types |= type::Null;
    if (types & type::Real) types |= type::Int;
    // Text stands for a number where the loader converts, and for anything where it is worked out later.
    if (schema_.coerce != Coercion::None || form.flags || schema_.composition.style != Layering::None || !schema_.filled.empty() ||
        !schema_.null_word.empty())
      types |= type::Str | type::Null;
    if (schema_.coerce != Coercion::None) types |= type::Number;
    if (schema_.coerce == Coercion::Python) types |= type::List;
    // `yes` is true to PyYAML and text to YAML 1.2.
    if ((types & type::Bool) && form.loader == Dialect::PyYaml) types |= type::Str;
    if (!branch.properties.empty() || branch.any) types |= type::Map;
    if (branch.items) types |= type::List;
    if (!key->choices.empty() && !key->choices_any_case && !key->choices_offered && !(types & ~(type::Str | type::Null)) &&
        !(key->types & ~(type::Str | type::Null)) && types == key->types) {
      json_.attributeArray("enum", [&] {
        for (std::string_view choice : key->choices) parts_.item(choice);
        if (types & type::Null) json_.value(nullptr);
      });
      return;
    }
    if (types == type::Any) return;
    constexpr std::pair<TypeSet, std::string_view> kNames[] = {{type::Null, "null"},   {type::Bool, "boolean"}, {type::Int, "integer"},
                                                               {type::Real, "number"}, {type::Str, "string"},   {type::List, "array"},
                                                               {type::Map, "object"}};
    json_.attributeArray("type", [&] {
      for (const auto& [kind, name] : kNames)
        if ((types & kind) && !(kind == type::Int && (types & type::Real))) parts_.item(name);
    });
    if (!key->choices.empty()) {
      json_.attributeArray("examples", [&] {
        for (std::string_view choice : key->choices) parts_.item(choice);
      });
    }
  }

  const Schema& schema_;
  JsonParts parts_;
  llvm::json::OStream& json_ = parts_.json();
  std::deque<Branch> branches_;
};

}  // namespace

std::string json_schema(const Schema& schema) {
  std::string out;
  Export(schema, out).write();
  return out + "\n";
}

}  // namespace shardlint
