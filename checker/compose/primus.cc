// Primus: `${NAME:default}` in every text, `extends`, the platform file, and the presets below each trainer module.
//
// What a module comes to stands at the root under its framework's name, if the schema knows that: megatron.num_layers. Its `overrides` move
// there, so the module preset lies below, with those top-level keys of the model preset that the module preset lacks. One module (the first,
// or the first that is not named as a trainer) is shown under `module` with its name. The rest of the file stays as it is.
#include <set>

#include <fmt/format.h>

#include "checker/compose/layers.h"

namespace shardlint::layering {

namespace {

// A text that a substitution changed is read again: true and false in any case, integers, floats.
Value retyped(const std::string& text) {
  std::string small = text;
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  if (small == "null" || small == "none" || text.empty()) return text;
  const Value value = literal(text);
  return value.real() || value.integer() || value.boolean() ? value : Value(text);
}

class Primus {
 public:
  explicit Primus(Stack& stack) : stack_(stack) {}

  CellPtr load(const DocumentPtr& document) {
    CellPtr own = stack_.read(document);
    if (!own) return nullptr;
    expand(*own);
    const CellPtr parents = own->take("extends");
    if (!parents) return own;
    const std::string path = normal(document->source->path());
    open_.insert(path);
    CellPtr merged = make_map();
    for (const Named& parent : named_files(*parents)) {
      const std::string wanted = join(folder_of(path), parent.text);
      if (open_.contains(wanted))
        stack_.circle(wanted, parent.place);
      else if (CellPtr layer = include(parent.text, wanted, parent.place, merged.get()))
        stack_.merge(*merged, std::move(layer));
    }
    open_.erase(path);
    stack_.merge(*merged, std::move(own));
    return merged;
  }

  void modules(Cell& root, const std::string& folder) {
    const Cell* modules = root.find("modules");
    if (!modules || !modules->map()) return;
    const Cell* shown = nullptr;
    for (const CellPtr& module : modules->children)
      if (module->map() && (!shown || (is_trainer(*shown) && !is_trainer(*module)))) shown = module.get();
    if (shown && !root.find("module")) {
      CellPtr view = copy(*shown, stack_.budget);
      view->take("overrides");
      auto name = std::make_unique<Cell>();
      name->value = shown->name, name->written = shown->written;
      name->written.place = shown->written.key_place, name->written.way = Way::Container;
      name->written.document = nullptr;  // a key, which nobody can set like a value
      view->written.spelled = shown->name;
      view->add("name", std::move(name));
      stack_.out().moved.emplace_back("module", fmt::format("modules.{}", shown->name));
      root.add("module", std::move(view));
    }
    for (const CellPtr& module : modules->children) {
      const std::string framework = text_of(*module, "framework");
      if (framework.empty() || root.find(framework) || !stack_.schema().find_key(framework)) continue;
      if (stack_.out().words_below.empty()) stack_.out().words_below = framework;
      const bool whole = stack_.out().partial.empty();
      CellPtr preset = this->preset(*module, folder, fmt::format("modules/{}", framework), "config");
      CellPtr model = this->preset(*module, folder, fmt::format("models/{}", framework), "model");
      CellPtr all = preset ? std::move(preset) : make_map();
      if (model)
        for (CellPtr& child : model->children) {
          std::string name = child->name;
          if (!all->find(name)) all->add(std::move(name), std::move(child));
        }
      if (CellPtr overrides = module->take("overrides")) {
        all->written = overrides->written;
        if (overrides->map()) stack_.merge(*all, std::move(overrides));
      } else {
        all->written = module->written;
      }
      stack_.out().moved.emplace_back(framework, fmt::format("modules.{}.overrides", module->name));
      if (whole && !stack_.out().partial.empty()) stack_.out().partial_below = framework;
      all->written.spelled = framework;
      root.add(framework, std::move(all));
    }
  }

