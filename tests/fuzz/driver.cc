// The fuzz targets without libFuzzer, for every run of the tests: each target gets its seeds, what once was its undoing, and then, until
// its time is up, changed ones. The changes come from a generator with a fixed seed, so that a run finds what the last one found.
//
//   shardlint_fuzz [--seconds N] [--jobs N] [--seed N] [--crashes FOLDER] ROOT [TARGET...]
//
// ROOT is the project. An input that ends the process is kept in FOLDER as TARGET-SEED-NUMBER, and the exit code is 1.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/fuzz/promise.h"

// Of the sanitizers' runtime; not there without them.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace shardlint::fuzzing {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongest = 65'536;
constexpr unsigned kPatience = 120;  // seconds for one input, on a machine that others use

std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

// ---- what is kept when the process dies

std::string g_input, g_kept_as;

void keep() {
  const int file = ::open(g_kept_as.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  const ssize_t written = ::write(file, g_input.data(), g_input.size());
  ::close(file);
  if (written < 0) return;
  for (const char* word : {"fuzz: its input is kept as ", g_kept_as.c_str(), "\n"})
    if (::write(STDERR_FILENO, word, std::strlen(word)) < 0) return;
}

void die(int signal) {
  keep();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// ---- inputs

std::string take(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void add_folder(const fs::path& folder, std::vector<std::string>& out) {
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths)
    if (std::string text = take(path); text.size() <= kLongest) out.push_back(std::move(text));
}

// libFuzzer's dictionaries: a quoted word a line, with \\, \" and \xAB.
std::vector<std::string> words_of(const fs::path& path) {
  std::vector<std::string> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find('"'), last = line.rfind('"');
    if (line.starts_with('#') || first == last) continue;
    std::string word;
    for (std::size_t i = first + 1; i < last; ++i) {
      if (line[i] != '\\') {
        word += line[i];
      } else if (line[i + 1] == 'x') {
        word += static_cast<char>(std::stoi(line.substr(i + 2, 2), nullptr, 16)), i += 3;
      } else {
        word += line[++i];
      }
    }
    out.push_back(std::move(word));
  }
  return out;
}

// Changes texts as people's editors and enemies would.
class Changer {
 public:
  Changer(std::vector<std::string> seeds, std::vector<std::string> words, std::uint64_t seed)
      : seeds_(std::move(seeds)), words_(std::move(words)), dice_(seed) {
    seeds_.emplace_back();
  }

  std::string next() {
    // Often what was made last is changed further.
    if (last_.empty() || below(3) != 0) last_ = seeds_[below(seeds_.size())];
    for (std::size_t times = 1 + below(5); times > 0; --times) change(last_);
    if (last_.size() > kLongest) last_.resize(kLongest);
    return last_;
  }

 private:
  std::size_t below(std::size_t bound) { return bound ? static_cast<std::size_t>(dice_() % bound) : 0; }
  // A piece of a text, mostly a small one.
  std::pair<std::size_t, std::size_t> piece(const std::string& text) {
    const std::size_t begin = below(text.size() + 1);
    return {begin, std::min(text.size() - begin, below(4) ? below(12) : below(1 + text.size()))};
  }
  std::pair<std::size_t, std::size_t> line(const std::string& text) {
    const std::size_t at = below(text.size() + 1), newline = at ? text.rfind('\n', at - 1) : std::string::npos;
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1, end = std::min(text.find('\n', begin), text.size());
    return {begin, std::min(text.size() - begin, end - begin + 1)};
  }

  void change(std::string& text) {
    static constexpr const char* kNumbers[] = {"0",     "-1",  "1",         "2", "3", "8", "9223372036854775807", "9223372036854775808",
                                               "1e400", "nan", "4294967296"};
    switch (below(14)) {
      case 0: {  // a piece is left out
        const auto [at, size] = piece(text);
        text.erase(at, size);
        break;
      }
      case 1: text.insert(below(text.size() + 1), 1, static_cast<char>(below(256))); break;
      case 2:
        if (!text.empty()) text[below(text.size())] = static_cast<char>(below(256));
        break;
      case 3:
        if (!text.empty()) {
          char& letter = text[below(text.size())];
          letter = static_cast<char>(letter ^ static_cast<char>(1u << below(8)));
        }
        break;
      case 4: {  // a piece is there twice, or many times
        const auto [at, size] = piece(text);
        const std::string copy = text.substr(at, size);
        for (std::size_t times = below(8) ? 1 : below(64); times > 0 && text.size() < kLongest; --times) text.insert(at, copy);
        break;
      }
      case 5: {  // a piece of another text
        const std::string& other = seeds_[below(seeds_.size())];
        const auto [at, size] = piece(other);
        text.insert(below(text.size() + 1), other, at, size);
        break;
      }
      case 6: {  // the one's beginning and the other's end
        const std::string& other = seeds_[below(seeds_.size())];
        text = text.substr(0, below(text.size() + 1)) + other.substr(below(other.size() + 1));
        break;
      }
      case 7: {  // another number
        const std::size_t at = text.find_first_of("0123456789", below(text.size() + 1));
        if (at == std::string::npos) break;
        const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        text.replace(at, end - at, kNumbers[below(std::size(kNumbers))]);
        break;
      }
      case 8: {  // a line is left out
        const auto [at, size] = line(text);
        text.erase(at, size);
        break;
      }
      case 9: {  // a line moves, or is there twice
        const auto [at, size] = line(text);
        const std::string copy = text.substr(at, size);
        if (below(2)) text.erase(at, size);
        text.insert(line(text).first, copy);
        break;
      }
      default: {  // a word of the syntax
        if (words_.empty()) break;
        const std::string& word = words_[below(words_.size())];
        const std::size_t at = below(text.size() + 1);
        if (below(2))
          text.insert(at, word);
        else
          text.replace(at, std::min(text.size() - at, word.size()), word);
        break;
      }
    }
  }

  std::vector<std::string> seeds_, words_;
  std::mt19937_64 dice_;
  std::string last_;
};

// ---- one target, in a process of its own

struct Asked {
  unsigned seconds = 20, jobs = 2;
  std::uint64_t seed = 1;
  fs::path root, crashes = ".";
  std::vector<std::string> names;
};

// Whether what it takes is a file as people write them: then all fixtures are seeds.
bool reads_files(const std::string& name) {
  static const std::vector<std::string> kNames = {"toml", "yaml", "json", "shell", "program"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

int drive(const std::string& name, Target target, const Asked& asked) {
  const fs::path folder = asked.root / "tests/fuzz";
  std::vector<std::string> inputs;
  add_folder(folder / "found" / name, inputs);
  add_folder(folder / "seeds" / name, inputs);
  if (reads_files(name)) add_folder(asked.root / "fixtures", inputs);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep);
  for (const int signal : {SIGABRT, SIGALRM, SIGFPE}) ::signal(signal, die);
  std::size_t number = 0;
  const auto run = [&](std::string input) {
    g_input = std::move(input);
    g_kept_as = (asked.crashes / fmt::format("{}-{}-{}", name, asked.seed, number++)).string();
    ::alarm(kPatience);
    // A copy without room behind its end, so that the sanitizer sees who reads on.
    const std::vector<char> exact(g_input.begin(), g_input.end());
    target({exact.data(), exact.size()});
  };
  for (const std::string& input : inputs) run(input);
  const std::size_t seeds = number;
  Changer changer(std::move(inputs), words_of(folder / "dictionaries" / (name + ".dict")), asked.seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(asked.seconds);
  while (std::chrono::steady_clock::now() < end) run(changer.next());
  ::alarm(0);
  fmt::print("fuzz: {:10} {:5} seeds, {:7} changed ones in {} s\n", name, seeds, number - seeds, asked.seconds);
  std::fflush(stdout);
  return 0;
}

int usage(const std::string& error) {
  fmt::print(stderr, "shardlint_fuzz: {}\nusage: shardlint_fuzz [--seconds N] [--jobs N] [--seed N] [--crashes FOLDER] ROOT [TARGET...]\n",
             error);
  return 2;
}

int run_all(const Asked& asked) {
  std::map<pid_t, std::string> running;
  bool failed = false;
  const auto wait_for_one = [&] {
    int status = 0;
    const pid_t child = ::wait(&status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      fmt::print(stderr, "fuzz: {} fell\n", running[child]);
      failed = true;
    }
    running.erase(child);
  };
  for (const std::string& name : asked.names) {
    while (running.size() >= asked.jobs) wait_for_one();
    const pid_t child = ::fork();
    if (child == 0) std::exit(drive(name, targets().at(name), asked));
    running[child] = name;
  }
  while (!running.empty()) wait_for_one();
  return failed ? 1 : 0;
}

}  // namespace

bool add_target(const char* name, Target target) { return targets().emplace(name, target).second; }

}  // namespace shardlint::fuzzing

int main(int count, char** words) {
  using namespace shardlint::fuzzing;
  Asked asked;
  std::vector<std::string> rest(words + 1, words + count);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string& word = rest[i];
    const bool last = i + 1 == rest.size();
    if (word.starts_with("--") && last) return usage(word + " needs a value");
    if (word == "--seconds")
      asked.seconds = static_cast<unsigned>(std::stoul(rest[++i]));
    else if (word == "--jobs")
      asked.jobs = std::max(1u, static_cast<unsigned>(std::stoul(rest[++i])));
    else if (word == "--seed")
      asked.seed = std::stoull(rest[++i]);
    else if (word == "--crashes")
      asked.crashes = rest[++i];
    else if (asked.root.empty())
      asked.root = word;
    else if (!targets().contains(word))
      return usage("no target " + word);
    else
      asked.names.push_back(word);
  }
  if (asked.root.empty()) return usage("which project?");
  if (asked.names.empty())
    for (const auto& [name, target] : targets()) asked.names.push_back(name);
  std::filesystem::create_directories(asked.crashes);
  return run_all(asked);
}
