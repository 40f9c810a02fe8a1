// Reads tables of a settings file by lists of rows: a key and what to do with its value. A key without a row is an unknown setting, and
// every complaint has its line. Private to the settings_*.cc and site.cc.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/document/document.h"
#include "checker/engine/settings.h"

namespace shardlint {

class SettingsTables {
 public:
  SettingsTables(DocumentPtr document, std::vector<std::string>& errors) : document_(std::move(document)), errors_(errors) {}

  struct Row {
    std::string_view key;
    std::function<void(const Entry&)> read;
  };

  const Document& document() const { return *document_; }
  // The file's own table; null if it cannot be read, which is complained about.
  const Node* root();

  void complain(Range range, std::string_view message);
  void rows(const Node& node, std::string_view where, const std::vector<Row>& rows);
  void table(const Entry& entry, std::string_view name, const std::vector<Row>& rows);
  // A table of free names.
  void each(const Entry& entry, std::string_view name, const std::function<void(const Entry&)>& read);
  // [[name]]
  void tables(const Entry& entry, std::string_view name, const std::function<void(const Node&, Range)>& read);

  const std::string* text(const Entry& entry, std::string_view name);
  std::optional<bool> boolean(const Entry& entry, std::string_view name);
  std::optional<double> positive(const Entry& entry, std::string_view name);
  // The items of a list of text.
  std::vector<const Item*> text_items(const Entry& entry, std::string_view name);
  std::vector<std::string> texts(const Entry& entry, std::string_view name);
  // One of some words.
  std::optional<std::string> choice(const Entry& entry, std::string_view name, std::span<const std::string_view> choices);
  // Names of rules, families, frameworks.
  std::vector<std::string> patterns(const Entry& entry, std::string_view name);

  // [[constraint]] and `constraints`, for `law`; paths start from `folder`.
  std::vector<Row> constraints(OwnLaw& law, const Files& files, const std::string& folder);

  // The settings that a file, [[per-path]] and a site have in common.
  std::vector<Row> settings(Settings& settings, std::string_view where);
  // [gpus.NAME]: cards of one's own.
  Row gpus(Settings& settings);
  void agree(const Facts& cluster);

  static std::string joined(std::string_view where, std::string_view key);

 private:
  void wrong_type(Range range, std::string_view name, std::string_view wanted, const Node& found);
  template <class T>
  std::optional<T> accept(Checked<T> checked, Range range) {
    if (!checked.value) complain(range, checked.error);
    return std::move(checked.value);
  }

  void framework(const Entry& entry, const std::string& name, Settings& settings);
  void versions(const Entry& entry, const std::string& name, Settings& settings);
  void fact(const Entry& entry, std::string path, Value value, Settings& settings);
  void cluster(const Entry& entry, const std::string& name, Settings& settings);
  void partition(const Entry& entry, const std::string& name, Settings& settings);
  void environment(const Entry& entry, const std::string& name, Settings& settings);
  void rules(const Entry& entry, const std::string& name, Settings& settings);
  void note(const Entry& entry, std::string name, std::string value, Settings& settings);

  DocumentPtr document_;
  std::vector<std::string>& errors_;
  std::set<std::string, std::less<>> own_gpus_;  // [cluster] names them, wherever they stand
};

}  // namespace shardlint
