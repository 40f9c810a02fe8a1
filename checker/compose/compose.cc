#include "checker/compose/compose.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/compose/layers.h"
#include "checker/document/readers.h"

namespace shardlint {

namespace layering {

namespace {

constexpr std::size_t kMaxFacts = 200'000;
constexpr std::size_t kMaxPathBytes = 16u << 20;

// The finished tree and what it rests on; facts' formulas keep it alive.
struct Tree {
  CellPtr root;
  Surroundings world;
};

class Interpolation : public Formula {
 public:
  Interpolation(std::shared_ptr<const Tree> tree, const Cell& cell, std::vector<std::string> paths) : tree_(std::move(tree)), cell_(&cell) {
    reads = std::move(paths);
  }
  std::optional<Value> value(const std::map<std::string, Value>& changed) const override {
    Resolver resolver(tree_->world, &changed);
    const Resolved& result = resolver.resolve(*cell_);
    if (result.state != Resolved::State::Known) return std::nullopt;
    return result.value;
  }

 private:
  std::shared_ptr<const Tree> tree_;
  const Cell* cell_;
};

class Flattening {
 public:
  Flattening(std::shared_ptr<const Tree> tree, Resolver& resolver) : tree_(std::move(tree)), resolver_(resolver) {}

  Facts run() {
    below(*tree_->root, "", "", nullptr, 0);
    return std::move(facts_);
  }
  const std::vector<std::size_t>& mandatory() const { return mandatory_; }
  const std::optional<Place>& cut() const { return cut_; }

 private:
  // `via`: the interpolation that brought this cell to another place.
  Value add(const Cell& cell, const std::string& path, std::string spelled, const Cell* via, int depth) {
    if (depth == 0) top_ = cell.written.key_place;
    path_bytes_ += path.size() + spelled.size();
    if (facts_.size() >= kMaxFacts || path_bytes_ > kMaxPathBytes || depth > kMaxDepth) {
      if (!cut_) cut_ = top_;
      return {};
    }
    const std::size_t index = facts_.size();
    {
      Fact& fact = facts_.emplace_back(cell.written);
      fact.path = path, fact.spelled = spelled;
      if (fact.way == Way::Container && cell.scalar()) fact.way = Way::Scalar;
    }
    std::vector<Step> chain;
    const Cell* inner = &cell;
    const Resolved& found = resolver_.resolve(cell);
    const Cell* brings = via;
    if (cell.interpolated()) {
      chain = found.sources;
      if (found.state == Resolved::State::Container) inner = found.cell, brings = via ? via : &cell;
    }
    if (via) {
      Fact& fact = facts_[index];
      chain.insert(chain.begin(), {fmt::format("{} stands here", cell.path()), cell.written.place});
      fact.place = via->written.place, fact.key_place = via->written.key_place, fact.document = via->written.document;
      fact.inherited = via->written.inherited, fact.node = nullptr, fact.parent = nullptr;
    }
    chain.insert(chain.end(), cell.chain.begin(), cell.chain.end());
    if (chain.size() > 8) chain.resize(8);
    if (!chain.empty()) facts_[index].chain = std::make_shared<const std::vector<Step>>(std::move(chain));
    Value value;
    if (!cell.open.empty()) {
      facts_[index].open = cell.open;
    } else if (cell.mandatory()) {
      facts_[index].open = "it is ???, for somebody to give";
      mandatory_.push_back(index);
    } else if (found.state == Resolved::State::Container) {
      facts_[index].way = facts_[index].way == Way::Override ? Way::Override : Way::Container;
      value = below(*inner, path, spelled, brings, depth + 1);
      // Inside lists an unknown item makes the list unknown.
      if (value.list() && open_items_) facts_[index].open = "one of its items is not known";
    } else if (found.state == Resolved::State::Known) {
      value = found.value;
      if ((cell.interpolated() && !found.reads.empty()) || via)
        facts_[index].formula = std::make_shared<const Interpolation>(
            tree_, cell, via && !cell.interpolated() ? std::vector<std::string>{cell.path()} : found.reads);
    } else {
      facts_[index].open = found.why.empty() ? "its interpolation cannot be resolved" : found.why;
    }
    open_items_ = !facts_[index].open.empty();
    facts_[index].value = value;
    return value;
  }

