// What a value of a settings file or of the command line may be: GPUs, versions, frameworks, fields, levels, names of rules.
#include "checker/engine/settings_values.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "checker/diag/composition.h"
#include "checker/diag/hygiene.h"
#include "checker/diag/launch.h"
#include "checker/engine/bindings.h"
#include "checker/engine/settings.h"
#include "checker/plan/rule.h"

namespace shardlint {

bool alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  bool inside = false;
  for (char c : text) {
    if (alphanumeric(c)) {
      if (!inside) out.emplace_back();
      out.back() += static_cast<char>(c >= 'a' && c <= 'z' ? c - 0x20 : c);
    }
    inside = alphanumeric(c);
  }
  return out;
}

// Whether `model`'s words stand in `name`, in order. A word may be written apart: RTX 4090.
bool names_model(const std::vector<std::string>& name, const std::vector<std::string>& model) {
  std::size_t at = 0;
  for (const std::string& word : model) {
    std::size_t end = 0;
    for (; at < name.size() && end == 0; ++at) {
      std::string joined;
      for (std::size_t i = at; i < name.size() && joined.size() < word.size(); ++i) {
        joined += name[i];
        if (joined == word) end = i + 1;
      }
    }
    if (end == 0) return false;
    at = end;
  }
  return true;
}

// Once each: several schemas may share a framework.
std::vector<std::string_view> framework_names() {
  std::vector<std::string_view> out;
  for (const Schema* schema : schemas())
    if (std::find(out.begin(), out.end(), schema->framework) == out.end()) out.push_back(schema->framework);
  return out;
}

