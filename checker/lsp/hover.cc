// What a key means, where its value comes from, and what follows from it.
#include <fmt/format.h>

#include "checker/lsp/derived.h"
#include "checker/lsp/diagnostics.h"
#include "checker/lsp/features.h"
#include "checker/lsp/key_text.h"
#include "checker/plan/law.h"
#include "checker/report/text.h"

namespace shardlint::lsp {

namespace {

// A link that an editor can follow to a line: [configs/base.yaml:3](file:///...#L3).
std::string linked(const Place& place, const Places& places) {
  const std::uint32_t line = place.source->position(place.range.begin).line;
  const std::string shown = fmt::format("{}:{}", place.source->path(), line);
  if (!places.is_file(place)) return shown;
  return fmt::format("[{}]({}#L{})", shown, places.uri(places.path(place.source)), line);
}

class Page {
 public:
  Page(const Request& request, const Spot& spot) : request_(request), spot_(spot), places_(request.places(spot.analysis)) {}

  std::string write() {
    const Job job = spot_.own_job();
    const Fact& fact = *spot_;
    out_ = fmt::format("**`{}`** · {}{}\n\n", fact.path, job.schema->title, version());
    Judgement judgement = judge(job);
    const KeySpec* key = nullptr;
    Slot slot = kNoSlot;
    for (const Binding& binding : bind(job).bindings)
      if (binding.fact == spot_.fact) slot = binding.slot, key = job.schema->key_of(slot);
    if (!key) key = job.schema->find_key(fact.path);
    std::vector<Field> fields;
    Evaluation* evaluation = judgement.plan(spot_.plan->index);
    if (slot != kNoSlot && evaluation)
      fields = slot < kFieldCount ? std::vector{static_cast<Field>(slot)} : fields_of(*job.schema, slot, evaluation->plan());
    if (key)
      out_ += key_page(*job.schema, *key, fields);
    else
      for (Field field : fields) out_ += fmt::format("{}\n\n", shardlint::fields()[shardlint::slot(field)].doc);
    value(fact, evaluation, slot);
    if (!fields.empty() || is_structural(slot, evaluation)) consequences();
    return std::move(out_);
  }

 private:
  // On the line of the key that is asked about.
  bool stands_here(const Place& place) const {
    return places_.path(place.source) == request_.path && place.source->text() == request_.text->bytes &&
           place.source->position(place.range.begin).line == place.source->position(spot_.range.begin).line;
  }

  std::string version() const { return spot_.plan->version.empty() ? "" : " " + spot_.plan->version; }

  // Whether any of the split, the batch or the model rests on it.
  static bool is_structural(Slot slot, Evaluation* evaluation) {
    if (slot == kNoSlot || !evaluation) return false;
    for (const Field field : {Field::world_size, Field::tp, Field::pp, Field::cp, Field::ep, Field::dp, Field::num_microbatches,
                              Field::layers, Field::global_batch, Field::micro_batch, Field::zero_stage, Field::fsdp})
      for (Slot input : evaluation->inputs(shardlint::slot(field)))
        if (input == slot) return true;
    return false;
  }

  void value(const Fact& fact, Evaluation* evaluation, Slot slot) {
    if (fact.value.map()) return;
    if (!fact.open.empty()) {
      out_ += fmt::format("Not known here: {}\n\n", fact.open);
    } else {
      out_ += fmt::format("Value `{}`", to_string(fact.value));
      if (fact.place && places_.is_file(fact.place) && !stands_here(fact.place))
        out_ += fmt::format(", set at {}", linked(fact.place, places_));
      if (!fact.word.empty()) out_ += fmt::format(", by the override `{}`", fact.word);
      if (spot_.overridden) out_ += ", which overrides what stands here";
      out_ += "\n\n";
    }
    if (fact.chain)
      for (const Step& step : *fact.chain)
        out_ += fmt::format("- {}{}\n", with_commas(step.says), step.place ? ", " + linked(step.place, places_) : "");
    if (fact.chain && !fact.chain->empty()) out_ += "\n";
    if (slot == kNoSlot || !evaluation) return;
    const SlotState& state = evaluation->at(slot);
    if (state.origin == SlotState::Origin::Rewritten && state.known())
      out_ += fmt::format("{} changes it to `{}`\n\n", spot_.job->schema->title, to_string(state.value));
  }

  void consequences() {
    if (!spot_.plan->plan) return;
    const Plan& plan = *spot_.plan->plan;
    std::string line = split_line(*spot_.plan, false);
    for (const auto& part : {micro_batches(plan), layers_per_stage(plan), memory_per_gpu(plan), bubble(plan)})
      if (part) line += (line.empty() ? "" : " · ") + *part;
    if (!line.empty()) out_ += fmt::format("---\n\n{}\n", line);
  }

  const Request& request_;
  const Spot& spot_;
  Places places_;
  std::string out_;
};

// Markdown's marks, where an editor shows the text as it is.
std::string plain(std::string_view markdown) {
  std::string out;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    if (markdown.substr(i).starts_with("**")) {
      ++i;
    } else if (markdown[i] == '[' && markdown.find("](", i) != std::string_view::npos) {
      const std::size_t middle = markdown.find("](", i), end = markdown.find(')', middle);
      out += markdown.substr(i + 1, middle - i - 1);
      i = end == std::string_view::npos ? markdown.size() : end;
    } else if (markdown[i] != '`') {
      out += markdown[i];
    }
  }
  return out;
}

}  // namespace

llvm::json::Value hover(const Request& request) {
  const std::optional<Spot> spot = spot_at(request, request.analyses(), request.offset());
  if (!spot) return nullptr;
  std::string text = Page(request, *spot).write();
  while (text.ends_with('\n')) text.pop_back();
  const bool markdown = request.client->markdown;
  return llvm::json::Object{
      {"contents", llvm::json::Object{{"kind", markdown ? "markdown" : "plaintext"}, {"value", markdown ? text : plain(text)}}},
      {"range", request.range_of(spot->range)}};
}

}  // namespace shardlint::lsp