  Value below(const Cell& cell, const std::string& path, const std::string& spelled, const Cell* via, int depth) {
    if (cell.kind == Cell::Kind::List) {
      ValueList items;
      bool open = false;
      for (const CellPtr& child : cell.children) {
        items.push_back(add(*child, path + child->name, spelled + child->name, via, depth));
        open |= open_items_;
      }
      open_items_ = open;
      return items;
    }
    for (const CellPtr& child : cell.children) add(*child, path.empty() ? child->name : path + "." + child->name, child->name, via, depth);
    open_items_ = false;
    return Map{cell.children.size()};
  }

  std::shared_ptr<const Tree> tree_;
  Resolver& resolver_;
  Facts facts_;
  std::vector<std::size_t> mandatory_;
  std::size_t path_bytes_ = 0;
  Place top_;
  std::optional<Place> cut_;
  bool open_items_ = false;
};

bool hydra_grammar(Layering style) { return style == Layering::Hydra || style == Layering::OmegaConf || style == Layering::Inherit; }

}  // namespace

// ---- the stack

Stack::Stack(const Files& files, const Layers& layers, Composed& out)
    : files_(files), inside_(files, layers.workspace), layers_(layers), out_(out) {
  const Composition& composition = layers.schema->composition;
  world.resolvers = composition.resolvers;
  world.strict = composition.eager;
  world.environment = layers.environment;
  merge.omegaconf = hydra_grammar(composition.style);
  merge.resolve = [this](const Cell& cell) -> CellPtr {
    Surroundings here = world;
    here.root = &cell;
    while (here.root->up) here.root = here.root->up;
    Resolver resolver(here);
    const Resolved& found = resolver.resolve(cell);
    return found.state == Resolved::State::Container ? copy(*found.cell, budget) : nullptr;
  };
  for (const DocumentPtr& document : layers.documents) read_[normal(document->source->path())] = document;
}

Found Stack::open(const std::string& path) {
  Found out{Found::State::Missing, nullptr, normal(path)};
  if (const auto known = read_.find(out.path); known != read_.end()) {
    out.document = known->second;
    out.state = out.document ? Found::State::Read : Found::State::Missing;
    return out;
  }
  if (!inside_(out.path) || read_.size() >= kMaxFiles) {
    out.state = Found::State::Outside;
    return out;
  }
  Files::Read file = files_.is_folder(out.path) ? Files::Read{} : files_.read(out.path);
  DocumentPtr& document = read_[out.path];
  if (!file.text) return out;
  document = read_document(std::make_shared<const Source>(out.path, std::move(*file.text)), format_of(out.path).value_or(Format::Yaml));
  out_.included.push_back(document);
  out.document = document, out.state = Found::State::Read;
  return out;
}

std::string Stack::locate(const std::string& folder, const std::string& relative) {
  std::string at = folder;
  for (int level = 0; level < 64 && inside_(at.empty() ? "." : at); ++level) {
    for (std::string_view search : schema().composition.search) {
      const std::string path = join(at, fmt::format("{}/{}", search, relative));
      if (inside_.has(path)) return path;
    }
    const std::string above = at.empty() ? ".." : normal(at + "/..");
    if (above == at) break;
    at = above;
  }
  return "";
}

bool Stack::own(const DocumentPtr& document) const {
  return std::find(layers_.documents.begin(), layers_.documents.end(), document) != layers_.documents.end();
}

CellPtr Stack::read(const DocumentPtr& document) {
  if (document->roots.empty() || document->roots[0]->kind != Node::Kind::Mapping) return document->roots.empty() ? make_map() : nullptr;
  const Reading reading{layers_.loader, merge.omegaconf, !own(document)};
  return read_cells(document, *document->roots[0], reading, budget);
}

Finding& Stack::report(const RuleInfo& info, std::string message, std::string effect, Place place) {
  Finding& finding = out_.findings.emplace_back();
  finding.rule = info.name, finding.family = info.family, finding.severity = info.severity;
  finding.message = std::move(message), finding.effect = std::move(effect), finding.place = std::move(place);
  return finding;
}

void Stack::missing(const std::string& named, const std::string& path, const Place& place, Cell* so_far, bool certain) {
  if (certain) {
    const bool no_file = files_.exists(path);  // a folder, a pipe
    std::string message = no_file ? fmt::format("{} is no file that can be read", named) : fmt::format("{} is not there", named);
    const std::vector<std::string> there = files_.list(folder_of(path).empty() ? "." : folder_of(path));
    const std::vector<std::string_view> names(there.begin(), there.end());
    const std::string_view wanted = std::string_view(path).substr(path.rfind('/') + 1);
    if (const auto near = nearest(wanted, names, 1); !near.empty() && !no_file) message += fmt::format("; the nearest is {}", near[0]);
    Finding& finding =
        report(composition::kMissingInclude, std::move(message), fmt::format("{} stops before it reads the rest", schema().title), place);
    if (!layers_.named) finding.severity = Severity::Warning;
  }
  if (out_.partial.empty())
    out_.partial = certain ? fmt::format("{} is not there and may set it", named) : fmt::format("{} is not in reach and may set it", named);
  if (so_far) open_all(*so_far, out_.partial);
}

void Stack::circle(const std::string& path, const Place& place) {
  report(composition::kIncludeCycle, fmt::format("{} includes itself", shown(path, files_.working_folder())),
         fmt::format("{} never comes to an end with it", schema().title), place);
  if (out_.partial.empty()) out_.partial = fmt::format("{} includes itself", path);
}

std::vector<Named> named_files(const Cell& cell) {
  std::vector<Named> out;
  if (cell.scalar() && cell.value.text()) out.push_back({*cell.value.text(), cell.written.place});
  for (const CellPtr& child : cell.children)
    if (child->scalar() && child->value.text()) out.push_back({*child->value.text(), child->written.place});
  return out;
}

}  // namespace layering

using namespace layering;

namespace {

class Composer {
 public:
  Composer(const Files& files, const Layers& layers)
      : stack_(files, layers, out_), layers_(layers), style_(layers.schema->composition.style) {}

