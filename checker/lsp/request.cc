#include "checker/lsp/request.h"

#include "checker/document/fact.h"

namespace shardlint::lsp {

std::uint32_t Request::offset() const {
  mlir::lsp::Position position;
  llvm::json::Path::Root root;
  const llvm::json::Value* value = params.get("position");
  if (!value || !fromJSON(*value, position, root)) return 0;
  return text->lines.offset(text->bytes, position, client->encoding);
}

Range Request::range() const {
  mlir::lsp::Range range;
  llvm::json::Path::Root root;
  const llvm::json::Value* value = params.get("range");
  if (!value || !fromJSON(*value, range, root)) return {0, static_cast<std::uint32_t>(text->bytes.size())};
  return {text->lines.offset(text->bytes, range.start, client->encoding), text->lines.offset(text->bytes, range.end, client->encoding)};
}

Job Spot::private_copy(const Job& job) {
  Job out = job;
  out.near = std::make_shared<std::map<std::string, std::vector<std::string_view>>>();
  return out;
}

DocumentPtr document_of(const Request& request) {
  const std::optional<Format> format = format_of(request.path);
  if (!format || *format == Format::Cpp) return nullptr;
  return read_document(std::make_shared<const Source>(request.path, request.text->bytes), *format, *format == Format::Json);
}

namespace {

// Where a value was found, smaller is nearer.
struct Best {
  std::optional<Spot> spot;
  std::uint32_t size = UINT32_MAX;
  void offer(Spot other, Range range) {
    if (range.end - range.begin >= size) return;
    size = range.end - range.begin;
    spot = std::move(other);
    spot->range = range;
  }
};

bool touches(Range range, std::uint32_t offset) { return range.begin <= offset && offset <= range.end; }

}  // namespace

std::optional<Spot> spot_at(const Request& request, const std::vector<AnalysisPtr>& analyses, std::uint32_t offset) {
  // The key's path, where the present text is not the one that was judged.
  std::string path;
  Range present;
  if (const DocumentPtr document = document_of(request); document && !document->roots.empty()) {
    std::uint32_t size = UINT32_MAX;
    for (const Fact& fact : facts_of(document, *document->roots[0], Dialect::Yaml12))
      for (const Range range : {fact.key_place.range, fact.place.range})
        if (touches(range, offset) && range.end - range.begin < size && (fact.way == Way::Scalar || range == fact.key_place.range))
          size = range.end - range.begin, path = fact.path, present = range;
  }
  for (const AnalysisPtr& analysis : analyses) {
    if (!analysis->good) continue;
    Best best;
    for (const PlanReport& plan : analysis->good->plans) {
      if (!plan.job) continue;
      const auto here = [&](const Place& place) { return place && join(analysis->root.folder, place.source->path()) == request.path; };
      const auto same = [&](const Place& place) { return place.source->text() == request.text->bytes; };
      for (std::uint32_t i = 0; i < plan.job->facts.size(); ++i) {
        const Fact& fact = plan.job->facts[i];
        const Spot spot{analysis, analysis->good, &plan, plan.job.get(), i, {}, false};
        if (here(fact.place)) {
          if (!same(fact.place)) {
            if (!path.empty() && fact.path == path) best.offer(spot, present);
            continue;
          }
          if (here(fact.key_place) && touches(fact.key_place.range, offset)) best.offer(spot, fact.key_place.range);
          const bool whole = fact.way != Way::Container && !fact.value.map();
          if (whole && touches(fact.place.range, offset)) best.offer(spot, fact.place.range);
        }
        if (fact.chain)
          for (const Step& step : *fact.chain)
            if (here(step.place) && same(step.place) && touches(step.place.range, offset)) {
              Spot lost = spot;
              lost.overridden = true;
              best.offer(lost, step.place.range);
            }
      }
    }
    // A key before its value: the line says the same of both, and the job's other plans too.
    if (best.spot) return best.spot;
  }
  return std::nullopt;
}

std::vector<PlanOf> plans_of(const std::vector<AnalysisPtr>& analyses) {
  std::vector<PlanOf> out;
  for (const AnalysisPtr& analysis : analyses)
    if (analysis->good)
      for (const PlanReport& plan : analysis->good->plans) out.push_back({analysis, &plan, analysis->good == analysis->result});
  return out;
}

}  // namespace shardlint::lsp
