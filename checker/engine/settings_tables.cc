#include "checker/engine/settings_tables.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/engine/own_law.h"
#include "checker/engine/settings_values.h"

namespace shardlint {

const Node* SettingsTables::root() {
  for (const Problem& problem : document_->problems) complain(problem.range, problem.message);
  if (!document_->problems.empty() || document_->roots.empty()) return nullptr;
  const Node* root = document_->roots[0];
  for (const Entry* entry : document_->entries(*root))
    if (entry->key == "gpus")
      for (const Entry* gpu : document_->entries(*entry->value)) own_gpus_.insert(gpu->key);
  return root;
}

void SettingsTables::complain(Range range, std::string_view message) {
  const Source& source = *document_->source;
  errors_.push_back(fmt::format("{}:{}: {}", source.path(), source.position(range.begin).line, message));
}

void SettingsTables::wrong_type(Range range, std::string_view name, std::string_view wanted, const Node& found) {
  const std::string_view is = found.kind == Node::Kind::Mapping    ? "a table"
                              : found.kind == Node::Kind::Sequence ? "a list"
                                                                   : describe(found.value.value_or(Value(found.text)).kind());
  complain(range, fmt::format("`{}` must be {}, not {}", name, wanted, is));
}

std::string SettingsTables::joined(std::string_view where, std::string_view key) {
  return where.empty() ? std::string(key) : fmt::format("{}.{}", where, key);
}

void SettingsTables::rows(const Node& node, std::string_view where, const std::vector<Row>& rows) {
  for (const Entry* entry : document_->entries(node)) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.key == entry->key; });
    if (row != rows.end()) {
      row->read(*entry);
      continue;
    }
    std::vector<std::string_view> keys;
    for (const Row& r : rows) keys.push_back(r.key);
    complain(entry->key_range, fmt::format("no setting `{}`{}", joined(where, entry->key), did_you_mean(entry->key, keys)));
  }
}

void SettingsTables::table(const Entry& entry, std::string_view name, const std::vector<Row>& inner) {
  if (entry.value->kind == Node::Kind::Mapping)
    rows(*entry.value, name, inner);
  else
    wrong_type(entry.key_range, name, "a table", *entry.value);
}

void SettingsTables::each(const Entry& entry, std::string_view name, const std::function<void(const Entry&)>& read) {
  if (entry.value->kind != Node::Kind::Mapping) return wrong_type(entry.key_range, name, "a table", *entry.value);
  for (const Entry* inner : document_->entries(*entry.value)) read(*inner);
}

void SettingsTables::tables(const Entry& entry, std::string_view name, const std::function<void(const Node&, Range)>& read) {
  const bool list = entry.value->kind == Node::Kind::Sequence;
  for (const Item& item : entry.value->items)
    if (item.value->kind == Node::Kind::Mapping)
      read(*item.value, item.value_range);
    else
      wrong_type(item.value_range, name, "a table", *item.value);
  if (!list) wrong_type(entry.key_range, name, fmt::format("a list of tables ([[{}]])", name), *entry.value);
}

const std::string* SettingsTables::text(const Entry& entry, std::string_view name) {
  const Value* value = entry.value->kind == Node::Kind::Scalar && entry.value->value ? &*entry.value->value : nullptr;
  if (value && value->text()) return value->text();
  wrong_type(entry.value_range, name, "text", *entry.value);
  return nullptr;
}

std::optional<bool> SettingsTables::boolean(const Entry& entry, std::string_view name) {
  const Value* value = entry.value->kind == Node::Kind::Scalar && entry.value->value ? &*entry.value->value : nullptr;
  if (value && value->boolean()) return *value->boolean();
  wrong_type(entry.value_range, name, "true or false", *entry.value);
  return std::nullopt;
}

std::optional<double> SettingsTables::positive(const Entry& entry, std::string_view name) {
  const Value* value = entry.value->kind == Node::Kind::Scalar && entry.value->value ? &*entry.value->value : nullptr;
  if (!value || !value->is_number() || value->boolean())
    wrong_type(entry.value_range, name, "a number", *entry.value);
  else if (value->number() > 0)
    return value->number();
  else
    complain(entry.value_range, fmt::format("`{}` must be more than 0", name));
  return std::nullopt;
}

std::vector<const Item*> SettingsTables::text_items(const Entry& entry, std::string_view name) {
  std::vector<const Item*> out;
  if (entry.value->kind != Node::Kind::Sequence) {
    wrong_type(entry.value_range, name, "a list of text", *entry.value);
    return out;
  }
  for (const Item& item : entry.value->items)
    if (item.value->value && item.value->value->text())
      out.push_back(&item);
    else
      wrong_type(item.value_range, fmt::format("{}[{}]", name, out.size()), "text", *item.value);
  return out;
}

