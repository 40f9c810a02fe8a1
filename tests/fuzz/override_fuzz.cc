// Any words are overrides of any configuration: Hydra's grammar, OmegaConf's interpolation, layers that change each other.
//
// The input is a YAML text, a NUL, and words that NULs part.
#include "checker/compose/compose.h"
#include "checker/compose/override.h"
#include "checker/engine/settings.h"
#include "tests/fuzz/promise.h"

namespace shardlint {
namespace {

void compose_as(const char* framework, const DocumentPtr& document, const Facts& words) {
  const Schema* schema = schema_named(framework);
  Overlay files;
  files.put("job.yaml", std::string(document->source->text()));
  files.put("other.yaml", "a: ${b}\nb: 1\nmodel: {tp: ${..a}}\n");
  files.put("conf/model/other.yaml", "c: 2\n");
  Layers layers{schema, schema->loader, {document}, words, {{"HOME", "/home/me"}}, ".", true, true};
  const Composed composed = compose(files, layers);
  for (const Fact& fact : composed.facts)
    if (fact.place)
      fuzzing::require(fact.place.range.begin <= fact.place.range.end && fact.place.range.end <= fact.place.source->text().size());
  for (const Finding& finding : composed.findings) fuzzing::require(!finding.message.empty());
  std::size_t tried = 0;
  for (const Fact& fact : composed.facts)
    if (fact.formula && ++tried < 8) fact.formula->value({{fact.formula->reads.empty() ? "a" : fact.formula->reads[0], Value(3)}});
  dump(composed);
}

}  // namespace
}  // namespace shardlint

FUZZ_TARGET(override) {
  using namespace shardlint;
  std::string_view rest = input;
  const auto source = std::make_shared<const Source>("job.yaml", std::string(fuzzing::cut(rest)));
  const DocumentPtr document = read_document(source, Format::Yaml);
  std::vector<OverrideWord> words;
  while (!rest.empty() && words.size() < 16) {
    const std::string word(fuzzing::cut(rest));
    std::string error;
    if (const auto read = layering::read_word(word, error)) {
      fuzzing::require(!read->has_value ||
                       (read->value.data() >= word.data() && read->value.data() + read->value.size() <= word.data() + word.size()));
      Fact at;
      if (!layering::read_value(read->value, at, error)) fuzzing::require(!error.empty());
    } else {
      fuzzing::require(!error.empty());
    }
    words.push_back({word, {}});
  }
  const Checked<Facts> overrides = read_overrides(words);
  fuzzing::require(overrides.value || !overrides.error.empty() || words.empty());
  for (const char* framework : {"verl", "nemo-rl", "nemo", "primus", "maxtext"})
    compose_as(framework, document, overrides.value.value_or(Facts{}));
}