  Composed run() {
    CellPtr root = layered();
    overrides(*root);
    if (stack_.budget.spent) cut_at(stack_.budget.cut);
    auto tree = std::make_shared<Tree>();
    tree->root = std::move(root);
    tree->world = stack_.world;
    tree->world.root = tree->root.get();
    tree->world.partial = out_.partial;
    Resolver resolver(tree->world);
    Flattening flattening(tree, resolver);
    out_.facts = flattening.run();
    if (flattening.cut()) cut_at(*flattening.cut());
    failures(resolver);
    for (std::size_t index : flattening.mandatory()) mandatory(out_.facts[index]);
    return std::move(out_);
  }

 private:
  CellPtr layered() {
    CellPtr root;
    words_ = layers_.overrides;
    for (const DocumentPtr& document : layers_.documents) {
      CellPtr layer;
      switch (style_) {
        case Layering::Inherit: layer = compose_inherit(stack_, document); break;
        case Layering::Hydra: layer = compose_hydra(stack_, document, words_); break;
        case Layering::Base: layer = compose_base(stack_, document); break;
        case Layering::Primus: layer = compose_primus(stack_, document); break;
        default: layer = stack_.read(document); break;
      }
      if (!layer) continue;
      if (!root)
        root = std::move(layer);
      else
        stack_.merge(*root, std::move(layer));
    }
    return root ? std::move(root) : make_map();
  }

  void cut_at(const Place& place) {
    if (!out_.cut) out_.cut = place;
    if (out_.partial.empty()) out_.partial = "there are more values than are composed here";
  }

  void overrides(Cell& root) {
    for (const Fact& fact : words_) {
      const std::string text = fact.word.empty() ? fmt::format("{}={}", fact.path, to_string(fact.value)) : fact.word;
      std::string error;
      std::optional<Word> word = read_word(text, error);
      std::optional<Refusal> refusal;
      if (!word)
        refusal = Refusal{error};
      else if (word->has_package)
        refusal = Refusal{fmt::format("no item of a defaults list is {}@{}", word->key, word->package)};
      else {
        Fact at = fact;
        at.spelled = word->key.substr(word->key.rfind('.') + 1);
        if (!out_.words_below.empty()) word->key = out_.words_below + "." + word->key;
        if (!hydra_grammar(style_)) word->kind = word->kind == Word::Kind::Remove ? word->kind : Word::Kind::Force;
        refusal = apply(root, *word, at, stack_.merge, [&](const std::string& key) {
          return !out_.partial.empty() || (layers_.schema->composition.base_in_code && layers_.schema->find_key(key));
        });
      }
      if (!refusal) continue;
      const Place& place = refusal->at_value || !fact.key_place ? fact.place : fact.key_place;
      Finding& finding = stack_.report(composition::kMissingKey, std::move(refusal->message),
                                       fmt::format("{} refuses the override", layers_.schema->title), place);
      // Where the keys come from that there are.
      for (const DocumentPtr& document : layers_.documents)
        for (std::string_view includes : {"defaults", "extends", "base_config"})
          if (const Entry* entry = document->roots.empty() ? nullptr : document->find(*document->roots[0], includes))
            finding.notes.push_back({"what the file does not set itself comes from here", document->place(entry->key_range)});
    }
  }

