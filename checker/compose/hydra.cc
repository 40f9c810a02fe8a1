// Hydra's defaults lists: which files make up a configuration, in which order, at which package.
//
// The primary file's folder is the root of the config groups; folders named by hydra.searchpath (file://) and by the schema follow. The
// list is expanded depth first, choices made by `override` items and by command-line words included; what comes out is merged in order.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "checker/compose/layers.h"

namespace shardlint::layering {

namespace {

struct Item {
  bool self = false, optional = false, override = false;
  std::string group;    // as written, without @; empty: a file of the same folder
  std::string package;  // behind @
  bool has_package = false;
  std::vector<std::string> options;  // none: null
  bool must = false;                 // ???
  Place place;
};

struct Choice {
  std::vector<std::string> options;
  bool removed = false, used = false;
  Place place;
};

std::string dotted(std::string path) {
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}
// Below "a/b": "x" is a/b/x, "../x" is a/x, "/x" is x.
std::string below(const std::string& folder, const std::string& name) {
  if (name.starts_with('/')) return normal(name.substr(1));
  return normal(folder.empty() ? name : folder + "/" + name);
}
std::string package_in(const std::string& parent, const std::string& package) {
  const std::string joined = parent.empty() ? package : package.empty() ? parent : parent + "." + package;
  const std::size_t global = joined.rfind("_global_");
  if (global == std::string::npos) return joined;
  const std::string rest = joined.substr(global + 8);
  return rest.starts_with('.') ? rest.substr(1) : rest;
}

class Hydra {
 public:
  Hydra(Stack& stack, const DocumentPtr& primary, std::vector<Fact>& words) : stack_(stack), primary_(primary), words_(words) {
    roots_.push_back(folder_of(primary->source->path()));
  }

  CellPtr run() {
    CellPtr own = stack_.read(primary_);
    if (!own) return nullptr;
    search_path(*own);
    take_words(*own);
    CellPtr merged = make_map();
    open_.push_back(normal(primary_->source->path()));
    gather_overrides(*own, "", 0);
    expand(std::move(own), "", "", *merged);
    for (const Item& item : added_) place_item(item, "", "", *merged);
    merged->take("hydra");
    for (const auto& [key, choice] : choices_)
      if (!choice.used && choice.place)
        stack_.report(composition::kMissingKey, fmt::format("no item of the defaults lists is {}", key),
                      fmt::format("{} refuses it", stack_.schema().title), choice.place);
    return merged;
  }

 private:
  // ---- what the primary file and the command line say

  void search_path(const Cell& own) {
    const Cell* hydra = own.find("hydra");
    const Cell* path = hydra && hydra->map() ? hydra->find("searchpath") : nullptr;
    if (path)
      for (const Named& named : named_files(*path)) {
        if (named.text.starts_with("file://") && named.text.find("${") == std::string::npos) {
          const std::string folder = named.text.substr(7);
          // Relative folders start where the program is started: the workspace, or a folder above the primary file.
          for (const std::string& base : {stack_.layers().workspace, roots_[0]})
            if (const std::string at = join(base, folder); stack_.inside().has(at) && stack_.files().is_folder(at))
              roots_.push_back(at);
            else
              elsewhere_ = true;
        } else
          elsewhere_ = true;
      }
    for (std::string_view search : stack_.schema().composition.search)
      for (std::string at = roots_[0];;) {
        if (const std::string folder = join(at, search); stack_.inside().has(folder) && stack_.files().is_folder(folder)) {
          roots_.push_back(folder);
          // The file is an option of a group that some folder on the way up is: what it lists is relative to that one.
          for (std::string group = roots_[0]; group.starts_with(folder + "/"); group = group.substr(0, group.rfind('/')))
            if (std::find(roots_.begin(), roots_.end(), group) == roots_.end()) roots_.push_back(group);
          break;
        }
        const std::string above = at.empty() ? ".." : normal(at + "/..");
        if (above == at || !stack_.inside()(above)) break;
        at = above;
      }
  }

  bool is_group(const std::string& group) const {
    return std::any_of(roots_.begin(), roots_.end(),
                       [&](const std::string& root) { return stack_.files().is_folder(join(root.empty() ? "." : root, group)); });
  }

  void take_words(const Cell& own) {
    std::vector<Fact> rest;
    for (const Fact& fact : words_) {
      std::string error;
      const std::optional<Word> word = read_word(fact.word.empty() ? fact.path : fact.word, error);
      const bool group = word && (word->has_package || is_group(word->key) ||
                                  (word->kind == Word::Kind::Remove && !word->has_value && listed(own, word->key)));
      if (!group) {
        rest.push_back(fact);
        continue;
      }
      const std::string key = word->has_package ? word->key + "@" + word->package : word->key;
      Choice choice{{}, word->kind == Word::Kind::Remove, false, fact.place};
      if (word->has_value) {
        std::string unused;
        if (const CellPtr value = read_value(word->value, fact, unused)) {
          if (value->scalar() && value->value.text())
            choice.options.push_back(*value->value.text());
          else if (value->scalar() && !value->value.is_null())
            choice.options.push_back(to_string(value->value));
          for (const CellPtr& item : value->children)
            if (item->value.text()) choice.options.push_back(*item->value.text());
        }
      }
      if (word->kind == Word::Kind::Add) {
        Item item;
        item.group = word->key, item.package = word->package, item.has_package = word->has_package;
        item.options = choice.options, item.place = fact.place;
        added_.push_back(std::move(item));
      } else if (choice.removed || word->kind == Word::Kind::Change) {
        choices_.insert_or_assign(key, std::move(choice));
      }
    }
    words_ = std::move(rest);
  }

