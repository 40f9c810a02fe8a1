#include "checker/engine/compile.h"

#include <algorithm>
#include <set>

#include "checker/document/document.h"

namespace shardlint {

namespace {

constexpr std::size_t kListed = 20'000;  // files of a workspace among which a program's sources are looked for
constexpr int kDeep = 8;                 // folders below it

// The words of a command line as a shell takes them apart; what it would expand stays as it is.
std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> out;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote) {
      if (c == quote)
        quote = 0;
      else if (c == '\\' && quote == '"' && i + 1 < command.size())
        word += command[++i];
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c, inside = true;
    } else if (c == '\\' && i + 1 < command.size()) {
      word += command[++i], inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) out.push_back(std::move(word));
      word.clear(), inside = false;
    } else {
      word += c, inside = true;
    }
  }
  if (inside) out.push_back(std::move(word));
  return out;
}

// Without the compiler, what is compiled, and what says where the result goes.
std::vector<std::string> only_flags(const std::vector<std::string>& words, const std::string& file, const std::string& folder) {
  std::vector<std::string> out;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-c" || word == "-S" || word == "-E" || word == "-M" || word == "-MM" || word == "-MD" || word == "-MMD" || word == "-MP")
      continue;
    if (word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ") {
      ++i;
      continue;
    }
    if (word.starts_with("-o") || word.starts_with("-MF") || word.starts_with("@") || word == "--") continue;
    if (join(folder, word) == file) continue;
    // Plug-ins are code of somebody else's that would run here.
    if (word == "-Xclang" || word == "-load") {
      ++i;
      continue;
    }
    if (word.starts_with("-fplugin") || word.starts_with("-fpass-plugin")) continue;
    out.push_back(word);
  }
  return out;
}

const Node* member(const Document& document, const Node& table, std::string_view key) {
  const Entry* entry = table.kind == Node::Kind::Mapping ? document.find(table, key) : nullptr;
  return entry ? entry->value : nullptr;
}

std::string stem_of(const std::string& path) {
  const std::string base = base_name(path);
  return base.substr(0, base.rfind('.'));
}

// "CMakeFiles/gpt2.dir/main.cpp.o", "gpt2.p/main.cpp.o" and "_objs/gpt2/main.o" are objects of gpt2; with -o and no -c it is the program.
std::string target_of(const std::string& object, bool compiles_only) {
  for (std::size_t begin = 0; begin < object.size();) {
    const std::size_t end = std::min(object.find('/', begin), object.size());
    const std::string part = object.substr(begin, end - begin);
    if (part.size() > 4 && part.ends_with(".dir")) return part.substr(0, part.size() - 4);
    if (part.size() > 2 && part.ends_with(".p")) return part.substr(0, part.size() - 2);
    if (part == "_objs" && end < object.size()) return object.substr(end + 1, object.find('/', end + 1) - end - 1);
    begin = end + 1;
  }
  return compiles_only ? "" : base_name(object);
}

// The words between the brackets of every add_executable(NAME ...) of a CMake file: the name and plain sources. What an expansion gives is
// passed over.
std::vector<std::vector<std::string>> executables(std::string_view text) {
  std::vector<std::vector<std::string>> out;
  const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  std::vector<std::string>* inside = nullptr;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '(' || c == ')') {
      depth += c == '(' ? 1 : -1;
      if (depth <= 0) inside = nullptr, depth = 0;
      ++i;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++i;
    } else {
      const bool quoted = c == '"';
      const std::size_t begin = quoted ? i + 1 : i;
      std::size_t end = quoted ? std::min(text.find('"', begin), text.size()) : begin;
      while (!quoted && end < text.size() && std::string_view(" \t\r\n()#").find(text[end]) == std::string_view::npos) ++end;
      std::string one(text.substr(begin, end - begin));
      i = std::max(quoted ? end + 1 : end, i + 1);
      if (inside) {
        inside->push_back(std::move(one));
      } else if (depth == 0 && !one.empty() && word(one[0])) {
        std::transform(one.begin(), one.end(), one.begin(),
                       [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
        if (one == "add_executable") inside = &out.emplace_back();
      }
    }
  }
  return out;
}

}  // namespace

std::shared_ptr<const Builds::Database> Builds::database(const std::string& path) const {
  const std::lock_guard lock(reading_);
  const auto [known, fresh] = databases_.try_emplace(path);
  if (!fresh || !files_.exists(path)) return known->second;
  const Files::Read read = files_.read(path);
  if (!read.text) return nullptr;
  const DocumentPtr document = read_document(std::make_shared<const Source>(path, *read.text), Format::Json);
  if (document->roots.empty() || document->roots[0]->kind != Node::Kind::Sequence) return nullptr;
  auto out = std::make_shared<Database>();
  for (const Item& item : document->roots[0]->items) {
    const Node* name = member(*document, *item.value, "file");
    const Node* from = member(*document, *item.value, "directory");
    if (!name) continue;
    Entry& entry = out->emplace_back();
    entry.command.folder = from ? join(folder_of(path), from->text) : folder_of(path);
    entry.file = join(entry.command.folder, name->text);
    std::vector<std::string> words;
    if (const Node* list = member(*document, *item.value, "arguments"))
      for (const Item& word : list->items) words.push_back(word.value->text);
    else if (const Node* command = member(*document, *item.value, "command"))
      words = words_of(command->text);
    entry.command.flags = only_flags(words, entry.file, entry.command.folder);
    const Node* output = member(*document, *item.value, "output");
    const bool compiles = std::find(words.begin(), words.end(), "-c") != words.end();
    if (output) entry.target = target_of(output->text, compiles);
    for (std::size_t i = 0; i + 1 < words.size() && entry.target.empty(); ++i)
      if (words[i] == "-o") entry.target = target_of(words[i + 1], compiles);
  }
  return known->second = std::move(out);
}

