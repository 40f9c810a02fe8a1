// Keys where they belong, with type and default; values: the words that a key takes, and of numbers only those that would pass.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "checker/fix/search.h"
#include "checker/lsp/cursor.h"
#include "checker/lsp/features.h"
#include "checker/lsp/key_text.h"
#include "checker/lsp/settings_completion.h"
#include "checker/plan/law.h"

namespace shardlint::lsp {

namespace {

using mlir::lsp::CompletionItemKind;

constexpr std::size_t kTried = 40;  // numbers that are judged for one answer

// "stages[3].name" as the schema spells it, with stars.
std::string with_stars(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    out += path[i];
    if (path[i] != '[') continue;
    out += "*]";
    i = std::min(path.find(']', i), path.size());
  }
  return out;
}

class Completion {
 public:
  Completion(const Request& request, const Cursor& cursor, Format format, bool command, const PlanOf& plan)
      : request_(request), cursor_(cursor), format_(format), command_(command), plan_(plan), job_(Spot::private_copy(*plan.plan->job)) {}

  llvm::json::Array run() {
    if (cursor_.place == Cursor::Place::Value)
      values();
    else
      keys();
    return std::move(out_);
  }

 private:
  const Schema& schema() const { return *job_.schema; }

  void add(const std::string& label, std::string text, CompletionItemKind kind, const std::string& detail, const std::string& page,
           std::size_t rank, bool deprecated = false) {
    llvm::json::Object item{{"label", label},
                            {"kind", static_cast<int>(kind)},
                            {"sortText", fmt::format("{:05}", rank)},
                            {"filterText", cursor_.quoted ? text : label},
                            {"textEdit", llvm::json::Object{{"range", request_.range_of(cursor_.word)}, {"newText", std::move(text)}}}};
    if (!detail.empty()) item["detail"] = detail;
    if (!page.empty())
      item["documentation"] = llvm::json::Object{{"kind", request_.client->markdown ? "markdown" : "plaintext"}, {"value", page}};
    if (deprecated) item["deprecated"] = true;
    out_.push_back(std::move(item));
  }

  // ---- keys

  void keys() {
    std::set<std::string> offered = present();
    const std::string parent = with_stars(cursor_.parent);
    for (std::size_t i = 0; i < schema().keys.size(); ++i) {
      const KeySpec& key = schema().keys[i];
      if (key.open() || key.state == KeyState::Removed || key.state == KeyState::Renamed || !schema().has(*job_.form, key)) continue;
      const Slot slot = schema().key_slot(i);
      if ((command_ || job_.form->flags) && !key.flags.empty()) {
        for (const FlagSpec& flag : schema().flags)
          if (flag.key == i && (command_ || cursor_.parent == job_.form->root)) offer(std::string(flag.spelling), key, slot, i, offered);
        continue;
      }
      if (command_ && schema().launch.words != LaunchWords::Names) continue;
      const std::string path = command_ ? std::string(key.path) : document_path(job_, slot);
      if (command_) {
        offer("--" + path, key, slot, i, offered);
        continue;
      }
      if (cursor_.place == Cursor::Place::Header) {
        if (key.types & type::Map) offer(path, key, slot, i, offered);
        continue;
      }
      std::string_view rest = path;
      if (!parent.empty()) {
        if (!rest.starts_with(parent) || rest.size() <= parent.size() + 1 || rest[parent.size()] != '.') continue;
        rest.remove_prefix(parent.size() + 1);
      }
      // A section that has no row of its own is offered by its first key.
      rest = rest.substr(0, rest.find_first_of(".["));
      offer(std::string(rest), key, slot, i, offered, rest.size() + (parent.empty() ? 0 : parent.size() + 1) < path.size());
    }
  }

  // What the mapping under the cursor has already.
  std::set<std::string> present() const {
    std::set<std::string> out;
    const DocumentPtr document = document_of(request_);
    if (!document || document->roots.empty()) return out;
    for (const Fact& fact : facts_of(document, *document->roots[0], Dialect::Yaml12)) {
      const bool here = fact.key_place.range.begin <= cursor_.word.end && cursor_.word.begin <= fact.key_place.range.end;
      const std::size_t dot = fact.path.rfind('.');
      const std::string_view holder = dot == std::string::npos ? std::string_view() : std::string_view(fact.path).substr(0, dot);
      if (!here && holder == cursor_.parent) out.insert(fact.path.substr(dot == std::string::npos ? 0 : dot + 1));
    }
    return out;
  }

