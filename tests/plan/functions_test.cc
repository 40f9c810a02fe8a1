// What the functions of the constraint language answer, on constants alone: expression -> value.
#include <gtest/gtest.h>

#include "checker/plan/evaluation.h"

namespace shardlint {
namespace {

class NoNames : public Names {
  std::optional<Name> field(std::string_view) const override { return std::nullopt; }
  std::optional<Name> key(std::string_view) const override { return std::nullopt; }
  bool has_table(std::string_view, std::string_view, std::size_t) const override { return false; }
  bool has_form(std::string_view name) const override { return name == "file"; }
  std::string nearest(std::string_view) const override { return ""; }
};

std::string answer(std::string_view expression) {
  ExprPool pool;
  ExprError error;
  const auto compiled = compile(expression, NoNames(), pool, type::Any, error);
  if (!compiled) return error.message;
  std::vector<Const> constants;
  for (const Value& value : pool.constants) {
    Const& constant = constants.emplace_back(Const{value.kind()});
    if (value.integer()) constant.integer = *value.integer();
    if (value.boolean()) constant.integer = *value.boolean();
    if (value.text()) constant.text = *value.text();
  }
  Schema schema;
  schema.nodes = pool.nodes, schema.constants = constants;
  const Result result = Evaluation(schema, std::make_shared<const std::vector<Binding>>(), {}, true, {}).evaluate(compiled->id);
  return result.known() ? to_string(result.value) : "unknown";
}

TEST(Functions, Answers) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"(plural(1, "replica"))", "1 replica"},
      {R"(plural(0, "replica"))", "0 replicas"},
      {R"(plural(-1, "micro-batch"))", "-1 micro-batch"},
      {R"(plural(2, "micro-batch"))", "2 micro-batches"},
      {R"(plural(2, "copy"))", "2 copies"},
      {R"(plural(2, "key"))", "2 keys"},
      {R"(plural(2500, "sequence"))",
       "2\x1f"
       "500 sequences"},
      {R"(plural(1, "GPU is", "GPUs are"))", "1 GPU is"},
      {R"(plural(3, "GPU is", "GPUs are"))", "3 GPUs are"},
      {R"(plural(1 // 0, "stage"))", "? stages"},
      {R"(join(["a", "b"], "-") == "a-b")", "true"},
      {R"(join(["", "b"], "-") == "-b")", "true"},
      {R"(join([], "-") == "")", "true"},
      {R"(where(layout("Et|t|tmm|mL"), "m") == [2, 3])", "true"},
      {R"(len(where(layout("Et|tL"), "m")))", "0"},
      {R"(only("M-M*", "M*-"))", "true"},
      {R"(only("MX", "M*-"))", "false"},
      {R"(items("([0]*3+[1])*2") == [0, 0, 0, 1, 0, 0, 0, 1])", "true"},
      {R"(items("[1, 0,1]") == [1, 0, 1])", "true"},
      {R"(len(items("[0] * 2 + [1]*2")))", "4"},
      {R"(set(items("2")))", "false"},
      {R"(real("1e8"))", "100000000"},
      {R"(real("-.5"))", "-0.5"},
      {R"(real(2))", "2"},
      {R"(set(real("one")))", "false"},
      {R"(set(real("1 ")))", "false"},
      {R"(set(items("([0]")))", "false"},
      {R"(set(items("[0]*999999999")))", "false"},
      {R"(step_starts("0:384 200B:768", 4096) == [0, 48828125])", "true"},
      {R"(step_starts("1K:64,0:8", 1) == [0, 1000])", "true"},
      {R"(step_sizes("1K:64,0:8") == [8, 64])", "true"},
      {R"(set(step_sizes("64 128")))", "false"},
      {R"(step_starts("0:8", 0))", "unknown"},
  };
  for (const auto& [expression, wanted] : kCases) EXPECT_EQ(answer(expression), wanted) << expression;
}

}  // namespace
}  // namespace shardlint
