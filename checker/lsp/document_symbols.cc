// The outline: sections and keys of a config, training commands of a script. Only of files that are a job's.
#include <map>

#include <fmt/format.h>

#include "checker/lsp/features.h"

namespace shardlint::lsp {

namespace {

using mlir::lsp::SymbolKind;

SymbolKind kind_of(const Node& node) {
  if (node.kind == Node::Kind::Mapping) return SymbolKind::Object;
  if (node.kind == Node::Kind::Sequence) return SymbolKind::Array;
  return SymbolKind::Property;
}

class Outline {
 public:
  explicit Outline(const Request& request) : request_(request) {}

  llvm::json::Array of(const Node& node, int depth) {
    llvm::json::Array out;
    if (depth > 16) return out;
    for (const Entry& entry : node.entries) {
      const Node& value = *entry.value;
      Range whole{entry.key_range.begin, std::max({entry.key_range.end, entry.value_range.end, entry.alias ? 0u : end_of(value, depth)})};
      const bool scalar = value.kind == Node::Kind::Scalar;
      llvm::json::Object symbol{{"name", entry.key.empty() ? "\"\"" : entry.key},
                                {"kind", static_cast<int>(kind_of(value))},
                                {"range", request_.range_of(whole)},
                                {"selectionRange", request_.range_of(entry.key_range)}};
      if (scalar) symbol["detail"] = value.text.substr(0, 60);
      if (!scalar && !entry.alias) {
        llvm::json::Array children = value.kind == Node::Kind::Mapping ? of(value, depth + 1) : items(value, depth + 1);
        if (!children.empty()) symbol["children"] = std::move(children);
      }
      out.push_back(std::move(symbol));
    }
    return out;
  }

 private:
  // The items that are tables; plain values in a list are no symbols.
  llvm::json::Array items(const Node& list, int depth) {
    llvm::json::Array out;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const Node& value = *list.items[i].value;
      if (value.kind != Node::Kind::Mapping || list.items[i].alias) continue;
      const Range whole{list.items[i].value_range.begin, std::max(list.items[i].value_range.end, end_of(value, depth))};
      out.push_back(llvm::json::Object{{"name", fmt::format("[{}]", i)},
                                       {"kind", static_cast<int>(SymbolKind::Object)},
                                       {"range", request_.range_of(whole)},
                                       {"selectionRange", request_.range_of({whole.begin, whole.begin})},
                                       {"children", of(value, depth + 1)}});
    }
    return out;
  }

  // A TOML table's own range is its header's line; what it holds may stand behind it.
  static std::uint32_t end_of(const Node& node, int depth) {
    std::uint32_t end = node.range.end;
    if (depth > 16) return end;
    for (const Entry& entry : node.entries)
      if (!entry.alias) end = std::max({end, entry.value_range.end, end_of(*entry.value, depth + 1)});
    return end;
  }

  const Request& request_;
};

// The words of a script or a program that make up its plans.
llvm::json::Array of_plans(const Request& request, const std::vector<AnalysisPtr>& analyses) {
  llvm::json::Array out;
  for (const PlanOf& entry : plans_of(analyses)) {
    if (!entry.plan->job || !entry.present) continue;
    llvm::json::Array children;
    Range whole{UINT32_MAX, 0};
    for (const Fact& fact : entry.plan->job->facts) {
      if (!fact.place || fact.place.source->text() != request.text->bytes) continue;
      if (join(entry.analysis->root.folder, fact.place.source->path()) != request.path || fact.place.range.empty()) continue;
      const Range range = fact.place.range;
      whole = {std::min(whole.begin, range.begin), std::max(whole.end, range.end)};
      if (children.size() < 2000)
        children.push_back(llvm::json::Object{{"name", fact.path},
                                              {"detail", fact.value.map() ? "" : to_string(fact.value).substr(0, 60)},
                                              {"kind", static_cast<int>(SymbolKind::Property)},
                                              {"range", request.range_of(range)},
                                              {"selectionRange", request.range_of(range)}});
    }
    if (children.empty()) continue;
    const std::string name = entry.plan->name == "default" ? entry.plan->title : fmt::format("{} {}", entry.plan->title, entry.plan->name);
    out.push_back(llvm::json::Object{{"name", name},
                                     {"kind", static_cast<int>(SymbolKind::Module)},
                                     {"range", request.range_of(whole)},
                                     {"selectionRange", request.range_of({whole.begin, whole.begin})},
                                     {"children", std::move(children)}});
  }
  return out;
}

// As editors without trees take it: one after the other, each with its holder's name.
void flatten(const llvm::json::Array& symbols, const std::string& uri, const std::string& holder, llvm::json::Array& out) {
  for (const llvm::json::Value& value : symbols) {
    const llvm::json::Object& symbol = *value.getAsObject();
    const std::string name = symbol.getString("name")->str();
    llvm::json::Object flat{
        {"name", name}, {"kind", *symbol.get("kind")}, {"location", llvm::json::Object{{"uri", uri}, {"range", *symbol.get("range")}}}};
    if (!holder.empty()) flat["containerName"] = holder;
    out.push_back(std::move(flat));
    if (const llvm::json::Array* children = symbol.getArray("children"))
      flatten(*children, uri, holder.empty() ? name : holder + "." + name, out);
  }
}

}  // namespace

llvm::json::Value document_symbols(const Request& request) {
  const std::vector<AnalysisPtr> analyses = request.analyses();
  if (std::none_of(analyses.begin(), analyses.end(), [](const AnalysisPtr& analysis) { return analysis->judged || analysis->good; }))
    return nullptr;
  llvm::json::Array out;
  if (const DocumentPtr document = document_of(request); document && !document->roots.empty())
    out = Outline(request).of(*document->roots[0], 0);
  else
    out = of_plans(request, analyses);
  if (request.client->tree_of_symbols) return out;
  llvm::json::Array flat;
  flatten(out, Places(request.client->encoding, request.buffers, request.folder).uri(request.path), "", flat);
  return flat;
}

}  // namespace shardlint::lsp
