// Requests: JSON to structs. What is misshapen is left out here; the caller has said so already.
#include "checker/cxx/bindings.h"

#include <llvm/Support/JSON.h>

namespace shardlint::cxx {

namespace {

using llvm::json::Array;
using llvm::json::Object;
using Json = llvm::json::Value;

Word word(const Json* value) {
  if (!value) return {};
  if (const auto boolean = value->getAsBoolean()) return *boolean;
  if (const auto integer = value->getAsInteger()) return *integer;
  if (const auto real = value->getAsNumber()) return *real;
  if (const auto text = value->getAsString()) return text->str();
  return {};
}

std::string text(const Object& table, llvm::StringRef key, llvm::StringRef otherwise = "") {
  return table.getString(key).value_or(otherwise).str();
}

std::vector<std::string> texts(const Object& table, llvm::StringRef key) {
  std::vector<std::string> out;
  if (const Array* list = table.getArray(key))
    for (const Json& item : *list)
      if (const auto one = item.getAsString()) out.push_back(one->str());
  return out;
}

std::string below(const std::string& path, llvm::StringRef key) { return path.empty() ? key.str() : path + "." + key.str(); }

Target target(const Json& value, std::string path) {
  Target out;
  out.path = std::move(path);
  if (const auto name = value.getAsString()) {
    out.is = name->str();
    return out;
  }
  const Object* table = value.getAsObject();
  if (!table) return out;
  out.is = text(*table, "is");
  out.unset = word(table->get("unset"));
  if (const Array* list = table->getArray("sentinel"))
    for (const Json& item : *list)
      if (const auto integer = item.getAsInteger()) out.sentinels.push_back(*integer);
  if (const auto one = table->getInteger("sentinel")) out.sentinels.push_back(*one);
  out.invert = table->getBoolean("invert").value_or(false);
  const std::string unit = text(*table, "unit", "samples");
  if (unit == "tokens" && out.is == "global_batch")
    out.is = "global_batch_tokens";
  else if (unit != "samples" && unit != "sequences")
    out.is.clear();  // per rank, per stage: not the canonical quantity
  if (const Object* values = table->getObject("values")) {
    out.has_values = true;
    for (const auto& [key, name] : *values)
      if (const auto canonical = name.getAsString()) out.values[key.str()] = canonical->str();
  }
  return out;
}

std::map<std::string, Target> targets(const Object& table, llvm::StringRef key, const std::string& path) {
  std::map<std::string, Target> out;
  if (const Object* rows = table.getObject(key))
    for (const auto& [name, value] : *rows) out[name.str()] = target(value, below(below(path, key), name));
  return out;
}

CallRow call(const Object& table, std::string path) {
  CallRow out;
  out.name = text(table, "name");
  out.params = texts(table, "params");
  out.map = targets(table, "map", path);
  out.plan = text(table, "plan");
  if (const Object* unset = table.getObject("unset"))
    for (const auto& [key, value] : *unset) out.unset[key.str()] = word(&value);
  for (const auto& [key, value] : table)
    if (key != "name" && key != "params" && key != "map" && key != "plan" && key != "unset" && key != "derive")
      out.always[key.str()] = word(&value);
  out.path = std::move(path);
  return out;
}

template <class Row>
void rows(const Object& table, llvm::StringRef key, const std::string& path, const Row& row) {
  if (const Array* list = table.getArray(key))
    for (std::size_t i = 0; i < list->size(); ++i)
      if (const Object* one = (*list)[i].getAsObject()) row(*one, below(path, key) + "[" + std::to_string(i) + "]");
}

TypeRow type(const Object& table, const std::string& path) {
  TypeRow out;
  out.path = path;
  out.name = text(table, "name");
  const std::string role = text(table, "role", "plan"), style = text(table, "accessor_style", "none");
  out.role = role == "part" ? Role::Part : role == "builder" ? Role::Builder : role == "model" ? Role::Model : Role::Plan;
  out.accessors = style == "message" ? Accessors::Message : style == "same-name" ? Accessors::SameName : Accessors::None;
  out.fields = targets(table, "fields", path);
  out.finish = text(table, "finish");
  out.fields_through = text(table, "fields_through");
  out.plan = text(table, "plan");
  rows(table, "ctor", path, [&](const Object& row, std::string at) { out.constructors.push_back(call(row, std::move(at))); });
  rows(table, "factory", path, [&](const Object& row, std::string at) { out.factories.push_back(call(row, std::move(at))); });
  rows(table, "method", path, [&](const Object& row, std::string at) {
    MethodRow& method = out.methods.emplace_back();
    method.name = text(row, "name");
    method.arg = static_cast<unsigned>(row.getInteger("arg").value_or(0));
    if (const Json* sets = row.get("sets")) method.target = target(*sets, at + ".sets");
    method.path = std::move(at);
  });
  if (const Object* arguments = table.getObject("template")) {
    out.template_params = texts(*arguments, "params");
    out.template_map = targets(*arguments, "map", below(path, "template"));
  }
  return out;
}

void bindings(const Object& root, const std::string& file, Bindings& out) {
  rows(root, "type", file, [&](const Object& row, std::string at) { out.types.push_back(type(row, at)); });
  rows(root, "function", file, [&](const Object& row, std::string at) { out.functions.push_back(call(row, std::move(at))); });
  rows(root, "flags", file, [&](const Object& row, std::string at) {
    FlagsRow& flags = out.flags.emplace_back();
    flags.style = text(row, "style", "gflags");
    flags.macro = text(row, "macro"), flags.get = text(row, "get"), flags.set = text(row, "set");
    if (row.getArray("parse")) flags.parse = texts(row, "parse");
    flags.map = targets(row, "map", at);
    flags.path = std::move(at);
  });
  rows(root, "string_map", file, [&](const Object& row, std::string at) {
    StringMapRow& map = out.string_maps.emplace_back();
    map.sinks.push_back(text(row, "sink"));
    map.takes = 1;
    for (std::string& name : texts(row, "also")) map.sinks.push_back(std::move(name));
    map.arg = static_cast<unsigned>(row.getInteger("arg").value_or(0));
    map.keys = targets(row, "keys", at);
    map.path = std::move(at);
  });
  rows(root, "text", file, [&](const Object& row, std::string at) {
    TextRow& one = out.texts.emplace_back();
    one.format = text(row, "format", "json"), one.sink = text(row, "sink");
    one.arg = static_cast<unsigned>(row.getInteger("arg").value_or(0));
    one.keys = targets(row, "keys", at);
    one.path = std::move(at);
  });
}

}  // namespace

std::optional<Request> read_request(std::string_view json, std::string& error) {
  llvm::Expected<Json> parsed = llvm::json::parse(llvm::StringRef(json.data(), json.size()));
  if (!parsed) {
    error = llvm::toString(parsed.takeError());
    return std::nullopt;
  }
  const Object* root = parsed->getAsObject();
  if (!root || !root->getString("file")) {
    error = "a request is an object with a file";
    return std::nullopt;
  }
  Request out;
  out.file = text(*root, "file"), out.text = text(*root, "text"), out.directory = text(*root, "directory");
  out.flags = texts(*root, "flags");
  if (const Object* held = root->getObject("texts"))
    for (const auto& [path, content] : *held)
      if (const auto one = content.getAsString()) out.texts[path.str()] = one->str();
  out.keep = root->getBoolean("keep").value_or(false);
  if (const Array* words = root->getArray("words")) {
    out.started = true;
    for (const Json& item : *words) {
      Request::CommandWord& word = out.words.emplace_back();
      if (const auto one = item.getAsString()) word.text = one->str();
      if (const Object* cut = item.getAsObject()) word.text = text(*cut, "begins"), word.open = true;
    }
  }
  if (const Array* files = root->getArray("bindings"))
    for (std::size_t i = 0; i < files->size(); ++i)
      if (const Object* own = (*files)[i].getAsObject()) bindings(*own, "@" + std::to_string(i), out.bindings);
  return out;
}

}  // namespace shardlint::cxx
