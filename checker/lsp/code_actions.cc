// What can be done where the cursor stands: fixes that were tried, an ignore with its reason, the rule's page, the cluster's numbers.
//
// Everything is worked out only when it is asked for. An edit that is not a fix of the engine's is tried too: it is offered if the check of
// the edited text says what was wanted.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "checker/document/document.h"
#include "checker/fix/files.h"
#include "checker/fix/writer.h"
#include "checker/lsp/features.h"
#include "checker/lsp/uri.h"

namespace shardlint::lsp {

namespace {

constexpr int kRounds = 100;  // fixes that are made at once
constexpr const char* kReason = "say why";
constexpr const char* kFixAll = "source.fixAll.shardlint";

std::string title_of(const Fix& fix) {
  if (fix.title.starts_with("add ") || fix.title.starts_with("remove ") || fix.title.starts_with("move "))
    return static_cast<char>(std::toupper(static_cast<unsigned char>(fix.title[0]))) + fix.title.substr(1);
  return (fix.title.find(" = ") != std::string::npos ? "Set " : "Write ") + fix.title;
}

// The buffers with another text for one file, whether it is open or not.
BuffersPtr with_text(const BuffersPtr& buffers, const std::string& path, std::string text) {
  Buffers out = *buffers;
  OpenDocument& document = out[path];
  document.path = path;
  document.text = std::make_shared<const Text>(std::move(text));
  return std::make_shared<const Buffers>(std::move(out));
}

CheckResult check_again(const Request& request, const AnalysisPtr& analysis, const BuffersPtr& buffers, bool fixes) {
  CheckOptions options = request.workspace->options(analysis->root);
  options.fixes = fixes, options.origins = false, options.stop = request.cancelled;
  return check(World(analysis->root.folder, buffers), options);
}

bool stands_in(const Finding& finding, const AnalysisPtr& analysis, const std::string& path) {
  return finding.place && join(analysis->root.folder, finding.place.source->path()) == path;
}

// The text of the document with all safe fixes made that change nothing else; the same text if there are none.
std::string all_fixed(const Request& request, const AnalysisPtr& analysis) {
  BuffersPtr buffers = request.buffers;
  std::string text = request.text->bytes;
  for (int round = 0; round < kRounds; ++round) {
    const CheckResult result = check_again(request, analysis, buffers, true);
    const Fix* chosen = nullptr;
    for (const Finding& finding : result.findings)
      for (const Fix& fix : finding.fixes)
        if (!chosen && fix.safety == Safety::Safe && !fix.edits.empty() && finding.severity != Severity::Info &&
            std::all_of(fix.edits.begin(), fix.edits.end(),
                        [&](const Edit& edit) { return join(analysis->root.folder, edit.source->path()) == request.path; }))
          chosen = &fix;
    if (!chosen) break;
    const std::optional<std::string> after = apply(*chosen->edits[0].source, chosen->edits);
    if (!after || *after == text) break;
    text = *after;
    buffers = with_text(buffers, request.path, text);
  }
  return text;
}

class Actions {
 public:
  explicit Actions(const Request& request) : request_(request), range_(request.range()) {
    const llvm::json::Object* context = request.params.getObject("context");
    if (const llvm::json::Array* only = context ? context->getArray("only") : nullptr) {
      only_ = std::vector<std::string>();
      for (const llvm::json::Value& kind : *only) only_->push_back(kind.getAsString().value_or("").str());
    }
    if (const llvm::json::Array* known = context ? context->getArray("diagnostics") : nullptr) diagnostics_ = known;
  }