  bool listed(const Cell& own, const std::string& key) const {
    const Cell* defaults = own.find("defaults");
    if (!defaults) return false;
    const std::vector<Item> items = read_items(*defaults);
    return std::any_of(items.begin(), items.end(), [&](const Item& item) { return item.group == key; });
  }

  // ---- one defaults list

  static std::vector<Item> read_items(const Cell& defaults) {
    std::vector<Item> out;
    for (const CellPtr& child : defaults.children) {
      Item item;
      item.place = child->written.place;
      std::string name;
      const Cell* value = nullptr;
      if (child->map() && child->children.size() == 1) {
        name = child->children[0]->name, value = child->children[0].get();
        item.place = value->written.place;
      } else if (child->scalar() && child->value.text()) {
        name = *child->value.text();
      } else
        continue;
      while (name.starts_with("optional ") || name.starts_with("override ")) {
        (name[2] == 't' ? item.optional : item.override) = true;
        name = name.substr(9);
      }
      if (!value && name == "_self_") {
        item.self = true;
        out.push_back(std::move(item));
        continue;
      }
      if (const std::size_t at = name.find('@'); at != std::string::npos)
        item.has_package = true, item.package = name.substr(at + 1), name.resize(at);
      if (!value) {
        item.options = {name};
      } else {
        item.group = name;
        item.must = value->mandatory();
        if (!item.must) {
          if (value->scalar() && !value->value.is_null())
            item.options.push_back(value->value.text() ? *value->value.text() : to_string(value->value));
          for (const Named& named : value->scalar() ? std::vector<Named>{} : named_files(*value)) item.options.push_back(named.text);
        }
      }
      out.push_back(std::move(item));
    }
    return out;
  }

  // The name by which a choice is overridden: the group from the root, with the package where one is written.
  static std::string key_of(const Item& item, const std::string& folder) {
    const std::string group = below(folder, item.group);
    return item.has_package && item.package != dotted(group) ? group + "@" + item.package : group;
  }

  // Choices of outer lists hold before those of inner ones, the command line before all.
  void gather_overrides(const Cell& file, const std::string& folder, std::size_t depth) {
    const Cell* defaults = file.find("defaults");
    if (!defaults || depth > kMaxIncludeDepth) return;
    for (const Item& item : read_items(*defaults))
      if (item.override && !is_hydra(item, folder)) choices_.insert({key_of(item, folder), Choice{item.options, false, false, item.place}});
  }

  static bool is_hydra(const Item& item, const std::string& folder) { return below(folder, item.group).starts_with("hydra"); }

  void expand(CellPtr file, const std::string& folder, const std::string& package, Cell& merged) {
    const CellPtr defaults = file->take("defaults");
    bool self = false;
    if (defaults) {
      const std::vector<Item> items = read_items(*defaults);
      // A file that is a layer of this list may override choices of the items before it, so look into plain files first.
      for (const Item& item : items)
        if (!item.self && item.group.empty() && open_.size() < kMaxIncludeDepth)
          for (const std::string& option : item.options)
            if (const Found found = find(below(folder, option)); found.document)
              if (const CellPtr cells = stack_.read(found.document)) gather_overrides(*cells, folder, open_.size());
      for (const Item& item : items) {
        if (item.self) {
          if (!self) lay(std::move(file), package, merged);
          self = true;
        } else if (!item.override) {
          place_item(item, folder, package, merged);
        }
      }
    }
    if (!self) lay(std::move(file), package, merged);
  }

  void place_item(const Item& item, const std::string& folder, const std::string& package, Cell& merged) {
    if (!item.group.empty() && is_hydra(item, folder)) return;
    if (item.group.empty()) {
      for (const std::string& option : item.options) {
        const std::string path = below(folder, option);
        const std::size_t slash = path.rfind('/');
        include(item, path, slash == std::string::npos ? "" : path.substr(0, slash),
                item.has_package ? package_in(package, item.package) : package, false, merged);
      }
      return;
    }
    std::vector<std::string> options = item.options;
    const std::string group = below(folder, item.group);
    if (const auto chosen = choices_.find(key_of(item, folder)); chosen != choices_.end()) {
      chosen->second.used = true;
      if (chosen->second.removed) {
        const bool other = !chosen->second.options.empty() && chosen->second.options != options;
        if (!other) return;
      } else
        options = chosen->second.options;
    } else if (item.must) {
      if (stack_.layers().complete)
        stack_.report(composition::kMandatory, fmt::format("nobody chooses an option of {}", group),
                      fmt::format("{} does not start", stack_.schema().title), item.place);
      partial(fmt::format("an option of {} is for somebody to choose", group));
      return;
    }
    std::string relative = item.group.starts_with('/') ? item.group.substr(1) : item.group;
    while (relative.starts_with("../")) relative.erase(0, 3);
    for (const std::string& option : options) {
      const std::string path = normal(group + "/" + option);
      // What the option lists is relative to its group, however deep in it the option lies.
      include(item, path, group, item.has_package ? package_in(package, item.package) : package_in(package, dotted(relative)),
              !item.has_package, merged);
    }
  }