  void offer(const std::string& name, const KeySpec& key, Slot slot, std::size_t rank, std::set<std::string>& offered,
             bool section = false) {
    if (!offered.insert(name).second) return;
    section |= (key.types & type::Map) && !(key.types & ~(type::Map | type::Null));
    const std::vector<Field> fields = fields_of(schema(), slot, 0);
    std::string text = name;
    if (cursor_.place == Cursor::Place::Key && !command_) {
      if (format_ == Format::Json || (format_ == Format::Yaml && cursor_.quoted)) text = "\"" + name + "\"";
      if (!cursor_.colon) text += format_ == Format::Toml ? " = " : format_ == Format::Yaml && section ? ":" : ": ";
    }
    const bool deprecated = key.state == KeyState::Deprecated || key.state == KeyState::Ignored;
    const bool foreign = section && !(key.types & type::Map);
    add(name, std::move(text), section ? CompletionItemKind::Module : CompletionItemKind::Property,
        foreign ? "section" : type_and_default(schema(), key), foreign ? "" : key_page(schema(), key, fields),
        rank + (deprecated ? 50'000 : 0), deprecated);
  }

  // ---- values

  void values() {
    const auto [key, slot, path] = key_at();
    if (!key) return;
    const std::string fallback = default_text(schema(), *key);
    const std::string page = key_page(schema(), *key, fields_of(schema(), slot, 0));
    std::size_t rank = 0;
    const auto offer = [&](const std::string& label, bool word, const std::string& detail, CompletionItemKind kind) {
      const bool is_default = label == fallback || fmt::format("\"{}\"", label) == fallback;
      add(label, spelled(label, word), kind, detail.empty() && is_default ? "default" : detail, page, rank++);
    };
    for (std::string_view choice : key->choices)
      offer(std::string(choice), (key->types & type::Str) != 0, "", CompletionItemKind::EnumMember);
    const bool boolean = (key->types & type::Bool) && !(key->types & (type::Int | type::Real | type::Str));
    if (boolean && key->choices.empty())
      for (const char* word : {"true", "false"}) offer(word, false, "", CompletionItemKind::Value);
    if ((key->types & type::Int) && key->choices.empty())
      for (const auto& [number, detail] : numbers(slot, path)) offer(std::to_string(number), false, detail, CompletionItemKind::Value);
    if (out_.empty() && !fallback.empty() && !(key->types & type::Map))
      offer(unquoted(fallback), key->types & type::Str, "default", CompletionItemKind::Value);
  }

  static std::string unquoted(const std::string& text) {
    return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
  }

  std::string spelled(const std::string& label, bool word) const {
    if (command_) return label;
    if (word && (format_ != Format::Yaml || cursor_.quoted)) return "\"" + label + "\"";
    return cursor_.quoted ? "\"" + label + "\"" : label;
  }

  struct At {
    const KeySpec* key = nullptr;
    Slot slot = kNoSlot;
    std::string path;
  };
  At key_at() const {
    if (command_ || (job_.form->flags && cursor_.parent == job_.form->root)) {
      if (const FlagSpec* flag = schema().find_flag(cursor_.key))
        return {&schema().keys[flag->key], schema().key_slot(flag->key),
                cursor_.parent.empty() ? cursor_.key : cursor_.parent + "." + cursor_.key};
      if (!command_) return {};
    }
    const std::string name = command_ ? cursor_.key.substr(2) : cursor_.key;
    const std::string path = cursor_.parent.empty() ? name : cursor_.parent + "." + name;
    const std::string starred = with_stars(path);
    for (std::size_t i = 0; i < schema().keys.size(); ++i) {
      const Slot slot = schema().key_slot(i);
      if (schema().has(*job_.form, schema().keys[i]) && (command_ ? schema().keys[i].path == name : document_path(job_, slot) == starred))
        return {&schema().keys[i], slot, path};
    }
    return {};
  }

  // Numbers for a key that decides a degree or a batch size: those with which the law has nothing to say against it.
  std::vector<std::pair<i64, std::string>> numbers(Slot slot, const std::string& path) const {
    static constexpr Field kCounts[] = {Field::nodes,       Field::gpus_per_node,
                                        Field::world_size,  Field::tp,
                                        Field::pp,          Field::cp,
                                        Field::ep,          Field::etp,
                                        Field::dp,          Field::dp_replicate,
                                        Field::dp_shard,    Field::vpp,
                                        Field::micro_batch, Field::global_batch,
                                        Field::grad_accum,  Field::num_microbatches};
    std::optional<Field> field;
    for (std::size_t plan = 0; plan < schema().plan_count() && !field; ++plan)
      for (Field candidate : fields_of(schema(), slot, plan))
        if (std::find(std::begin(kCounts), std::end(kCounts), candidate) != std::end(kCounts)) field = candidate;
    if (!field) return {};
    std::vector<std::pair<i64, std::string>> out;
    std::optional<std::uint32_t> fact;
    for (std::uint32_t i = 0; i < job_.facts.size(); ++i)
      if (job_.facts[i].path == path && job_.facts[i].way != Way::Setting) fact = i;
    for (const i64 number : candidates(*field)) {
      if (request_.cancelled && *request_.cancelled) break;
      Change change;
      change.value = number;
      if (fact)
        change.kind = Change::Kind::Set, change.fact = *fact;
      else
        change.kind = Change::Kind::Insert, change.slot = slot, change.path = path;
      Job tried = job_;
      tried.facts = with_changes(job_, {change});
      Judgement judgement = judge(tried);
      if (passes(tried, judgement, path)) out.emplace_back(number, consequence(judgement, *field));
    }
    return out;
  }

  std::vector<i64> candidates(Field field) const {
    const Plan& plan = *plan_.plan->plan;
    std::vector<i64> out;
    const bool batch =
        field == Field::global_batch || field == Field::grad_accum || field == Field::micro_batch || field == Field::num_microbatches;
    if (field == Field::global_batch) {
      const i64 step = plan.dp.value_or(1) * plan.micro_batch.value_or(1);
      for (i64 times : {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256})
        if (step > 0 && step < (i64{1} << 40)) out.push_back(step * times);
      return out;
    }
    const i64 most = batch ? 64 : plan.world_size ? std::min<i64>(*plan.world_size, 4096) : 64;
    for (i64 number = 1; number <= most && out.size() < kTried; ++number) {
      const bool power = (number & (number - 1)) == 0;
      if (power || (plan.world_size && !batch && *plan.world_size % number == 0)) out.push_back(number);
    }
    return out;
  }

  // No error rests on the value.
  static bool passes(const Job& job, Judgement& judgement, const std::string& path) {
    for (const Violation& violation : judgement.violations) {
      if (violation.severity != Severity::Error) continue;
      std::vector<std::uint32_t> roots = written_roots(job, judgement.of(violation), violation);
      if (violation.fact) roots.push_back(*violation.fact);
      if (std::any_of(roots.begin(), roots.end(), [&](std::uint32_t fact) { return job.facts[fact].path == path; })) return false;
    }
    return true;
  }

  static std::string consequence(Judgement& judgement, Field field) {
    const auto known = [&](Field wanted) -> std::optional<i64> {
      const SlotState& state = judgement.evaluation->at(wanted);
      return state.known() && state.value.integer() ? std::optional(*state.value.integer()) : std::nullopt;
    };
    std::string out;
    if (const auto dp = known(Field::dp); dp && field != Field::dp) out = fmt::format("DP {}", with_commas(grouped(*dp)));
    if (const auto batches = known(Field::num_microbatches); batches && *batches > 0)
      out += (out.empty() ? "" : ", ") + with_commas(plural(*batches, "micro-batch"));
    return out;
  }

  const Request& request_;
  const Cursor& cursor_;
  Format format_;
  bool command_;
  const PlanOf& plan_;
  Job job_;
  llvm::json::Array out_;
};

}  // namespace

llvm::json::Value completion(const Request& request) {
  const std::string& bytes = request.text->bytes;
  const std::uint32_t offset = request.offset();
  const std::optional<Format> format = format_of(request.path);
  const bool command = !format;
  const std::optional<Cursor> cursor = command ? cursor_in_command(bytes, offset) : cursor_at(bytes, offset, *format);
  llvm::json::Array items;
  if (cursor && request.path.ends_with("/shardlint.toml")) {
    items = settings_completion(request, *cursor);
  } else if (cursor) {
    // The last plan that could be read serves: while one types the text is mostly broken.
    for (const PlanOf& plan : plans_of(request.analyses()))
      if (plan.plan->job && plan.plan->plan) {
        items = Completion(request, *cursor, format.value_or(Format::Yaml), command, plan).run();
        break;
      }
  }
  return llvm::json::Object{{"isIncomplete", false}, {"items", std::move(items)}};
}

}  // namespace shardlint::lsp
