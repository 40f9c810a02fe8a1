// Any bytes are a document: reading them as TOML, YAML, JSON or Hjson must end, and every range must lie inside the text.
//
// Whatever a file holds, the same tree is walked as the checker would walk it: its entries with merges, its facts under every dialect of
// the format, its dump. A broken promise aborts, so that the fuzzer keeps the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>

#include "checker/document/dialect.h"
#include "checker/document/document.h"
#include "checker/document/fact.h"
#include "checker/text/source.h"

namespace shardlint {
namespace {

void require(bool kept) {
  if (!kept) std::abort();
}

void require_inside(const Document& document, Range range) {
  require(range.begin <= range.end && range.end <= document.source->text().size());
}

void require_ranges(const Document& document) {
  for (const Comment& comment : document.comments) require_inside(document, comment.range);
  for (const Duplicate& duplicate : document.duplicates) {
    require_inside(document, duplicate.first);
    require_inside(document, duplicate.second);
  }
  for (const Problem& problem : document.problems) {
    require(!problem.message.empty());
    require_inside(document, problem.range);
    if (problem.context_range) require_inside(document, *problem.context_range);
  }
}

void walk(const DocumentPtr& document, Dialect dialect) {
  for (const Node* root : document->roots) {
    require(root != nullptr);
    for (const Fact& fact : facts_of(document, *root, dialect)) {
      require_inside(*document, fact.place.range);
      require_inside(*document, fact.key_place.range);
      if (!fact.node) continue;
      require_inside(*document, fact.node->range);
      if (fact.node->kind == Node::Kind::Scalar) trap(*fact.node, dialect);
    }
    read(*root, dialect);
  }
}

void drive(const SourcePtr& source, Format format, bool hjson, std::initializer_list<Dialect> dialects) {
  const DocumentPtr document = read_document(source, format, hjson);
  require(document != nullptr && document->format == format && document->source == source);
  require_ranges(*document);
  for (const Dialect dialect : dialects) walk(document, dialect);
  dump(*document);
}

}  // namespace
}  // namespace shardlint

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shardlint;
  const auto source = std::make_shared<const Source>("input", std::string(reinterpret_cast<const char*>(data), size));
  drive(source, Format::Toml, false, {Dialect::Toml});
  drive(source, Format::Yaml, false, {Dialect::PyYaml, Dialect::OmegaConf, Dialect::Yaml12, Dialect::Argparse});
  drive(source, Format::Json, false, {Dialect::Json});
  drive(source, Format::Json, true, {Dialect::Hjson});
  return 0;
}
