// What bash does: the scripts of constructs.h and of tests/shell/scripts run through bash, with programs that only note their arguments,
// and through the reader. What the reader knows must be what bash did; what it does not know may be anything.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "checker/shell/script.h"
#include "tests/folder.h"
#include "tests/shell/constructs.h"
#include "tests/where.h"

namespace shardlint::shell {
namespace {

namespace fs = std::filesystem;
using Argv = std::vector<std::string>;

constexpr const char* kPrograms[] = {"run", "srun", "torchrun", "python", "python3", "deepspeed", "accelerate", "mpirun", "sbatch"};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Bash : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("bash -c 'exit 0' >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no bash here";
    fs::create_directories(folder_ / "bin");
    for (const char* program : kPrograms) {
      const fs::path path = folder_ / "bin" / program;
      std::ofstream(path) << "#!/bin/bash\nprintf '%s\\0' \"$(basename \"$0\")\" \"$@\" >>\"$NOTES\"\nprintf '\\n\\0' >>\"$NOTES\"\n";
      fs::permissions(path, fs::perms::owner_all);
    }
  }

  std::vector<Argv> run(const std::string& script) {
    const fs::path work = folder_ / "work";
    fs::remove_all(work);
    fs::create_directories(work);
    std::ofstream(work / "job.sh", std::ios::binary) << script;
    const std::string notes = (folder_ / "notes").string();
    fs::remove(notes);
    const std::string command = "cd '" + work.string() + "' && env -i NOTES='" + notes + "' PATH='" + (folder_ / "bin").string() +
                                ":/usr/bin:/bin' HOME=/nowhere bash job.sh </dev/null >/dev/null 2>&1";
    (void)!std::system(command.c_str());
    std::vector<Argv> out;
    const std::string text = read_file(notes);
    Argv argv;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\0', at);
      const std::string word = text.substr(at, end - at);
      if (word == "\n")
        out.push_back(std::exchange(argv, {}));
      else
        argv.push_back(word);
      at = end + 1;
    }
    return out;
  }

  const test::Folder own_;
  const fs::path folder_ = own_.path();
};

// Whether the text may be this one: holes are any bytes.
bool may_be(const Text& text, std::size_t at, const std::string& word, std::size_t from) {
  while (at < text.size() && !text.is_hole(at)) {
    if (from >= word.size() || word[from] != text.flat()[at]) return false;
    ++at, ++from;
  }
  if (at == text.size()) return from == word.size();
  for (std::size_t next = from; next <= word.size(); ++next)
    if (may_be(text, at + 1, word, next)) return true;
  return false;
}

bool may_be(const Command& command, std::size_t at, const Argv& argv, std::size_t from) {
  if (at == command.argv.size()) return from == argv.size();
  const Word& word = command.argv[at];
  if (word.count != Word::Count::One)
    for (std::size_t next = from; next <= argv.size(); ++next)
      if (may_be(command, at + 1, argv, next)) return true;
  return from < argv.size() && may_be(word.text, 0, argv[from], 0) && may_be(command, at + 1, argv, from + 1);
}

// What bash did, in order, against what the reader says: certain commands have to occur, others may.
std::string difference(const std::vector<Argv>& done, const Script& script) {
  std::size_t at = 0;
  for (const Command& command : script.commands) {
    if (!command.argv.front().text.known()) continue;
    const bool ours = std::find_if(std::begin(kPrograms), std::end(kPrograms),
                                   [&](const char* name) { return command.argv.front().text.flat() == name; }) != std::end(kPrograms);
    std::size_t skip = 0;
    if (command.argv.front().text.flat() == "exec") skip = 1;
    if (!ours && skip == 0) continue;
    if (at < done.size() && may_be(command, skip, done[at], 0)) {
      ++at;
      continue;
    }
    if (!command.certain()) continue;
    std::string said = "the reader says: " + dump(command) + "\nbash ran:";
    if (at < done.size())
      for (const std::string& word : done[at]) said += " [" + word + "]";
    return said;
  }
  if (at < done.size()) {
    std::string said = "bash also ran:";
    for (const std::string& word : done[at]) said += " [" + word + "]";
    return said;
  }
  return "";
}

Script read(const std::string& text) {
  Input input;
  input.path = "job.sh";
  input.code = Text::of(std::make_shared<const Source>("job.sh", text));
  return evaluate(input);
}

TEST_F(Bash, DoesWhatTheConstructsSay) {
  for (const Construct& construct : constructs())
    EXPECT_EQ(difference(run(construct.script), read(construct.script)), "") << construct.name;
}

TEST_F(Bash, DoesWhatTheScriptsSay) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(SHARDLINT_ROOT) / "tests/shell/scripts")) {
    if (entry.path().extension() != ".sh") continue;
    const std::string text = read_file(entry.path());
    EXPECT_EQ(difference(run(text), read(text)), "") << entry.path().filename();
    ++count;
  }
  EXPECT_GE(count, 5U);
}

}  // namespace
}  // namespace shardlint::shell