  // The platform file below its overrides, where it is in reach.
  void platform(Cell& root, const std::string& folder) {
    Cell* platform = root.find("platform");
    if (!platform || !platform->map()) return;
    const std::string name = text_of(*platform, "config");
    const std::string path =
        name.empty() ? "" : stack_.locate(folder, fmt::format("platforms/{}", format_of(name) ? name : name + ".yaml"));
    CellPtr settings = path.empty() ? nullptr : include(name, path, platform->find("config")->written.place, nullptr);
    if (!settings) return;
    if (CellPtr overrides = platform->take("overrides"); overrides && overrides->map()) stack_.merge(*settings, std::move(overrides));
    stack_.out().moved.emplace_back("platform", "platform.overrides");
    for (CellPtr& child : settings->children) {
      std::string key = child->name;
      if (!platform->find(key)) platform->add(std::move(key), std::move(child));
    }
  }

 private:
  static bool is_trainer(const Cell& module) { return module.name.find("trainer") != std::string::npos; }

  static std::string text_of(const Cell& map, std::string_view key) {
    const Cell* cell = map.find(key);
    return cell && cell->scalar() && cell->open.empty() && cell->value.text() ? *cell->value.text() : "";
  }

  CellPtr include(const std::string& named, const std::string& path, const Place& place, Cell* so_far) {
    const Found found = open_.size() < kMaxIncludeDepth && stack_.enter() ? stack_.open(path) : Found{Found::State::Outside, nullptr, path};
    if (CellPtr layer = found.document ? load(found.document) : nullptr) return layer;
    const bool certain = found.state == Found::State::Missing && stack_.files().is_folder(folder_of(path).empty() ? "." : folder_of(path));
    stack_.missing(named, path, place, so_far, certain);
    return nullptr;
  }

  CellPtr preset(const Cell& module, const std::string& folder, const std::string& kind, std::string_view key) {
    const Cell* named = module.find(key);
    if (!named) return nullptr;
    std::string name = text_of(module, key);
    if (name.empty()) return stack_.missing(std::string(key), std::string(key), named->written.place, nullptr, false), nullptr;
    if (!format_of(name)) name += ".yaml";
    std::string path = stack_.locate(folder, fmt::format("{}/{}", kind, name));
    if (path.empty()) {
      // The folder of presets is here and lacks this one, or it lies where Primus is installed.
      const std::string presets = stack_.locate(folder, kind);
      const bool certain = !presets.empty() && stack_.files().is_folder(presets);
      return stack_.missing(name, certain ? join(presets, name) : name, named->written.place, nullptr, certain), nullptr;
    }
    return include(name, path, named->written.place, nullptr);
  }

  void expand(Cell& cell) {
    for (const CellPtr& child : cell.children) expand(*child);
    if (!cell.scalar() || !cell.value.text()) return;
    if (*cell.value.text() == "null") cell.value = Null{};
    if (!cell.value.text() || cell.value.text()->find("${") == std::string::npos) return;
    const std::string& text = *cell.value.text();
    std::string out;
    bool changed = false;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t close = text.compare(at, 2, "${") == 0 ? text.find('}', at) : std::string::npos;
      if (close == std::string::npos) {
        out += text[at++];
        continue;
      }
      const std::string inside = text.substr(at + 2, close - at - 2);
      const std::size_t colon = inside.find(':');
      const std::string name = inside.substr(0, colon);
      const auto known = stack_.world.environment.find(name);
      if (known != stack_.world.environment.end())
        out += known->second;
      else if (colon != std::string::npos)
        out += inside.substr(colon + 1);
      else
        return void(cell.open = fmt::format("the environment variable {} decides", name));
      cell.chain.push_back({fmt::format("{} stands here, {}", text.substr(at, close + 1 - at),
                                        known != stack_.world.environment.end() ? "and is set" : "and its default holds"),
                            cell.written.place});
      changed = true;
      at = close + 1;
    }
    if (changed) cell.value = out == "null" ? Value(Null{}) : retyped(out);
  }

  Stack& stack_;
  std::set<std::string> open_;  // the files being read
};

}  // namespace

CellPtr compose_primus(Stack& stack, const DocumentPtr& document) {
  Primus primus(stack);
  CellPtr root = primus.load(document);
  if (root) {
    primus.platform(*root, folder_of(document->source->path()));
    primus.modules(*root, folder_of(document->source->path()));
  }
  return root;
}

}  // namespace shardlint::layering