  llvm::json::Array run() {
    const std::vector<AnalysisPtr> analyses = request_.analyses();
    for (const AnalysisPtr& analysis : analyses) {
      if (request_.cancelled && *request_.cancelled) break;
      const auto [first, last] = analysis->by_file.equal_range(request_.path);
      const bool touched = std::any_of(first, last, [&](const auto& entry) { return near(*entry.second); });
      const bool all = wants(kFixAll) && first != last;
      if (!touched && !all) continue;
      const auto result = request_.workspace->with_fixes(analysis, request_.cancelled);
      if (!result) break;
      // What stands under the cursor before what else its line has.
      for (const bool under : {true, false})
        for (const Finding& finding : result->findings)
          if (stands_in(finding, analysis, request_.path) && near(finding) && touches(finding) == under) of_finding(finding, analysis);
      if (all && std::any_of(result->findings.begin(), result->findings.end(),
                             [&](const Finding& finding) { return stands_in(finding, analysis, request_.path) && has_safe(finding); }))
        fix_all(analysis);
    }
    if (wants("refactor")) cluster(analyses);
    return std::move(out_);
  }

 private:
  bool wants(std::string_view kind) const {
    if (!only_) return true;
    return std::any_of(only_->begin(), only_->end(), [&](const std::string& asked) {
      return asked.empty() || kind == asked || (kind.starts_with(asked) && kind[asked.size()] == '.');
    });
  }

  // On the lines that were asked for.
  bool near(const Finding& finding) const {
    if (!finding.place || finding.place.source->text() != request_.text->bytes) return false;
    const auto line = [&](std::uint32_t offset) { return finding.place.source->position(offset).line; };
    return line(finding.place.range.begin) <= line(range_.end) && line(range_.begin) <= line(finding.place.range.end);
  }

  bool touches(const Finding& finding) const { return finding.place.range.begin <= range_.end && range_.begin <= finding.place.range.end; }

  static bool has_safe(const Finding& finding) {
    return finding.severity != Severity::Info &&
           std::any_of(finding.fixes.begin(), finding.fixes.end(), [](const Fix& fix) { return fix.safety == Safety::Safe; });
  }

  // " in train.yaml", where the document itself stays as it is: nobody would see the edit.
  std::string elsewhere(const Fix& fix, const AnalysisPtr& analysis) const {
    std::set<std::string> files;
    for (const Edit& edit : fix.edits) {
      if (join(analysis->root.folder, edit.source->path()) == request_.path) return "";
      files.insert(edit.source->path());
    }
    return files.empty() ? "" : fmt::format(" in {}", fmt::join(files, ", "));
  }

  // The editor's own diagnostics that the finding is.
  llvm::json::Array matching(const Finding& finding) const {
    llvm::json::Array out;
    if (!diagnostics_) return out;
    const llvm::json::Value range = request_.range_of(finding.place.range);
    for (const llvm::json::Value& value : *diagnostics_) {
      const llvm::json::Object* diagnostic = value.getAsObject();
      if (diagnostic && diagnostic->getString("code") == llvm::StringRef(finding.rule) && *diagnostic->get("range") == range)
        out.push_back(value);
    }
    return out;
  }

  void add(std::string title, std::string_view kind, const Finding* finding, llvm::json::Object rest, bool preferred = false) {
    rest["title"] = title;
    rest["kind"] = std::string(kind);
    if (preferred) rest["isPreferred"] = true;
    if (finding)
      if (llvm::json::Array known = matching(*finding); !known.empty()) rest["diagnostics"] = std::move(known);
    if (titles_.insert(title + "|" + std::string(kind) + (finding ? finding->rule : "")).second) out_.push_back(std::move(rest));
  }

  void of_finding(const Finding& finding, const AnalysisPtr& analysis) {
    if (wants("quickfix")) {
      Places places = request_.places(analysis);
      for (const Fix& fix : finding.fixes) {
        std::optional<llvm::json::Value> edit = places.edit(fix.edits, *request_.client);
        if (!edit) continue;
        // One only, or an editor that makes the preferred fix at a keystroke would make several.
        add(title_of(fix) + elsewhere(fix, analysis), "quickfix", &finding, llvm::json::Object{{"edit", std::move(*edit)}},
            !std::exchange(preferred_, true));
      }
      ignore(finding, analysis);
      add(fmt::format("About {}", finding.rule), "quickfix", &finding,
          llvm::json::Object{{"command", llvm::json::Object{{"title", "Open the rule's page"},
                                                            {"command", kPageCommand},
                                                            {"arguments", llvm::json::Array{finding.rule}}}}});
    }
  }

