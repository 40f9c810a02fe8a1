// Any bytes are a document: reading them must end, and every range must lie inside the text.
//
// Whatever a file holds, the same tree is walked as the checker would walk it: its entries with merges, its facts under every dialect of
// the format, its dump.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "checker/document/dialect.h"
#include "checker/document/document.h"
#include "checker/document/fact.h"
#include "checker/text/source.h"
#include "tests/fuzz/promise.h"

namespace shardlint::fuzzing {

inline void require_inside(const Document& document, Range range) {
  require(range.begin <= range.end && range.end <= document.source->text().size());
}

inline void require_ranges(const Document& document) {
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

inline void walk(const DocumentPtr& document, Dialect dialect) {
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

inline void drive(std::string_view text, Format format, bool hjson, std::initializer_list<Dialect> dialects) {
  const auto source = std::make_shared<const Source>("input", std::string(text));
  const DocumentPtr document = read_document(source, format, hjson);
  require(document != nullptr && document->format == format && document->source == source);
  require_ranges(*document);
  for (const Dialect dialect : dialects) walk(document, dialect);
  dump(*document);
}

}  // namespace shardlint::fuzzing
