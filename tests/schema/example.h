// Examples of a schema's law as the files that a user would write: lines "key = JSON" become a document in the schema's first form, and
// what sets the cluster becomes settings.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checker/document/fact.h"
#include "checker/engine/settings.h"
#include "checker/plan/bind.h"
#include "checker/schema/schema.h"

namespace shardlint::test {

struct Example {
  std::string text;  // of the one file
  Format format = Format::Yaml;
  const FormSpec* form = nullptr;
  Facts settings;
  std::vector<std::string> errors;  // lines that say nothing
};

// A document in the making.
struct Tree {
  std::string name;  // in the branch that holds it
  std::string leaf;  // JSON; a branch has none
  std::vector<Tree> branches;
  bool items = false;  // branches are the items of a list

  Tree& at(std::string_view key) {
    for (Tree& branch : branches)
      if (branch.name == key) return branch;
    leaf.clear();
    Tree& branch = branches.emplace_back();
    branch.name = key;
    return branch;
  }
  // "data_stages[0].name"
  Tree& down(std::string_view path) {
    Tree* tree = this;
    while (!path.empty()) {
      const std::size_t end = std::min(path.find_first_of(".[", path.starts_with('[') ? 1 : 0), path.size());
      tree->items = path.starts_with('[');
      tree = &tree->at(path.substr(0, end));
      path.remove_prefix(end < path.size() && path[end] == '.' ? end + 1 : end);
    }
    return *tree;
  }
};

// A scalar or list as JSON, with reals in the one spelling that every loader reads as a real: 3.0e-05.
inline std::string spelled(const Node& node) {
  if (node.kind == Node::Kind::Sequence) {
    std::string out;
    for (const Item& item : node.items) out += (out.empty() ? "" : ", ") + spelled(*item.value);
    return "[" + out + "]";
  }
  if (node.kind == Node::Kind::Mapping) {
    std::string out;
    for (const Entry& entry : node.entries) out += (out.empty() ? "" : ", ") + fmt::format("\"{}\": ", entry.key) + spelled(*entry.value);
    return "{" + out + "}";
  }
  if (node.value && node.value->real()) {
    std::string text = fmt::format("{}", *node.value->real());
    const std::size_t e = text.find('e');
    if (text.find('.') == std::string::npos) text.insert(std::min(e, text.size()), ".0");
    return text;
  }
  return node.value && node.value->text() ? fmt::format("\"{}\"", *node.value->text()) : node.text;
}

inline std::string flow(const Tree& tree) {
  if (tree.branches.empty()) return tree.leaf.empty() ? "{}" : tree.leaf;
  std::string out;
  for (const Tree& inner : tree.branches) out += (out.empty() ? "" : ", ") + (tree.items ? "" : inner.name + ": ") + flow(inner);
  return tree.items ? "[" + out + "]" : "{" + out + "}";
}

inline void write_yaml(const Tree& tree, std::string_view indent, std::string& out) {
  for (const Tree& inner : tree.branches) {
    if (inner.branches.empty() || inner.items) {
      out += fmt::format("{}{}: {}\n", indent, inner.name, flow(inner));
    } else {
      out += fmt::format("{}{}:\n", indent, inner.name);
      write_yaml(inner, fmt::format("{}  ", indent), out);
    }
  }
}

inline void write_json(const Tree& tree, std::string& out) {
  out += "{";
  for (const Tree& inner : tree.branches) {
    out += fmt::format("\n\"{}\": ", inner.name);
    if (inner.branches.empty() || inner.items)
      out += flow(inner);
    else
      write_json(inner, out);
    if (&inner != &tree.branches.back()) out += ",";
  }
  out += "}";
}

inline std::string toml(const Tree& tree, const std::string& path) {
  std::string own, tables;
  for (const Tree& inner : tree.branches) {
    if (inner.branches.empty())
      own += fmt::format("{} = {}\n", inner.name, flow(inner));
    else
      tables += toml(inner, path.empty() ? inner.name : path + "." + inner.name);
  }
  return (path.empty() || own.empty() ? own : fmt::format("[{}]\n{}", path, own)) + tables;
}

// The spelling of `value` as the argument of a command line: a flag and its word, or no flag where its absence says it.
inline std::optional<std::pair<std::string, std::string>> as_flag(const Schema& schema, const KeySpec& key, const Node& value) {
  const std::string text = spelled(value);
  if (text == "null") return std::nullopt;
  for (std::string_view spelling : key.flags) {
    const FlagSpec& flag = *schema.find_flag(spelling);
    if (flag.constant == kNoExpr) {
      if (value.kind != Node::Kind::Sequence) return std::pair(std::string(spelling), text);
      std::string words;
      for (const Item& item : value.items) words += (words.empty() ? "" : " ") + item.value->text;
      return std::pair(std::string(spelling), "\"[" + words + "]\"");
    }
    const Value constant = schema.constants[schema.nodes[flag.constant].a].value();
    if (value.value && constant.kind() == value.value->kind() && constant == *value.value) return std::pair(std::string(spelling), "true");
  }
  return std::nullopt;
}

// What a key has when nobody writes it, as JSON.
inline std::string default_of(const Schema& schema, const KeySpec& key) {
  if (key.defaults.empty()) return "null";
  const ExprNode& node = schema.nodes[key.defaults[0]];
  if (node.op == Op::MakeList) return "[]";
  if (node.op != Op::Const) return "null";
  const Value value = schema.constants[node.a].value();
  return value.text() ? fmt::format("\"{}\"", *value.text()) : to_string(value);
}

// The line `form = "NAME"` asks for another form than the first. Sections that must be complete are filled up with defaults.
inline Example make_example(const Schema& schema, std::span<const std::string_view> lines) {
  Example out;
  out.format = schema.formats[0];
  out.form = &schema.forms[0];
  for (const FormSpec& form : schema.forms)
    if (std::find(lines.begin(), lines.end(), fmt::format("form = \"{}\"", form.name)) != lines.end()) out.form = &form;
  const FormSpec& form = *out.form;
  std::vector<std::pair<std::string, std::string>> assignments;  // a later line wins, also over what lies below its key
  const auto start = [&] {
    Fact fact;
    fact.path = fact.spelled = kStarted, fact.value = true, fact.way = Way::Setting;
    out.settings.push_back(std::move(fact));
  };
  for (const Assignment& minimal : schema.minimal)
    if (minimal.key == kStarted)
      start();
    else if (const KeySpec* key = schema.find_key(minimal.key); !key || schema.has(form, *key))
      assignments.emplace_back(minimal.key, minimal.value);
  for (std::string_view line : lines) {
    if (line.starts_with("form = ")) continue;
    if (line.starts_with("--")) {  // a word of the command line
      const OverrideWord word{std::string(line), {}};
      if (Checked<Facts> made = read_overrides({&word, 1}); made.value)
        for (Fact& fact : *made.value) out.settings.push_back(in_form(std::move(fact), schema, form));
      else
        out.errors.push_back(made.error);
      continue;
    }
    if (line == "started = true") {
      start();
      continue;
    }
    const std::size_t equals = line.find(" = ");
    if (equals == line.npos) {
      out.errors.push_back(fmt::format("no assignment: {}", line));
      continue;
    }
    const std::string key(line.substr(0, equals));
    std::erase_if(assignments, [&](const auto& other) {
      return other.first == key || other.first.starts_with(key + ".") || other.first.starts_with(key + "[") ||
             key.starts_with(other.first + ".");
    });
    if (line.substr(equals + 3) != "<unset>") assignments.emplace_back(key, line.substr(equals + 3));  // left out of the minimal run
  }

  if (form.complete)
    for (const PlaceSpec& place : schema.places) {
      const KeySpec& key = schema.keys[place.key];
      if (!place.optional &&
          std::none_of(assignments.begin(), assignments.end(), [&](const auto& other) { return other.first == key.path; }))
        assignments.emplace_back(key.path, default_of(schema, key));
    }

  Tree tree;
  for (const auto& [key, json] : assignments) {
    const DocumentPtr document = read_document(std::make_shared<Source>(key, json), Format::Json);
    if (!document->problems.empty() || document->roots.empty()) {
      out.errors.push_back(fmt::format("no JSON: {} = {}", key, json));
      continue;
    }
    const Node& value = *document->roots[0];
    const KeySpec* spec = schema.find_key(key);
    if (is_variable(key) && !form.env.empty()) {
      if (spelled(value) != "null") tree.down(form.env).at(key.substr(4)).leaf = spelled(value);  // a variable is there or it is not
    } else if (spec && is_variable(key)) {                                                        // known from somewhere else
      Fact fact;
      fact.path = fact.spelled = key;
      if (value.value) fact.value = *value.value;
      fact.way = Way::Setting;
      if (!fact.value.is_null()) out.settings.push_back(std::move(fact));
    } else if (spec) {
      const std::string root(form.root);
      if (!form.flags)
        tree.down((root.empty() ? "" : root + ".") +
                  (form.sections.empty() && form.under.empty() ? key : std::string(schema.path_in(form, *spec))))
            .leaf = spelled(value);
      else if (const auto flag = as_flag(schema, *spec, value))
        tree.down(root).at(flag->first).leaf = flag->second;
    } else if (const Checked<Value> field = read_field(key, value.value ? *value.value : Value()); field.value) {
      Fact fact;
      fact.path = fact.spelled = key;
      fact.value = *field.value;
      fact.way = Way::Setting;
      out.settings.push_back(std::move(fact));
    } else {
      out.errors.push_back(fmt::format("{} = {}: {}", key, json, field.error));
    }
  }
  if (out.format == Format::Toml)
    out.text = toml(tree, "");
  else if (out.format == Format::Json)
    write_json(tree, out.text);
  else
    write_yaml(tree, "", out.text);
  return out;
}

inline Job job_of(const Schema& schema, const Example& example, std::string version = "") {
  Job job{&schema, example.form, std::move(version), {}};
  const DocumentPtr document = read_document(std::make_shared<Source>("example", example.text), example.format, true);
  if (!document->roots.empty()) job.facts = facts_of(document, *document->roots[0], job.form->loader);
  job.facts.insert(job.facts.end(), example.settings.begin(), example.settings.end());
  return job;
}

// A test's name from a rule's: gtest takes letters, digits and underscores.
inline std::string test_name(std::string_view rule) {
  std::string out(rule);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return out;
}

}  // namespace shardlint::test