  // At the end of the line; on a line of its own before it where that one goes on.
  void ignore(const Finding& finding, const AnalysisPtr& analysis) {
    const SourcePtr& source = finding.place.source;
    const std::optional<Format> format = format_of(request_.path);
    if (format == Format::Json) return;  // it has no comments
    const std::string mark = format == Format::Cpp ? "//" : "#";
    const Range line = source->line_range(source->position(finding.place.range.begin).line);
    const std::string_view written = source->text(line);
    const std::string comment = fmt::format("{} shardlint: ignore[{}] {}", mark, finding.rule, kReason);
    const std::string indent(written.substr(0, std::min(written.find_first_not_of(" \t"), written.size())));
    const bool windows = source->text().substr(line.end).starts_with("\r");
    const Edit behind{source, {line.end, line.end}, fmt::format("  {}", comment)};
    const Edit before{source, {line.begin, line.begin}, fmt::format("{}{}{}", indent, comment, windows ? "\r\n" : "\n")};
    for (const Edit& edit : {behind, before}) {
      const std::optional<std::string> after = apply(*source, {edit});
      if (!after) continue;
      const CheckResult result = check_again(request_, analysis, with_text(request_.buffers, request_.path, *after), false);
      const auto count = [&](const CheckResult& in) { return in.findings.size(); };
      if (result.suppressed <= analysis->result->suppressed || count(result) >= count(*analysis->result)) continue;
      Places places = request_.places(analysis);
      std::optional<llvm::json::Value> change = places.edit({edit}, *request_.client);
      if (!change) return;
      llvm::json::Object rest{{"edit", std::move(*change)}};
      if (request_.client->selects) {
        // The editor's own command: the reason is selected, to be typed over.
        const auto at = static_cast<std::uint32_t>(edit.range.begin + edit.text.find(kReason));
        const Text text(*after);
        rest["command"] = llvm::json::Object{
            {"title", "Say why"},
            {"command", "shardlint.select"},
            {"arguments",
             llvm::json::Array{places.uri(request_.path),
                               toJSON(text.lines.range(text.bytes, {at, at + static_cast<std::uint32_t>(std::string_view(kReason).size())},
                                                       request_.client->encoding))}}};
      }
      add(fmt::format("Ignore {} here, with a reason", finding.rule), "quickfix", &finding, std::move(rest));
      return;
    }
  }

  void fix_all(const AnalysisPtr& analysis) {
    const std::string uri = request_.places(analysis).uri(request_.path);
    llvm::json::Object rest{{"data", llvm::json::Object{{"fixAll", uri}}}};
    if (!request_.client->resolves_edits) {
      std::optional<llvm::json::Value> edit = fix_all_edit(request_, analysis);
      if (!edit) return;
      rest["edit"] = std::move(*edit);
    }
    add("Make all safe fixes of shardlint in this file", kFixAll, nullptr, std::move(rest));
  }

 public:
  static std::optional<llvm::json::Value> fix_all_edit(const Request& request, const AnalysisPtr& analysis) {
    const std::string after = all_fixed(request, analysis);
    if (after == request.text->bytes) return std::nullopt;
    const auto source = std::make_shared<const Source>(request.path, request.text->bytes);
    return request.places(analysis).edit(line_edits(source, after), *request.client);
  }