  void failures(const Resolver& resolver) {
    const bool eager = layers_.schema->composition.eager;
    std::size_t said = 0;
    for (const Failure& failure : resolver.failures()) {
      if (!eager && failure.missing && !failure.known_section) continue;  // a fragment is completed by whoever includes it
      if (++said > 20) break;
      Finding& finding = stack_.report(composition::kBadInterpolation, failure.message, "", failure.at->written.place);
      finding.effect = eager ? fmt::format("{} resolves the whole configuration at the start and stops here", layers_.schema->title)
                             : fmt::format("{} stops where it reads {}", layers_.schema->title, failure.at->path());
      if (!eager) finding.severity = Severity::Warning;
      for (const Step& step : failure.at->chain) finding.notes.push_back({step.says, step.place});
    }
  }

  // Only a run whose overrides are all known can be said to leave something out.
  void mandatory(const Fact& fact) {
    if (!layers_.complete) return;
    const KeySpec* key = layers_.schema->find_key(fact.path);
    Finding& finding = stack_.report(composition::kMandatory, fmt::format("{} is ??? and nobody gives it a value", fact.path),
                                     fmt::format("{} stops where it reads it", layers_.schema->title), fact.place);
    if (!key || (key->types & type::Str)) finding.severity = Severity::Warning;
  }

  Composed out_;
  Stack stack_;
  const Layers& layers_;
  Layering style_;
  std::vector<Fact> words_;
};

}  // namespace

bool includes(const Schema& schema, const DocumentPtr& document) {
  std::string_view key;
  switch (schema.composition.style) {
    case Layering::Hydra:
    case Layering::Inherit: key = "defaults"; break;
    case Layering::Base: key = "base_config"; break;
    case Layering::Primus: key = "modules"; break;
    default: return false;
  }
  if (document->roots.empty() || document->roots[0]->kind != Node::Kind::Mapping) return false;
  if (schema.composition.style == Layering::Primus && document->find(*document->roots[0], "extends")) return true;
  return document->find(*document->roots[0], key) != nullptr;
}

Composed compose(const Files& files, const Layers& layers) { return Composer(files, layers).run(); }

void attach(Composed& composed, const DocumentPtr& document, const std::string& prefix, Dialect dialect) {
  composed.included.push_back(document);
  if (document->roots.empty()) return;
  for (Fact& fact : facts_of(document, *document->roots[0], dialect)) {
    fact.path = prefix + (fact.path.starts_with('[') ? "" : ".") + fact.path;
    fact.inherited = true;
    composed.facts.push_back(std::move(fact));
  }
}

std::string dump(const Composed& composed) {
  const auto at = [](const Place& place) {
    return place ? fmt::format(" @{}:{}", place.source->path(), place.source->position(place.range.begin).line) : std::string();
  };
  std::string out;
  for (const Fact& fact : composed.facts) {
    if (fact.value.map() || fact.path.ends_with(']')) continue;
    const bool text = fact.value.text() && fact.open.empty();
    out += fmt::format("{}={}{}", fact.path,
                       !fact.open.empty() ? fmt::format("? ({})", fact.open)
                       : text             ? fmt::format("'{}'", *fact.value.text())
                                          : to_string(fact.value),
                       at(fact.place));
    if (fact.chain)
      for (const Step& step : *fact.chain) out += fmt::format(" <- {}{}", step.says, at(step.place));
    out += '\n';
  }
  for (const Finding& finding : composed.findings) out += fmt::format("! {}: {}{}\n", finding.rule, finding.message, at(finding.place));
  return out;
}

}  // namespace shardlint