  void include(const Item& item, const std::string& path, const std::string& folder, const std::string& package, bool header,
               Cell& merged) {
    if (path.find("${") != std::string::npos) return partial(fmt::format("{} is an interpolation", path));
    const Found found = find(path);
    if (found.state == Found::State::Read && std::find(open_.begin(), open_.end(), found.path) != open_.end())
      return stack_.circle(found.path, item.place);
    CellPtr file = found.document && open_.size() < kMaxIncludeDepth && stack_.enter() ? stack_.read(found.document) : nullptr;
    if (!file) {
      if (item.optional || (item.group.empty() && base(path, package, merged))) return;
      // The group's folder is there and lacks the option: wrong. No such folder: it may lie on a search path that only the program knows.
      const bool certain = found.state == Found::State::Missing && !elsewhere_ && (item.group.empty() || is_group(folder));
      stack_.missing(path, found.path, item.place, &merged, certain);
      return;
    }
    open_.push_back(found.path);
    gather_overrides(*file, folder, open_.size());
    std::string at = package;
    if (const std::optional<std::string> named = header ? package_header(*found.document) : std::nullopt)
      at = *named == "_group_" ? dotted(folder) : package_in("", "_global_." + *named);
    expand(std::move(file), folder, at, merged);
    open_.pop_back();
  }

  // What the framework's package has under this name, as far as it differs from the defaults of the keys.
  bool base(const std::string& path, const std::string& package, Cell& merged) {
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    const auto& bases = stack_.schema().bases;
    const auto found = std::find_if(bases.begin(), bases.end(), [&](const BaseSpec& spec) { return spec.name == name; });
    if (found == bases.end()) return false;
    CellPtr cells = make_map();
    for (std::string_view set : found->set) {
      std::string error;
      std::optional<Word> word = read_word(set, error);
      if (!word) continue;  // the schema's tests would have said so
      word->kind = Word::Kind::Force;
      Fact at;
      at.spelled = word->key.substr(word->key.rfind('.') + 1);
      at.inherited = true;
      apply(*cells, *word, at, stack_.merge, [](const std::string&) { return true; });
    }
    lay(std::move(cells), package, merged);
    return true;
  }

  // "# @package _global_" in a comment before the first key.
  static std::optional<std::string> package_header(const Document& document) {
    for (const Comment& comment : document.comments) {
      if (!document.roots.empty() && comment.range.begin > document.roots[0]->range.begin) break;
      std::string_view text = document.raw(comment.range);
      while (!text.empty() && (text.front() == '#' || text.front() == ' ')) text.remove_prefix(1);
      if (!text.starts_with("@package ")) continue;
      text.remove_prefix(9);
      while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
      while (text.starts_with(' ')) text.remove_prefix(1);
      return text == "_global_" ? std::string() : std::string(text);
    }
    return std::nullopt;
  }

  Found find(const std::string& path) {
    Found first;
    for (const std::string& root : roots_) {
      Found found;
      for (const char* ending : {".yaml", ".yml"}) {
        if (path.ends_with(ending)) ending = "";
        found = stack_.open(join(root, path + ending));
        if (found.state == Found::State::Read) return found;
        if (first.path.empty()) first = found;
      }
    }
    return first;
  }

  void lay(CellPtr file, const std::string& package, Cell& merged) {
    if (package.empty()) return stack_.merge(merged, std::move(file));
    // The bases on the way are tables of their own.
    std::string rest = package;
    while (!rest.empty()) {
      const std::size_t dot = rest.rfind('.');
      CellPtr outer = make_map();
      outer->written = file->written;
      const std::string name = rest.substr(dot == std::string::npos ? 0 : dot + 1);
      file->written.spelled = name;
      outer->add(name, std::move(file));
      file = std::move(outer);
      rest = dot == std::string::npos ? "" : rest.substr(0, dot);
    }
    stack_.merge(merged, std::move(file));
  }

  void partial(std::string why) {
    if (stack_.out().partial.empty()) stack_.out().partial = std::move(why);
  }

  Stack& stack_;
  const DocumentPtr& primary_;
  std::vector<Fact>& words_;
  std::vector<std::string> roots_;  // folders that groups are looked up in
  bool elsewhere_ = false;          // the search path leads out of the workspace
  std::map<std::string, Choice> choices_;
  std::vector<Item> added_;
  std::vector<std::string> open_;
};

}  // namespace

CellPtr compose_hydra(Stack& stack, const DocumentPtr& document, std::vector<Fact>& words) { return Hydra(stack, document, words).run(); }

}  // namespace shardlint::layering