Checked<Value> read_gpu(const std::string& name) {
  const std::vector<std::string_view> models = gpu_models();
  const std::vector<std::string> written = words(name);
  std::string_view best;  // the one that says most: A100-40GB before A100
  for (std::string_view model : models)
    if (model.size() > best.size() && names_model(written, words(model))) best = model;
  if (!best.empty()) return {Value(best), ""};
  if (models.empty()) return {Value(name), ""};
  // A model that begins with a written word is nearer than one that differs in a letter: L40 means L40S rather than A40.
  std::string_view near;
  for (const std::string& word : written)
    for (std::string_view model : models)
      if (near.empty() && word.size() > 1 && model.starts_with(word)) near = model;
  for (const std::string& word : written)
    if (const auto found = nearest(word, models, 1); near.empty() && !found.empty()) near = found[0];
  if (!near.empty()) return {std::nullopt, fmt::format("no GPU `{}`; did you mean `{}`?", name, near)};
  return {std::nullopt, fmt::format("no GPU `{}`; there are {}", name, fmt::join(models, ", "))};
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<std::string_view> gpu_models() {
  std::vector<std::string_view> models;
  if (schemas().empty()) return models;
  for (const TableSpec& table : schemas()[0]->tables)
    if (table.name == "gpus")
      for (std::size_t row = 0; row < table.cells.size(); row += table.columns.size()) models.push_back(table.cells[row]);
  return models;
}

std::vector<std::string_view> gpu_columns() {
  std::vector<std::string_view> out;
  if (schemas().empty()) return out;
  for (const TableSpec& table : schemas()[0]->tables)
    if (table.name == "gpus")
      for (std::string_view column : table.columns)
        if (column != "gpu" && column != "source") out.push_back(column);
  return out;
}

bool is_version(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

std::optional<bool> fits_requirement(std::string_view requirement) {
  constexpr std::string_view mine = SHARDLINT_VERSION;
  std::string_view version = trimmed(requirement);
  const std::size_t digits = std::min(version.find_first_of("0123456789"), version.size());
  const std::string_view comparison = trimmed(version.substr(0, digits));
  version.remove_prefix(digits);
  if (!is_version(version)) return std::nullopt;
  if (comparison == ">=") return !version_less(mine, version);
  if (comparison == ">") return version_less(version, mine);
  if (comparison == "<=") return !version_less(version, mine);
  if (comparison == "<") return version_less(mine, version);
  if (!comparison.empty() && comparison != "==" && comparison != "=") return std::nullopt;
  return mine.starts_with(version) && (mine.size() == version.size() || mine[version.size()] == '.');
}

std::string version_error(std::string_view framework, std::string_view version) {
  const Schema* schema = schema_named(framework);
  if (!schema) return "";  // its plans are C++: no version of it is known
  std::string_view newest;
  for (std::string_view known : schema->versions)
    if (newest.empty() || version_less(newest, known)) newest = known;
  const std::size_t dot = version.find('.');
  const std::string_view minor = dot == std::string_view::npos ? version : version.substr(0, version.find('.', dot + 1));
  if (newest.empty() || !version_less(newest, minor)) return "";
  return fmt::format("shardlint knows {} up to version {}, and {} is newer", schema->title, newest, version);
}

Checked<std::pair<std::string, std::string>> read_framework(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string_view name = text.substr(0, at);
  const std::string_view version = at == std::string_view::npos ? "" : text.substr(at + 1);
  // Frameworks whose plans are C++ have no schema, but a binding.
  std::vector<std::string_view> names = framework_names();
  for (const BindingPtr& binding : built_in_bindings()) names.push_back(binding->name());
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return {std::nullopt, fmt::format("no framework `{}`{}", name, did_you_mean(name, names))};
  }
  if (at != std::string_view::npos && !is_version(version))
    return {std::nullopt, fmt::format("`{}` is no version; a version is written as `{}@0.2`", version, name)};
  if (std::string error = version.empty() ? "" : version_error(name, version); !error.empty()) return {std::nullopt, std::move(error)};
  return {std::pair(std::string(name), std::string(version)), ""};
}

Checked<Value> read_field(std::string_view name, const Value& written) {
  if (name == "env.") return {std::nullopt, "`env.` names no variable; write env.NAME"};
  if (name.starts_with("env.")) return {Value(to_string(written)), ""};
  const std::optional<Field> field = field_named(name);
  if (!field) {
    std::vector<std::string_view> names;
    for (const FieldInfo& info : fields()) names.push_back(info.name);
    return {std::nullopt, fmt::format("no field `{}`{}", name, did_you_mean(name, names))};
  }
  const TypeSet types = fields()[slot(*field)].types;
  Value value = written;
  // A capability is often quoted, so that 10.0 stays 10.0; PyTorch prints the pair (9, 0).
  if (value.text() && name == "cuda_capability") {
    std::string text = *value.text();
    std::erase_if(text, [](char c) { return c == '(' || c == ')' || c == '[' || c == ']' || c == ' '; });
    std::replace(text.begin(), text.end(), ',', '.');
    value = read_plain(text);
  }
  if (value.integer() && (types & type::Real) && !(types & type::Int)) value = value.number();
  if (!(types & type::of(value.kind())) || (value.is_null() && types != type::Any)) {
    const std::string_view wanted = types & type::Real   ? "a number"
                                    : types & type::Int  ? "an integer"
                                    : types & type::Bool ? "true or false"
                                                         : "text";
    return {std::nullopt, fmt::format("`{}` must be {}, not {}", name, wanted, describe(written.kind()))};
  }
  const bool counts = name != "lr" && name != "first_stage_layers" && name != "last_stage_layers" && name != "stage_embedding_layers" &&
                      name != "stage_output_layers" && name != "zero_stage" && name != "warmup" && name != "dense_layers";
  if (value.is_number() && !value.boolean() && counts && !(value.number() > 0))
    return {std::nullopt, fmt::format("`{}` must be more than 0, not {}", name, to_string(value))};
  constexpr std::pair<std::string_view, i64> kLimits[] = {
      {"nodes", 1'000'000}, {"gpus_per_node", 4'096}, {"nvlink_domain", 100'000'000}, {"world_size", 100'000'000}};
  for (const auto& [limited, most] : kLimits)
    if (name == limited && value.integer() && *value.integer() > most)
      return {std::nullopt, fmt::format("`{}` is at most {}, not {}", name, with_commas(grouped(most)), to_string(value))};
  if (*field == Field::gpu) return read_gpu(*value.text());
  return {std::move(value), ""};
}

Value read_plain(std::string_view text) {
  Node node;
  node.text = text;
  Value value = read(node, Dialect::OmegaConf);
  return text.empty() ? Value(text) : value;
}

Checked<Severity> read_severity(std::string_view text) {
  for (Severity severity : {Severity::Error, Severity::Warning, Severity::Info})
    if (text == name(severity)) return {severity, ""};
  if (text == "off") return {std::nullopt, "no level `off`; what should not be said is ignored, not levelled"};
  constexpr std::string_view levels[] = {"error", "warning", "info"};
  return {std::nullopt, fmt::format("no level `{}`{}", text, did_you_mean(text, levels))};
}

Checked<FailOn> read_fail_on(std::string_view text) {
  if (text == "error") return {FailOn::Error, ""};
  if (text == "warning") return {FailOn::Warning, ""};
  if (text == "never") return {FailOn::Never, ""};
  constexpr std::string_view levels[] = {"error", "warning", "never"};
  return {std::nullopt, fmt::format("no level `{}` to fail on{}", text, did_you_mean(text, levels))};
}

std::vector<const RuleInfo*> rule_infos() {
  std::vector<const RuleInfo*> infos;
  for (const Rule* rule : all_rules()) infos.push_back(rule->info);
  infos.insert(infos.end(), std::begin(hygiene::kAll), std::end(hygiene::kAll));
  infos.insert(infos.end(), std::begin(composition::kAll), std::end(composition::kAll));
  infos.insert(infos.end(), std::begin(launching::kAll), std::end(launching::kAll));
  return infos;
}

std::vector<std::string_view> rule_names() {
  std::vector<std::string_view> names;
  for (const RuleInfo* info : rule_infos()) names.push_back(info->name);
  for (const Schema* schema : schemas())
    for (const Clause& clause : schema->law)
      if (!clause.silent && !clause.inherited) names.push_back(clause.name);
  return names;
}

std::string pattern_error(std::string_view pattern) {
  std::vector<std::string_view> names = rule_names();
  names.insert(names.end(), std::begin(kFamilies), std::end(kFamilies));
  for (std::string_view framework : framework_names()) names.push_back(framework);
  names.push_back("all");
  if (std::find(names.begin(), names.end(), pattern) != names.end()) return "";
  // Which constraints a team has is known only where they are written.
  if (pattern == "team" || pattern == "site" || pattern.starts_with("team/") || pattern.starts_with("site/")) return "";
  return fmt::format("no rule `{}`{}", pattern, did_you_mean(pattern, names));
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const auto near = nearest(word, candidates, 1);
  if (!near.empty()) return fmt::format("; did you mean `{}`?", near[0]);
  if (candidates.empty() || candidates.size() > 8) return "";
  return fmt::format("; there are `{}`", fmt::join(candidates, "`, `"));
}

}  // namespace shardlint
