#include "checker/shell/script.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/shell/constructs.h"

namespace shardlint::shell {
namespace {

Script read(const std::string& text, const Input& with = {}) {
  Input input = with;
  input.path = "job.sh";
  input.code = Text::of(std::make_shared<const Source>("job.sh", text));
  return evaluate(input);
}

std::string commands(const Script& script) {
  std::string out = dump(script);
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

TEST(ShellScript, FollowsEveryConstruct) {
  for (const Construct& construct : constructs()) EXPECT_EQ(commands(read(construct.script)), construct.commands) << construct.name;
}

}  // namespace
}  // namespace shardlint::shell
