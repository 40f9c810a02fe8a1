#include "checker/schema/models.h"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "checker/document/document.h"

namespace shardlint {

namespace {

constexpr ShapeColumn kColumns[kShapeColumns] = {
    {"layers", false, true},
    {"hidden", false, true},
    {"ffn_hidden", false, true},
    {"heads", false, true},
    {"kv_groups", false, true},
    {"head_dim", false, true},
    {"vocab", false, true},
    {"max_positions"},
    {"gated_mlp", true, true},
    {"tied_embeddings", true, true},
    {"qkv_bias", true},
    {"linear_bias", true},
    {"experts"},
    {"topk"},
    {"moe_ffn_hidden"},
    {"shared_expert_ffn"},
    {"dense_layers"},
    {"q_lora_rank"},
    {"kv_lora_rank"},
    {"rope_head_dim"},
    {"value_head_dim"},
    {"params"},
};

std::string_view after_organisation(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

class ModelLoader {
 public:
  explicit ModelLoader(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    document_ = read_document(std::make_shared<Source>(path, text.str()), Format::Toml);
    for (const Problem& problem : document_->problems) error(problem.range, problem.message);
  }

  ModelTable run() {
    if (!table_.errors.empty() || document_->roots.empty()) return std::move(table_);
    const Node& root = *document_->roots[0];
    std::vector<std::string_view> mirrors;
    for (const Entry& entry : root.entries) {
      if (entry.key == "mirrors")
        mirrors = texts(*entry.value);
      else if (entry.key != "model")
        error(entry.key_range, fmt::format("{} has no meaning here", entry.key));
    }
    if (const Entry* models = document_->find(root, "model"))
      for (const Item& item : models->value->items) model(*item.value, mirrors);
    for (const auto& [spelling, model] : names_) table_.names.push_back({keep(spelling), model});
    return std::move(table_);
  }

 private:
  void error(Range range, std::string_view message) {
    table_.errors.push_back(fmt::format("{}:{}: {}", document_->source->path(), document_->source->position(range.begin).line, message));
  }
  std::string_view keep(std::string_view text) { return table_.strings.emplace_back(text); }
  std::vector<std::string_view> texts(const Node& list) {
    std::vector<std::string_view> out;
    for (const Item& item : list.items) out.push_back(item.value->text);
    return out;
  }

  void model(const Node& node, const std::vector<std::string_view>& mirrors) {
    std::vector<std::string_view> names, endings{""};
    ModelShape shape;
    shape.cells.fill(ModelShape::kNone);
    for (const Entry& entry : node.entries) {
      if (entry.key == "names") {
        names = texts(*entry.value);
      } else if (entry.key == "endings") {
        for (std::string_view ending : texts(*entry.value)) endings.push_back(ending);
      } else if (entry.key == "source") {
        shape.source = keep(entry.value->text);
      } else if (entry.value->kind == Node::Kind::Mapping) {
        for (const Entry& inner : entry.value->entries) cell(shape, inner);
      } else {
        cell(shape, entry);
      }
    }
    if (names.empty() || shape.source.empty()) return error(node.range, "a model needs names and a source");
    for (std::size_t i = 0; i < kShapeColumns; ++i) {
      if (shape.cells[i] == ModelShape::kNone && kColumns[i].every)
        error(node.range, fmt::format("{} does not say its {}", names[0], kColumns[i].name));
      if (shape.cells[i] == ModelShape::kNone && kColumns[i].flag) shape.cells[i] = 0;
    }
    shape.name = keep(names[0]);
    const auto index = static_cast<std::uint16_t>(table_.models.size());
    table_.models.push_back(shape);
    std::set<std::string> all;
    for (std::string_view name : names)
      for (std::string_view ending : endings) {
        const std::string whole = model_spelling(fmt::format("{}{}", name, ending));
        const std::string own(after_organisation(whole));
        all.insert(whole);
        for (std::string_view mirror : mirrors) all.insert(model_spelling(fmt::format("{}/{}", mirror, own)));
        // A bare word such as bloom may mean anything.
        if (own.find_first_of("0123456789") != std::string::npos) all.insert(own);
      }
    for (const std::string& name : all)
      if (!names_.insert({name, index}).second) error(node.range, fmt::format("{} is the name of two models", name));
  }

  void cell(ModelShape& shape, const Entry& entry) {
    const auto column = shape_column(entry.key);
    if (!column) return error(entry.key_range, fmt::format("no column {}", entry.key));
    const Value* value = entry.value->value ? &*entry.value->value : nullptr;
    if (kColumns[*column].flag && value && value->boolean())
      shape.cells[*column] = *value->boolean() ? 1 : 0;
    else if (!kColumns[*column].flag && value && value->integer() && *value->integer() > 0)
      shape.cells[*column] = *value->integer();
    else
      error(entry.value_range, fmt::format("{} must be {}", entry.key, kColumns[*column].flag ? "true or false" : "a number above 0"));
  }

  DocumentPtr document_;
  ModelTable table_;
  std::map<std::string, std::uint16_t> names_;
};

}  // namespace

std::span<const ShapeColumn, kShapeColumns> shape_columns() { return kColumns; }

std::optional<std::size_t> shape_column(std::string_view name) {
  for (std::size_t i = 0; i < kShapeColumns; ++i)
    if (kColumns[i].name == name) return i;
  return std::nullopt;
}

Value ModelShape::at(std::size_t column) const {
  if (cells[column] == kNone) return Null{};
  return kColumns[column].flag ? Value(cells[column] != 0) : Value(cells[column]);
}

std::string model_spelling(std::string_view name) {
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  std::string out(name);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return out;
}

ModelTable load_models(const std::string& path) { return ModelLoader(path).run(); }

}  // namespace shardlint
