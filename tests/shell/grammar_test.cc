#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "tests/shell/constructs.h"
#include "tests/shell/grammar.h"
#include "tests/where.h"

namespace shardlint::shell {
namespace {

// Valid bash that the grammar misreads: tabs before a here-document's first line are gone; behind `TP=4 PP=2` all is torn; `! a | b` is
// taken for `{ ! a; } | b`. What bash makes of them is in differential_test.cc.
const std::set<std::string> kMisread = {"HereDocumentWithTabs", "megatron_arrays.sh", "oddities.sh"};

void agree(const std::string& name, const std::string& text) {
  const auto source = std::make_shared<const Source>("job.sh", text);
  Code theirs;
  theirs.text = Text::of(source);
  if (kMisread.count(name) > 0 || !read_by_grammar(theirs)) return;
  std::sort(theirs.comments.begin(), theirs.comments.end(), [](scan::Span a, scan::Span b) { return a.begin < b.begin; });
  EXPECT_EQ(dump(*parse(Text::of(source), "job.sh")), dump(theirs)) << name;
}

TEST(ShellCode, IsReadAsTheGrammarReadsIt) {
  for (const Construct& construct : constructs()) agree(construct.name, construct.script);
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(SHARDLINT_ROOT) / "tests/shell/scripts")) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    agree(entry.path().filename().string(), text.str());
  }
}

}  // namespace
}  // namespace shardlint::shell