std::vector<std::shared_ptr<const Builds::Database>> Builds::databases(std::string folder) const {
  std::vector<std::shared_ptr<const Database>> out;
  for (int level = 0; level < 64 && !folder.empty(); ++level) {
    for (const char* place : {"compile_commands.json", "build/compile_commands.json"})
      if (auto found = database(join(folder, place))) out.push_back(std::move(found));
    const std::string above = folder_of(folder);
    if (above == folder) break;
    folder = above;
  }
  return out;
}

CompileCommand Builds::command(const std::string& path, const std::vector<std::string>& flags) const {
  const std::string file = join(files_.working_folder(), path);
  for (const auto& one : databases(folder_of(file)))
    for (const Entry& entry : *one)
      if (entry.file == file) {
        CompileCommand out = entry.command;
        out.flags.insert(out.flags.end(), flags.begin(), flags.end());
        return out;
      }
  CompileCommand out{folder_of(file), flags};
  if (!flags.empty()) return out;
  // No database and no flags: the newest language, and the folders where a project keeps its headers.
  out.flags = {"-std=c++20", "-I" + out.folder};
  std::string folder = out.folder;
  for (int level = 0; level < 16 && folder.size() > 1; ++level) {
    for (const char* name : {"include", ""})
      if (const std::string candidate = *name ? join(folder, name) : folder; files_.is_folder(candidate))
        out.flags.push_back("-I" + candidate);
    if (files_.exists(join(folder, ".git")) || files_.exists(join(folder, "shardlint.toml"))) break;
    folder = folder_of(folder);
  }
  return out;
}

// C++ sources and CMake files of a workspace.
std::shared_ptr<const std::vector<std::string>> Builds::listing(const std::string& workspace) const {
  const std::lock_guard lock(reading_);
  std::shared_ptr<const std::vector<std::string>>& known = listings_[workspace];
  if (known) return known;
  auto out = std::make_shared<std::vector<std::string>>();
  std::size_t seen = 0;
  const auto walk = [&](const auto& self, const std::string& folder, int depth) -> void {
    for (const std::string& name : files_.list(folder)) {
      if (++seen > kListed) return;
      const std::string inner = folder == "." ? name : join(folder, name);
      if (files_.is_folder(inner)) {
        if (depth < kDeep && name != "node_modules") self(self, inner, depth + 1);
      } else if (format_of(name) == Format::Cpp || name == "CMakeLists.txt") {
        out->push_back(inner);
      }
    }
  };
  walk(walk, workspace.empty() ? "." : workspace, 0);
  return known = std::move(out);
}

std::vector<std::string> Builds::sources(const std::string& program, const std::string& folder, const std::string& workspace) const {
  const std::string name = base_name(program);
  if (name.empty()) return {};
  std::vector<std::string> out;
  const auto add = [&](const std::string& file) {
    const std::string path = shown(file, files_.working_folder());
    if (format_of(path) == Format::Cpp && files_.exists(path) && std::find(out.begin(), out.end(), path) == out.end()) out.push_back(path);
  };
  for (const auto& one : databases(join(files_.working_folder(), folder.empty() ? "." : folder))) {
    for (const Entry& entry : *one)
      if (entry.target == name) add(entry.file);
    if (!out.empty()) return out;
  }
  const auto files = listing(workspace);
  for (const std::string& file : *files) {
    if (base_name(file) != "CMakeLists.txt") continue;
    const Files::Read read = files_.read(file);
    if (!read.text || read.text->find(name) == std::string::npos) continue;
    for (const std::vector<std::string>& words : executables(*read.text))
      if (!words.empty() && words[0] == name)
        for (std::size_t i = 1; i < words.size(); ++i) {
          std::string word = words[i];
          // The folder of the file itself, under the names that CMake has for it.
          for (const char* here : {"${CMAKE_CURRENT_SOURCE_DIR}/", "${PROJECT_SOURCE_DIR}/", "${CMAKE_SOURCE_DIR}/"})
            if (word.starts_with(here)) word.erase(0, std::string_view(here).size());
          if (word.find('$') == std::string::npos) add(join(folder_of(file), word));
        }
  }
  if (!out.empty()) return out;
  // Beside the script goes first; farther away the name alone must settle it.
  for (const std::string& file : *files)
    if (stem_of(file) == name && normal(folder_of(file)) == normal(folder)) add(file);
  if (!out.empty()) return out;
  for (const std::string& file : *files)
    if (stem_of(file) == name || (stem_of(file) == "main" && base_name(folder_of(file)) == name)) add(file);
  if (out.size() > 1) out.clear();
  return out;
}

}  // namespace shardlint
