// Files that name their parents: NeMo-RL's `defaults`, MaxText's `base_config`.
#include <algorithm>

#include <fmt/format.h>

#include "checker/compose/layers.h"

namespace shardlint::layering {

namespace {

class Inheritance {
 public:
  explicit Inheritance(Stack& stack) : stack_(stack) {}

  CellPtr load(const DocumentPtr& document) {
    CellPtr own = stack_.read(document);
    if (!own) return nullptr;
    CellPtr parents = own->take("defaults");
    if (!parents) return own;
    const std::string& path = document->source->path();
    open_.push_back(normal(path));
    CellPtr merged = make_map();
    for (const Named& parent : named_files(*parents)) {
      const std::string wanted = join(folder_of(path), parent.text);
      if (std::find(open_.begin(), open_.end(), wanted) != open_.end()) {
        stack_.circle(wanted, parent.place);
        continue;
      }
      const Found found =
          open_.size() < kMaxIncludeDepth && stack_.enter() ? stack_.open(wanted) : Found{Found::State::Outside, nullptr, wanted};
      CellPtr layer = found.state == Found::State::Read ? load(found.document) : nullptr;
      if (found.state == Found::State::Read && !layer) {
        stack_.report(composition::kMissingInclude, fmt::format("{} holds no configuration: its top level is no mapping", parent.text), "",
                      parent.place);
        continue;
      }
      // A folder that is not there at all may be of a part of the repository that was left out.
      const bool certain =
          found.state == Found::State::Missing && stack_.files().is_folder(folder_of(wanted).empty() ? "." : folder_of(wanted));
      if (!layer)
        stack_.missing(parent.text, wanted, parent.place, merged.get(), certain);
      else
        lay(*merged, std::move(layer));
    }
    open_.pop_back();
    lay(*merged, std::move(own));
    return merged;
  }

 private:
  // At the top level `_override_: true` replaces instead of merging.
  void lay(Cell& merged, CellPtr layer) {
    for (CellPtr& child : layer->children) {
      if (marked(*child)) {
        child->take("_override_");
        if (CellPtr old = merged.take(child->name)) child->chain.push_back(overridden(*old));
      }
    }
    stack_.merge(merged, std::move(layer));
  }
  static bool marked(const Cell& cell) {
    const Cell* marker = cell.map() ? cell.find("_override_") : nullptr;
    if (!marker || !marker->scalar()) return false;
    const Value& value = marker->value;
    return (value.is_number() && value.number() != 0) || (value.text() && !value.text()->empty());
  }

  Stack& stack_;
  std::vector<std::string> open_;  // from the run's own file to the one being read
};

}  // namespace

CellPtr compose_inherit(Stack& stack, const DocumentPtr& document) { return Inheritance(stack).load(document); }

namespace {

void mark_builtin(Cell& cell) {
  cell.written.builtin = true;
  for (const CellPtr& child : cell.children) mark_builtin(*child);
}

}  // namespace

// The parent stands beside the child or in the folders of configurations; it may have a parent itself.
CellPtr compose_base(Stack& stack, const DocumentPtr& document) {
  std::vector<CellPtr> layers;
  std::vector<std::string> seen{normal(document->source->path())};
  DocumentPtr next = document;
  bool is_builtin = false;  // a file of the framework's own, wherever a copy of it was found
  while (next) {
    CellPtr own = stack.read(next);
    if (!own) break;
    if (is_builtin) mark_builtin(*own);
    const Cell* base = own->find("base_config");
    const std::string from = next->source->path();
    next = nullptr;
    if (base && base->scalar() && base->value.text() && !base->value.text()->empty()) {
      const std::string named = *base->value.text();
      const std::string beside = join(folder_of(from), named);
      std::string wanted = stack.inside().has(beside) ? beside : stack.locate(folder_of(from), named);
      if (wanted.empty()) wanted = beside;
      if (std::find(seen.begin(), seen.end(), wanted) != seen.end()) {
        stack.circle(wanted, base->written.place);
      } else {
        const Found found = seen.size() < kMaxIncludeDepth ? stack.open(wanted) : Found{Found::State::Outside, nullptr, wanted};
        seen.push_back(wanted);
        next = found.document;
        const auto builtin = stack.schema().composition.builtin;
        is_builtin = std::find(builtin.begin(), builtin.end(), named) != builtin.end();
        // The installed package has a folder of its own, which is not ours to know.
        if (!next && !is_builtin) stack.missing(named, wanted, base->written.place, nullptr, false);
      }
    }
    layers.push_back(std::move(own));
  }
  CellPtr merged = make_map();
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) stack.merge(*merged, std::move(*layer));
  return merged;
}

}  // namespace shardlint::layering