 private:
  // At the top, and on lines that decide anything of the plan: on every other line it would be in the way.
  bool asks_for_plan(const PlanOf& plan) const {
    const auto line = [&](std::uint32_t offset) {
      return request_.text->lines.position(request_.text->bytes, offset, Encoding::Utf8).line;
    };
    const int first = line(range_.begin), last = line(range_.end);
    return first == 0 || std::any_of(plan.plan->fields.begin(), plan.plan->fields.end(), [&](const FieldReport& field) {
             if (!field.place || join(plan.analysis->root.folder, field.place.source->path()) != request_.path) return false;
             const int at = line(field.place.range.begin);
             return first <= at && at <= last;
           });
  }

  // Where the number of GPUs is what most checks wait for.
  void cluster(const std::vector<AnalysisPtr>& analyses) {
    const auto unknown = [](const PlanOf& entry) { return entry.plan->plan && !entry.plan->plan->world_size; };
    const std::vector<PlanOf> plans = plans_of(analyses);
    const auto plan = std::find_if(plans.begin(), plans.end(), unknown);
    if (plan == plans.end() || !asks_for_plan(*plan)) return;
    const std::string& folder = plan->analysis->root.folder;
    const World world(folder, request_.buffers);
    std::string path = join(folder, "shardlint.toml");
    for (const std::string& read : plan->analysis->reads)
      if (read.ends_with("/shardlint.toml")) path = read;
    const Files::Read there = world.exists(path) ? world.read(path) : Files::Read{};
    const auto source = std::make_shared<const Source>(path, there.text.value_or(""));
    std::string text = there.text.value_or("");
    for (const auto& [key, value] : {std::pair{"cluster.nodes", 1}, {"cluster.gpus_per_node", 8}}) {
      const DocumentPtr document = read_document(std::make_shared<const Source>(path, text), Format::Toml);
      if (!document->problems.empty()) return;
      if (document->roots.empty() || text.empty()) {
        text = kNewSettings;
        break;
      }
      const auto edits = insert_key(document, *document->roots[0], key, Value(value), Dialect::Toml);
      if (edits) text = apply(*document->source, *edits).value_or(text);
    }
    if (text == there.text.value_or("")) return;
    llvm::json::Object rest;
    if (there.text) {
      std::optional<llvm::json::Value> change = request_.places(plan->analysis).edit(line_edits(source, text), *request_.client);
      if (!change) return;
      rest["edit"] = std::move(*change);
    } else if (request_.client->document_changes && request_.client->creates_files) {
      const llvm::json::Value origin = toJSON(mlir::lsp::Range(mlir::lsp::Position()));
      rest["edit"] = llvm::json::Object{
          {"documentChanges",
           llvm::json::Array{llvm::json::Object{{"kind", "create"}, {"uri", uri_of(path)}},
                             llvm::json::Object{{"textDocument", llvm::json::Object{{"uri", uri_of(path)}, {"version", nullptr}}},
                                                {"edits", llvm::json::Array{llvm::json::Object{{"range", origin}, {"newText", text}}}}}}}};
    } else {
      rest["command"] = llvm::json::Object{
          {"title", "Create shardlint.toml"}, {"command", kCreateCommand}, {"arguments", llvm::json::Array{uri_of(path)}}};
    }
    add("Set the cluster in shardlint.toml", "refactor", nullptr, std::move(rest));
  }

  const Request& request_;
  Range range_;
  std::optional<std::vector<std::string>> only_;
  const llvm::json::Array* diagnostics_ = nullptr;
  std::set<std::string> titles_;
  bool preferred_ = false;  // one was marked
  llvm::json::Array out_;
};

}  // namespace

llvm::json::Value code_actions(const Request& request) { return Actions(request).run(); }

llvm::json::Value resolve_code_action(const Request& request) {
  llvm::json::Object out = request.params;
  for (const AnalysisPtr& analysis : request.analyses())
    if (std::optional<llvm::json::Value> edit = Actions::fix_all_edit(request, analysis)) {
      out["edit"] = std::move(*edit);
      break;
    }
  return out;
}

}  // namespace shardlint::lsp
