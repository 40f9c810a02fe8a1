#include "checker/compose/cell.h"

#include <charconv>

#include <fmt/format.h>

#include "checker/document/readers.h"
#include "checker/document/valuation.h"

namespace shardlint::layering {

namespace {

constexpr std::size_t kMaxChain = 8;

std::string spelled(const Cell& cell) {
  if (cell.kind == Cell::Kind::Map) return "a table";
  if (cell.kind == Cell::Kind::List) return "a list";
  if (!cell.text.empty()) return cell.text;
  return to_string(cell.value);
}

class Reader {
 public:
  Reader(const DocumentPtr& document, const Reading& reading, Budget& budget)
      : document_(document), reading_(reading), budget_(budget), valuation_(reading.dialect) {}

  CellPtr read(const Node& node, const Node* parent, Range value_range, Range key_range, std::string spelled, int depth) {
    auto cell = std::make_unique<Cell>();
    Fact& fact = cell->written;
    fact.spelled = std::move(spelled);
    fact.place = document_->place(value_range.empty() ? key_range : value_range);
    fact.key_place = document_->place(key_range);
    fact.way = node.kind == Node::Kind::Scalar ? Way::Scalar : Way::Container;
    fact.document = document_, fact.node = &node, fact.parent = parent, fact.inherited = reading_.inherited;
    if (node.kind == Node::Kind::Scalar) {
      cell->value = valuation_.read(node);
      if (const std::string* text = cell->value.text(); text && reading_.interpolation && text->find("${") != std::string::npos)
        cell->text = *text;
      return cell;
    }
    cell->kind = node.kind == Node::Kind::Mapping ? Cell::Kind::Map : Cell::Kind::List;
    if (depth > kMaxDepth) return cell;
    const std::string name = fact.spelled;
    if (cell->map()) {
      for (const Entry* entry : document_->entries(node)) {
        if (depth == 0) top_ = entry->key_range;
        if (!spend()) break;
        cell->add(entry->key, read(*entry->value, &node, entry->value_range, entry->key_range, entry->key, depth + 1));
      }
    } else {
      for (std::size_t i = 0; i < node.items.size() && spend(); ++i) {
        const Item& item = node.items[i];
        std::string index = fmt::format("[{}]", i);
        CellPtr child = read(*item.value, &node, item.value_range, item.value_range, name + index, depth + 1);
        cell->add(std::move(index), std::move(child));
      }
    }
    return cell;
  }

 private:
  bool spend() {
    if (budget_.cells == 0) {
      if (!budget_.spent) budget_.cut = document_->place(top_);
      return budget_.spent = true, false;
    }
    --budget_.cells;
    return true;
  }

  const DocumentPtr& document_;
  const Reading& reading_;
  Budget& budget_;
  Valuation valuation_;
  Range top_;
};

}  // namespace

Cell* Cell::find(std::string_view key) const {
  if (kind == Kind::Map) {
    const auto at = index_.find(key);
    return at == index_.end() ? nullptr : children[at->second].get();
  }
  if (kind != Kind::List) return nullptr;
  if (key.starts_with('[') && key.ends_with(']')) key = key.substr(1, key.size() - 2);
  std::size_t i = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), i);
  return error == std::errc() && end == key.data() + key.size() && i < children.size() ? children[i].get() : nullptr;
}

Cell* Cell::add(std::string key, CellPtr cell) {
  cell->up = this;
  cell->name = std::move(key);
  if (map()) {
    if (const auto at = index_.find(cell->name); at != index_.end()) {
      const std::size_t i = at->second;
      index_.erase(at);
      index_.emplace(cell->name, i);
      children[i] = std::move(cell);
      return children[i].get();
    }
    index_.emplace(cell->name, children.size());
  }
  children.push_back(std::move(cell));
  return children.back().get();
}

CellPtr Cell::take(std::string_view key) {
  const auto at = index_.find(key);
  if (at == index_.end()) return nullptr;
  CellPtr out = std::move(children[at->second]);
  children.erase(children.begin() + static_cast<std::ptrdiff_t>(at->second));
  index_.clear();
  for (std::size_t i = 0; i < children.size(); ++i) index_.emplace(children[i]->name, i);
  out->up = nullptr;
  return out;
}

std::string Cell::path() const {
  std::vector<const Cell*> way;
  for (const Cell* cell = this; cell->up; cell = cell->up) way.push_back(cell);
  std::string out;
  for (auto cell = way.rbegin(); cell != way.rend(); ++cell) {
    if (!out.empty() && (*cell)->up->map()) out += '.';
    out += (*cell)->name;
  }
  return out;
}

CellPtr read_cells(const DocumentPtr& document, const Node& root, const Reading& reading, Budget& budget) {
  return Reader(document, reading, budget).read(root, nullptr, root.range, root.range, "", 0);
}

CellPtr make_map() {
  auto out = std::make_unique<Cell>();
  out->kind = Cell::Kind::Map;
  return out;
}

CellPtr copy(const Cell& cell, Budget& budget) {
  auto out = std::make_unique<Cell>();
  out->kind = cell.kind, out->value = cell.value, out->text = cell.text, out->open = cell.open;
  out->written = cell.written, out->chain = cell.chain;
  for (const CellPtr& child : cell.children) {
    if (budget.cells == 0) {
      budget.spent = true;
      break;
    }
    --budget.cells;
    out->add(child->name, copy(*child, budget));
  }
  return out;
}

Step overridden(const Cell& cell) {
  return {fmt::format("{} was {} here, and is overridden", cell.written.spelled, spelled(cell)), cell.written.place};
}

void Merge::operator()(Cell& into, CellPtr over) const {
  for (CellPtr& child : over->children) {
    const std::string key = child->name;
    put(into, key, std::move(child));
  }
}

void Merge::put(Cell& parent, const std::string& key, CellPtr over) const {
  Cell* old = parent.find(key);
  if (!old) {
    parent.add(key, std::move(over));
    return;
  }
  if (omegaconf && over->mandatory()) return;
  if (omegaconf && over->map() && old->interpolated() && resolve)
    if (CellPtr target = resolve(*old)) {
      target->chain.insert(target->chain.begin(), {fmt::format("a copy of {} is taken here", old->text), old->written.place});
      old = parent.add(key, std::move(target));
    }
  if (over->map() && old->map()) {
    if (omegaconf && over->children.empty()) return;
    if (over->written.place) {
      if (old->written.place) old->chain.insert(old->chain.begin(), {fmt::format("{} begins here", key), old->written.place});
      if (old->chain.size() > kMaxChain) old->chain.resize(kMaxChain);
      const std::string spelling = old->written.spelled;
      if (over->written.way != Way::Override) old->written = over->written;
      if (old->written.spelled.empty()) old->written.spelled = spelling;
    }
    (*this)(*old, std::move(over));
    return;
  }
  over->chain.push_back(overridden(*old));
  over->chain.insert(over->chain.end(), old->chain.begin(), old->chain.end());
  if (over->chain.size() > kMaxChain) over->chain.resize(kMaxChain);
  parent.add(key, std::move(over));
}

void open_all(Cell& cell, const std::string& why) {
  if (cell.scalar()) cell.open = why;
  for (const CellPtr& child : cell.children) open_all(*child, why);
}

}  // namespace shardlint::layering
