// Sections that a loader reads as one of several classes, on the schema that has most of them.
#include "checker/plan/unions.h"

#include <gtest/gtest.h>

#include "checker/plan/bind.h"
#include "checker/plan/law.h"

namespace shardlint {
namespace {

struct Case {
  const char* text;      // below model:
  const char* variant;   // what model_config is read as
  const char* findings;  // "rule@line" of the bound facts, separated by spaces
};

std::string name_of(const Case& c) { return c.text; }

class UnionTest : public testing::TestWithParam<Case> {};

TEST_P(UnionTest, IsReadAs) {
  const Schema* schema = schema_named("nanotron");
  ASSERT_NE(schema, nullptr);
  const auto source = std::make_shared<Source>(
      "c.yaml", std::string("general: {project: p}\nparallelism: {dp: 1, pp: 1, tp: 1}\nmodel:\n") + GetParam().text);
  const DocumentPtr document = read_document(source, Format::Yaml);
  ASSERT_TRUE(document->problems.empty()) << name_of(GetParam());
  Job job{schema, &schema->forms[0], "", facts_of(document, *document->roots[0], schema->loader)};
  const Bound bound = bind(job);
  EXPECT_EQ(bound.variants[0], GetParam().variant) << name_of(GetParam());
  std::string findings;
  for (const Violation& violation : bound.violations) {
    const Fact& fact = job.facts[violation.fact.value_or(0)];
    const Place place = violation.at_key || !fact.place ? fact.key_place : fact.place;
    findings += (findings.empty() ? "" : " ") + violation.rule + "@" + std::to_string(source->position(place.range.begin).line);
  }
  EXPECT_EQ(findings, GetParam().findings) << name_of(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Forms, UnionTest,
                         testing::Values(
                             // The first class that fits takes it.
                             Case{"  init_method: {std: 0.1}\n  model_config: {hidden_size: 8}\n", "LlamaConfig", ""},
                             Case{"  init_method: {path: a/b}\n  model_config: {multi_query: true}\n", "Starcoder2Config", ""},
                             Case{"  init_method: {use_mup: true}\n  model_config: {no_rope_layer: 2}\n", "Qwen2Config", ""},
                             // The fallback takes what it knows, whatever the types; what is wrong with them is worth a warning.
                             Case{"  init_method: {std: 1}\n  model_config:\n    hidden_size: 8.5\n", "Qwen2Config",
                                  "hygiene/wrong-type@6"},
                             // It knows no key of its own that it needs as null, and no key that is another's.
                             Case{"  init_method: {std: 1}\n  model_config:\n    hidden_size: 8.5\n    moe_config: {num_experts: 4}\n",
                                  "Qwen2Config", "hygiene/wrong-type@6"},
                             Case{"  init_method: {std: 1}\n  model_config:\n    is_llama_config: true\n    hidden_size: 8.5\n",
                                  "LlamaConfig", "hygiene/wrong-type@7"},
                             Case{"  init_method: {std: 1}\n  model_config:\n    is_llama_config: true\n    no_rope_layer: 2\n",
                                  "LlamaConfig", "hygiene/fits-no-form@7"},
                             Case{"  init_method: {std: 1}\n  model_config:\n    hiden_size: 8\n", "LlamaConfig", "hygiene/unknown-key@6"},
                             // Without a fallback nothing may be left over or missing.
                             Case{"  init_method: {}\n  model_config: {}\n", "LlamaConfig", "hygiene/fits-no-form@4"},
                             Case{"  init_method: {std: '1'}\n  model_config: {}\n", "LlamaConfig", "hygiene/wrong-type@4"},
                             Case{"  init_method: {std: 1e-5}\n  model_config: {}\n", "LlamaConfig", "hygiene/number-read-as-text@4"},
                             Case{"  init_method: {use_mup: false}\n  model_config: {}\n", "LlamaConfig", "hygiene/not-a-choice@4"}));

}  // namespace
}  // namespace shardlint