std::vector<std::string> SettingsTables::texts(const Entry& entry, std::string_view name) {
  std::vector<std::string> out;
  for (const Item* item : text_items(entry, name)) out.push_back(*item->value->value->text());
  return out;
}

std::optional<std::string> SettingsTables::choice(const Entry& entry, std::string_view name, std::span<const std::string_view> choices) {
  const std::string* written = text(entry, name);
  if (!written) return std::nullopt;
  if (std::find(choices.begin(), choices.end(), *written) != choices.end()) return *written;
  complain(entry.value_range, fmt::format("`{}` cannot be `{}`{}", name, *written, did_you_mean(*written, choices)));
  return std::nullopt;
}

std::vector<std::string> SettingsTables::patterns(const Entry& entry, std::string_view name) {
  std::vector<std::string> out;
  for (const Item* item : text_items(entry, name)) {
    const std::string& pattern = *item->value->value->text();
    if (const std::string error = pattern_error(pattern); !error.empty())
      complain(item->value_range, error);
    else
      out.push_back(pattern);
  }
  return out;
}

std::vector<SettingsTables::Row> SettingsTables::settings(Settings& settings, std::string_view where) {
  const std::string base(where);
  return {{"framework", [this, &settings, base](const Entry& entry) { framework(entry, joined(base, "framework"), settings); }},
          {"versions", [this, &settings, base](const Entry& entry) { versions(entry, joined(base, "versions"), settings); }},
          {"cluster", [this, &settings, base](const Entry& entry) { cluster(entry, joined(base, "cluster"), settings); }},
          {"env", [this, &settings, base](const Entry& entry) { environment(entry, joined(base, "env"), settings); }},
          {"rules", [this, &settings, base](const Entry& entry) { rules(entry, joined(base, "rules"), settings); }}};
}

std::vector<SettingsTables::Row> SettingsTables::constraints(OwnLaw& law, const Files& files, const std::string& folder) {
  return {{"constraint",
           [this, &law](const Entry& entry) {
             tables(entry, "constraint", [this, &law](const Node& node, Range) { law.add(document_, node, errors_); });
           }},
          {"constraints", [this, &law, &files, folder](const Entry& entry) {
             for (const Item* item : text_items(entry, "constraints")) {
               const Source& source = *document_->source;
               const std::string where = fmt::format("{}:{}", source.path(), source.position(item->value_range.begin).line);
               law.add_file(files, join(folder == "." ? "" : folder, *item->value->value->text()), where, errors_);
             }
           }}};
}

void SettingsTables::agree(const Facts& cluster) {
  if (const std::string error = contradiction(cluster); !error.empty()) complain(cluster.back().key_place.range, error);
}

void SettingsTables::note(const Entry& entry, std::string name, std::string value, Settings& settings) {
  settings.written.push_back({std::move(name), std::move(value), document_->place(entry.key_range)});
}

void SettingsTables::framework(const Entry& entry, const std::string& name, Settings& settings) {
  const std::string* written = text(entry, name);
  if (!written) return;
  if (const auto choice = accept(read_framework(*written), entry.value_range)) {
    settings.framework = choice->first;
    if (!choice->second.empty()) settings.versions.push_back(*choice);
    note(entry, "framework", *written, settings);
  }
}

void SettingsTables::versions(const Entry& entry, const std::string& name, Settings& settings) {
  each(entry, name, [&](const Entry& version) {
    if (const auto checked = read_framework(version.key); !checked.value) return complain(version.key_range, checked.error);
    const std::string* written = text(version, joined(name, version.key));
    if (!written) return;
    if (!is_version(*written))
      return complain(version.value_range, fmt::format("`{}` is no version; a version is written as `0.2`", *written));
    if (const std::string error = version_error(version.key, *written); !error.empty()) return complain(version.value_range, error);
    settings.versions.emplace_back(version.key, *written);
    note(version, "versions." + version.key, *written, settings);
  });
}

void SettingsTables::fact(const Entry& entry, std::string path, Value value, Settings& settings) {
  Fact out;
  out.path = std::move(path);
  out.spelled = entry.key;
  out.value = std::move(value);
  out.place = document_->place(entry.value_range);
  out.key_place = document_->place(entry.key_range);
  out.way = Way::Setting;
  settings.facts.push_back(std::move(out));
}

void SettingsTables::cluster(const Entry& entry, const std::string& name, Settings& settings) {
  std::vector<Row> fields;
  for (std::string_view field : {"nodes", "gpus_per_node", "world_size", "nvlink_domain", "gpu", "gpu_memory_gib", "cuda_capability"})
    fields.push_back({field, [this, &settings, field](const Entry& inner) {
                        const Node& node = *inner.value;
                        const Value written = node.kind == Node::Kind::Mapping    ? Value(Map{node.entries.size()})
                                              : node.kind == Node::Kind::Sequence ? Value(ValueList{})
                                                                                  : node.value.value_or(Value(node.text));
                        if (field == "gpu" && written.text() && own_gpus_.contains(*written.text()))
                          return fact(inner, std::string(field), written, settings);
                        if (const auto value = accept(read_field(field, written), inner.value_range))
                          fact(inner, std::string(field), *value, settings);
                      }});
  fields.push_back({"partitions", [this, &settings, &name](const Entry& all) {
                      each(all, joined(name, "partitions"),
                           [&](const Entry& one) { partition(one, joined(joined(name, "partitions"), one.key), settings); });
                    }});
  table(entry, name, fields);
}

void SettingsTables::partition(const Entry& entry, const std::string& name, Settings& settings) {
  launch::Partition& out = settings.partitions[entry.key];
  const auto value = [this](const Entry& inner, std::string_view field) {
    return accept(read_field(field, inner.value->value.value_or(Value(inner.value->text))), inner.value_range);
  };
  table(entry, name,
        {{"gpu",
          [&](const Entry& inner) {
            if (const auto gpu = value(inner, "gpu"); gpu && gpu->text()) out.gpu = *gpu->text();
          }},
         {"gpus_per_node", [&](const Entry& inner) {
            if (const auto each = value(inner, "gpus_per_node"); each && each->integer()) out.gpus_per_node = *each->integer();
          }}});
}

// A card's numbers, by the columns of schemas/gpus.tsv; they go before the table's.
SettingsTables::Row SettingsTables::gpus(Settings& settings) {
  return {"gpus", [this, &settings](const Entry& entry) {
            each(entry, "gpus", [&](const Entry& gpu) {
              std::vector<Row> columns;
              for (std::string_view column : gpu_columns())
                columns.push_back({column, [this, &gpu, &settings, column](const Entry& inner) {
                                     const std::string name = joined(joined("gpus", gpu.key), column);
                                     if (const std::optional<double> value = positive(inner, name))
                                       fact(inner, name, *inner.value->value, settings);
                                   }});
              table(gpu, joined("gpus", gpu.key), columns);
            });
          }};
}

// A variable is text; a number or boolean is taken as it is spelled.
void SettingsTables::environment(const Entry& entry, const std::string& name, Settings& settings) {
  each(entry, name, [&](const Entry& variable) {
    if (variable.value->kind != Node::Kind::Scalar)
      return wrong_type(variable.value_range, joined(name, variable.key), "text", *variable.value);
    fact(variable, "env." + variable.key, variable.value->text, settings);
  });
}

void SettingsTables::rules(const Entry& entry, const std::string& name, Settings& settings) {
  RuleSettings& rules = settings.rules;
  const auto listed = [&](const Entry& list, std::string_view key, std::vector<std::string>& into) {
    into = patterns(list, joined(name, key));
    for (const std::string& pattern : into) note(list, fmt::format("rules.{}", key), pattern, settings);
  };
  table(entry, name,
        {{"select", [&](const Entry& list) { listed(list, "select", rules.select); }},
         {"ignore", [&](const Entry& list) { listed(list, "ignore", rules.ignore); }},
         {"severity",
          [&](const Entry& levels) {
            each(levels, joined(name, "severity"), [&](const Entry& level) {
              if (const std::string error = pattern_error(level.key); !error.empty()) return complain(level.key_range, error);
              const std::string* written = text(level, level.key);
              if (!written) return;
              if (const auto severity = accept(read_severity(*written), level.value_range)) {
                rules.severity.emplace_back(level.key, *severity);
                note(level, "rules.severity." + level.key, *written, settings);
              }
            });
          }},
         {"preview",
          [&](const Entry& choice) {
            const std::optional<bool> on = boolean(choice, joined(name, "preview"));
            if (!on) return;
            rules.preview = *on;
            note(choice, "rules.preview", *on ? "true" : "false", settings);
          }},
         {"fail-on", [&](const Entry& level) {
            const std::string* written = text(level, joined(name, "fail-on"));
            if (!written) return;
            if (const auto fail_on = accept(read_fail_on(*written), level.value_range)) {
              rules.fail_on = *fail_on;
              note(level, "rules.fail-on", *written, settings);
            }
          }}});
}

}  // namespace shardlint
