#include "checker/lsp/server.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "checker/fix/files.h"
#include "checker/lsp/diagnostics.h"
#include "checker/lsp/features.h"
#include "checker/lsp/pages.h"
#include "checker/lsp/uri.h"
#include "checker/report/plan.h"

namespace shardlint::lsp {

namespace {

constexpr std::size_t kAnswering = 2;                 // threads
constexpr std::int64_t kWorthShowing = 500;           // files to look at or jobs to check: below that nobody would see the progress
constexpr std::chrono::milliseconds kBetween{100};    // reports of progress
constexpr std::chrono::milliseconds kPatience{1500};  // that a request has for the check of its document
constexpr const char* kWatched = "**/*.{toml,yaml,yml,json,sh,sbatch,slurm,bash,cc,cpp,cxx,cu,h,hh,hpp,hxx,cuh,inc,inl,ipp}";

using Feature = llvm::json::Value (*)(const Request&);
constexpr std::pair<std::string_view, Feature> kFeatures[] = {
    {"textDocument/hover", hover},
    {"textDocument/inlayHint", inlay_hints},
    {"textDocument/codeLens", code_lenses},
    {"textDocument/completion", completion},
    {"textDocument/documentSymbol", document_symbols},
    {"textDocument/definition", definition},
    {"textDocument/codeAction", code_actions},
    {"codeAction/resolve", resolve_code_action},
};

llvm::StringRef text_at(const llvm::json::Object* object, llvm::StringRef key) {
  return object ? object->getString(key).value_or("") : llvm::StringRef();
}

// A canonical field that the editor's settings say.
void add_fact(Settings& settings, std::string_view field, const llvm::json::Value& value) {
  Value written;
  if (const auto integer = value.getAsInteger())
    written = Value(static_cast<i64>(*integer));
  else if (const auto number = value.getAsNumber())
    written = Value(*number);
  else if (const auto text = value.getAsString())
    written = Value(text->str());
  else
    return;
  const Checked<Value> checked = read_field(field, written);
  if (!checked.value) return;
  Fact fact;
  fact.path = fact.spelled = field;
  fact.value = *checked.value;
  const auto source = std::make_shared<const Source>("<editor settings>", to_string(*checked.value));
  fact.place = fact.key_place = {source, {0, static_cast<std::uint32_t>(source->text().size())}};
  fact.way = Way::Setting;
  settings.facts.push_back(std::move(fact));
}

}  // namespace

Server::Server(std::FILE* in, llvm::raw_ostream& out) : connection_(in, out) {
  workspace_ = std::make_unique<Workspace>([this](const std::set<std::string>& files) { publish(files); },
                                           [this](const Progress& now) { progress(now); });
  for (std::size_t i = 0; i < kAnswering; ++i) answering_.emplace_back([this] { answer(); });
}

Server::~Server() {
  {
    const std::lock_guard lock(queue_mutex_);
    closing_ = true;
    for (const std::shared_ptr<Job>& job : under_way_) *job->cancelled = true;
  }
  queued_.notify_all();
  workspace_->stop();
  for (std::thread& thread : answering_) thread.join();
}

int Server::run() {
  while (std::optional<llvm::json::Object> message = connection_.read()) {
    const std::string method = message->getString("method").value_or("").str();
    const llvm::json::Value* id = message->get("id");
    if (method.empty()) {
      if (id) connection_.answered(*message);
      continue;
    }
    if (method == "exit") return shut_down_ ? 0 : 1;
    llvm::json::Object params;
    if (llvm::json::Object* given = message->getObject("params")) params = std::move(*given);
    if (id)
      request(*id, method, std::move(params));
    else
      notification(method, params);
  }
  return 0;  // an editor that goes without a word has its reasons
}

// ---- lifecycle

llvm::json::Value Server::initialize(const llvm::json::Object& params) {
  client_ = client_of(params);
  if (const llvm::json::Array* folders = params.getArray("workspaceFolders")) {
    for (const llvm::json::Value& folder : *folders)
      if (const auto path = path_of(text_at(folder.getAsObject(), "uri").str())) folders_.push_back(*path);
  } else if (const auto path = path_of(text_at(&params, "rootUri").str())) {
    folders_.push_back(*path);
  }
  if (const llvm::json::Value* options = params.get("initializationOptions")) configure(*options);
  llvm::json::Array commands{kPlanCommand, kPageCommand, kCreateCommand};
  llvm::json::Array kinds{"quickfix", "refactor", "source.fixAll.shardlint"};
  llvm::json::Object can{
      {"positionEncoding", std::string(name(client_.encoding))},
      {"textDocumentSync", llvm::json::Object{{"openClose", true}, {"change", 2}, {"save", true}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"documentSymbolProvider", true},
      {"inlayHintProvider", true},
      {"codeLensProvider", llvm::json::Object{{"resolveProvider", false}}},
      {"codeActionProvider", llvm::json::Object{{"codeActionKinds", std::move(kinds)}, {"resolveProvider", client_.resolves_edits}}},
      {"completionProvider", llvm::json::Object{{"triggerCharacters", llvm::json::Array{".", ":", "=", "\"", "-", " ", "["}}}},
      {"executeCommandProvider", llvm::json::Object{{"commands", std::move(commands)}}},
      {"workspace", llvm::json::Object{{"workspaceFolders", llvm::json::Object{{"supported", true}, {"changeNotifications", true}}}}}};
  return llvm::json::Object{{"capabilities", std::move(can)},
                            {"serverInfo", llvm::json::Object{{"name", "shardlint"}, {"version", SHARDLINT_VERSION}}}};
}

void Server::initialized() {
  if (client_.watches) {
    llvm::json::Object watch{{"watchers", llvm::json::Array{llvm::json::Object{{"globPattern", kWatched}}}}};
    llvm::json::Object registration{
        {"id", "shardlint-files"}, {"method", "workspace/didChangeWatchedFiles"}, {"registerOptions", std::move(watch)}};
    connection_.call("client/registerCapability", llvm::json::Object{{"registrations", llvm::json::Array{std::move(registration)}}},
                     [](const llvm::json::Value&) {});
  }
  ask_settings();
  workspace_->set_folders(folders_);
}

void Server::ask_settings() {
  if (!client_.asks_settings) return;
  connection_.call("workspace/configuration",
                   llvm::json::Object{{"items", llvm::json::Array{llvm::json::Object{{"section", "shardlint"}}}}},
                   [this](llvm::json::Value answer) {
                     if (const llvm::json::Array* list = answer.getAsArray(); list && !list->empty()) configure((*list)[0]);
                   });
}

void Server::configure(const llvm::json::Value& value) {
  const llvm::json::Object* settings = value.getAsObject();
  if (!settings) return;
  if (const llvm::json::Object* own = settings->getObject("shardlint")) settings = own;
  WorkspaceSettings next = settings_;
  if (const auto delay = settings->getInteger("debounce"))
    next.debounce = std::chrono::milliseconds(std::clamp<std::int64_t>(*delay, 0, 10'000));
  if (const auto advice = settings->getBoolean("advice")) next.advice = *advice;
  if (const auto scope = settings->getString("scope")) next.whole_workspace = *scope != "openFiles";
  if (const llvm::json::Object* cluster = settings->getObject("cluster")) {
    next.command_line.facts.clear();
    static constexpr std::pair<const char*, std::string_view> kFields[] = {{"nodes", "nodes"},
                                                                           {"gpusPerNode", "gpus_per_node"},
                                                                           {"worldSize", "world_size"},
                                                                           {"nvlinkDomain", "nvlink_domain"},
                                                                           {"gpu", "gpu"}};
    for (const auto& [key, field] : kFields)
      if (const llvm::json::Value* said = cluster->get(key)) add_fact(next.command_line, field, *said);
  }
  {
    const std::lock_guard lock(publish_mutex_);
    settings_ = next;
  }
  workspace_->configure(next);
}

// ---- documents

std::string Server::path_of_uri(const std::string& uri) const {
  if (const auto path = path_of(uri)) return *path;
  const auto known = made_up_.find(uri);
  return known == made_up_.end() ? "" : known->second;
}

std::string Server::path_of_document(const llvm::json::Object& params) const {
  return path_of_uri(text_at(params.getObject("textDocument"), "uri").str());
}

// As if it were to be saved: beside the file that it shows in another way, else in the first folder. Never where another file is, which it
// would stand before.
std::string Server::make_up_path(const std::string& uri, std::string_view language) const {
  const std::string name = name_of(uri, language);
  std::string folder = folders_.empty() ? "/" : folders_[0];
  if (const std::string shown = folder_of(path_in(uri)); !shown.empty())
    for (const std::string& candidate : folders_)
      if (shown == candidate || shown.starts_with(candidate + "/")) folder = shown;
  const BuffersPtr buffers = workspace_->buffers();
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  std::string path = join(folder, name);
  for (int i = 1; buffers->contains(path) || Disk().exists(path); ++i)
    path = join(folder, fmt::format("{}~{}{}", name.substr(0, dot), i, name.substr(dot)));
  return path;
}

void Server::did_open(const llvm::json::Object& params) {
  const llvm::json::Object* item = params.getObject("textDocument");
  if (!item) return;
  OpenDocument document;
  document.uri = text_at(item, "uri").str();
  document.version = item->getInteger("version").value_or(0);
  document.text = std::make_shared<const Text>(text_at(item, "text").str());
  if (const auto path = path_of(document.uri)) {
    document.path = *path;
  } else {
    document.path = make_up_path(document.uri, text_at(item, "languageId").str());
    made_up_[document.uri] = document.path;
  }
  workspace_->open(std::move(document));
}

void Server::did_change(const llvm::json::Object& params) {
  const std::string path = path_of_document(params);
  const BuffersPtr buffers = workspace_->buffers();
  const auto open = buffers->find(path);
  const llvm::json::Array* changes = params.getArray("contentChanges");
  const llvm::json::Object* document = params.getObject("textDocument");
  if (open == buffers->end() || !changes || !document) return;
  TextPtr text = apply_changes(*open->second.text, *changes, client_.encoding);
  if (!text) return fmt::print(stderr, "shardlint: a change of {} cannot be read\n", path);
  workspace_->change(path, std::move(text), document->getInteger("version").value_or(open->second.version + 1));
}

void Server::changed_on_disk(const llvm::json::Object& params) {
  std::vector<std::string> paths;
  if (const llvm::json::Array* changes = params.getArray("changes"))
    for (const llvm::json::Value& change : *changes)
      if (const auto path = path_of(text_at(change.getAsObject(), "uri").str())) paths.push_back(*path);
  workspace_->touch(paths);
}

void Server::change_folders(const llvm::json::Object& params) {
  const llvm::json::Object* event = params.getObject("event");
  if (!event) return;
  if (const llvm::json::Array* removed = event->getArray("removed"))
    for (const llvm::json::Value& folder : *removed)
      if (const auto path = path_of(text_at(folder.getAsObject(), "uri").str())) std::erase(folders_, *path);
  if (const llvm::json::Array* added = event->getArray("added"))
    for (const llvm::json::Value& folder : *added)
      if (const auto path = path_of(text_at(folder.getAsObject(), "uri").str())) folders_.push_back(*path);
  workspace_->set_folders(folders_);
}

void Server::notification(const std::string& method, llvm::json::Object& params) {
  if (method == "initialized") return initialized();
  if (method == "textDocument/didOpen") return did_open(params);
  if (method == "textDocument/didChange") return did_change(params);
  if (method == "textDocument/didSave") return workspace_->hurry(path_of_document(params));
  if (method == "textDocument/didClose") {
    const std::string path = path_of_document(params);
    made_up_.erase(text_at(params.getObject("textDocument"), "uri").str());
    return workspace_->close(path);
  }
  if (method == "workspace/didChangeWatchedFiles") return changed_on_disk(params);
  if (method == "workspace/didChangeWorkspaceFolders") return change_folders(params);
  if (method == "workspace/didChangeConfiguration") {
    if (const llvm::json::Value* settings = params.get("settings");
        settings && settings->getAsObject() && !settings->getAsObject()->empty())
      configure(*settings);
    else
      ask_settings();
    return;
  }
  if (method == "$/cancelRequest") {
    const llvm::json::Value* id = params.get("id");
    const std::lock_guard lock(queue_mutex_);
    if (id)
      for (const auto& jobs : {std::vector<std::shared_ptr<Job>>(queue_.begin(), queue_.end()), under_way_})
        for (const std::shared_ptr<Job>& job : jobs)
          if (job->id == *id) *job->cancelled = true;
    queued_.notify_all();
  }
}

// ---- requests

void Server::request(const llvm::json::Value& id, const std::string& method, llvm::json::Object params) {
  if (method == "initialize") {
    if (initialized_) return connection_.fail(id, ErrorCode::InvalidRequest, "the server is initialized already");
    initialized_ = true;
    return connection_.reply(id, initialize(params));
  }
  if (!initialized_) return connection_.fail(id, ErrorCode::ServerNotInitialized, "the server waits for initialize");
  if (shut_down_) return connection_.fail(id, ErrorCode::InvalidRequest, "the server was shut down");
  if (method == "shutdown") {
    shut_down_ = true;
    return connection_.reply(id, nullptr);
  }
  if (method == "shardlint/text") {  // what the server holds of a document: for bug reports and tests
    const BuffersPtr buffers = workspace_->buffers();
    const auto open = buffers->find(path_of_document(params));
    return connection_.reply(id, open == buffers->end() ? llvm::json::Value(nullptr) : llvm::json::Value(open->second.text->bytes));
  }
  auto job = std::make_shared<Job>();
  job->id = id;
  job->request.client = &client_, job->request.workspace = workspace_.get(), job->request.cancelled = job->cancelled.get();
  job->request.buffers = workspace_->buffers();
  job->request.params = std::move(params);
  if (method == "workspace/executeCommand") return command(job);
  for (const auto& [name, feature] : kFeatures)
    if (name == method) job->answer = feature;
  if (!job->answer) return connection_.fail(id, ErrorCode::MethodNotFound, "no method " + method);
  std::string path = path_of_document(job->request.params);
  if (method == "codeAction/resolve") {
    // An action that is to be completed names its document in its data. Neovim asks for those that only have a command, too.
    const llvm::json::Object* data = job->request.params.getObject("data");
    if (!data) return connection_.reply(id, std::move(job->request.params));
    path = path_of_uri(text_at(data, "fixAll").str());
  }
  const auto open = job->request.buffers->find(path);
  if (open == job->request.buffers->end()) return connection_.fail(id, ErrorCode::InvalidParams, "this document is not open");
  job->request.path = path, job->request.text = open->second.text;
  job->request.folder = workspace_->folder_of_file(path);
  // While one types the text is mostly broken: completion takes the last plan that could be read.
  enqueue(std::move(job), method == "textDocument/completion" ? std::chrono::milliseconds(0) : kPatience);
}

void Server::enqueue(std::shared_ptr<Job> job, std::chrono::milliseconds patience) {
  if (patience.count() > 0) workspace_->hurry(job->request.path);
  job->patience = Clock::now() + patience;
  const std::lock_guard lock(queue_mutex_);
  queue_.push_back(std::move(job));
  queued_.notify_one();
}

void Server::answer() {
  std::unique_lock lock(queue_mutex_);
  while (!closing_) {
    const Clock::time_point now = Clock::now();
    Clock::time_point earliest = now + std::chrono::hours(1);
    const auto next = std::find_if(queue_.begin(), queue_.end(), [&](const std::shared_ptr<Job>& job) {
      if (*job->cancelled || job->patience <= now || workspace_->up_to_date(job->request.path)) return true;
      earliest = std::min(earliest, job->patience);
      return false;
    });
    if (next == queue_.end()) {
      queued_.wait_until(lock, earliest);
      continue;
    }
    const std::shared_ptr<Job> job = std::move(*next);
    queue_.erase(next);
    under_way_.push_back(job);
    lock.unlock();
    try {
      if (*job->cancelled) throw Stopped{};
      llvm::json::Value result = job->answer(job->request);
      if (*job->cancelled) throw Stopped{};
      connection_.reply(job->id, std::move(result));
    } catch (const Stopped&) {
      connection_.fail(job->id, ErrorCode::RequestCancelled, "cancelled");
    } catch (const Refusal& refusal) {
      connection_.fail(job->id, refusal.code, refusal.message);
    } catch (const std::exception& fault) {
      connection_.fail(job->id, ErrorCode::InternalError, fmt::format("this is a fault in shardlint: {}", fault.what()));
    }
    lock.lock();
    std::erase(under_way_, job);
  }
}

// ---- commands

void Server::command(const std::shared_ptr<Job>& job) {
  const std::string name = text_at(&job->request.params, "command").str();
  const llvm::json::Array* arguments = job->request.params.getArray("arguments");
  const std::string argument = arguments && !arguments->empty() ? (*arguments)[0].getAsString().value_or("").str() : "";
  job->request.path = path_of_uri(argument);
  if (name == kPageCommand) {
    job->answer = [this, argument](const Request&) {
      const std::string page = page_uri(argument);
      if (page.empty()) throw Refusal{ErrorCode::InvalidParams, fmt::format("there is no page of `{}`", argument)};
      return show(page);
    };
    return enqueue(job, {});
  }
  if (name == kPlanCommand) {
    job->answer = [this](const Request& request) {
      CheckResult shown;
      TextStyle style;
      for (const PlanOf& entry : plans_of(request.analyses()))
        shown.plans.push_back(*entry.plan), style.working_folder = entry.analysis->root.folder;
      if (shown.plans.empty()) throw Refusal{ErrorCode::InvalidParams, "no plan is known of this document"};
      return show(file_uri("plan.txt", plan_text(shown, style)));
    };
    return enqueue(job, kPatience);
  }
  if (name == kCreateCommand) {
    job->answer = [this, argument](const Request& request) {
      const std::string& path = request.path;
      if (base_name(path) != "shardlint.toml" || path_of(argument) != path || Disk().exists(path))
        throw Refusal{ErrorCode::InvalidParams, fmt::format("`{}` cannot be created", argument)};
      if (const auto error = write_atomically(path, kNewSettings)) throw Refusal{ErrorCode::RequestFailed, *error};
      request.workspace->touch({path});
      return show(argument);
    };
    return enqueue(job, {});
  }
  connection_.fail(job->id, ErrorCode::InvalidParams, fmt::format("no command `{}`", name));
}

// In the editor where it can; else a message says where it is.
llvm::json::Value Server::show(const std::string& uri) {
  if (uri.empty()) throw Refusal{ErrorCode::RequestFailed, "there is no folder to write it to: neither XDG_CACHE_HOME nor HOME is set"};
  if (client_.shows_documents)
    connection_.call("window/showDocument", llvm::json::Object{{"uri", uri}, {"takeFocus", true}}, [](const llvm::json::Value&) {});
  else
    connection_.notify("window/showMessage", llvm::json::Object{{"type", 3}, {"message", "shardlint: see " + path_of_uri(uri)}});
  return uri;
}

// ---- what is sent unasked

void Server::publish(const std::set<std::string>& files) {
  {
    const std::lock_guard lock(queue_mutex_);
    queued_.notify_all();  // of requests that waited for this
  }
  if (files.empty()) return;
  const std::lock_guard lock(publish_mutex_);
  // Taken together and after the lock, so that what is older is never sent behind what is newer.
  const std::vector<AnalysisPtr> analyses = workspace_->all();
  const BuffersPtr buffers = workspace_->buffers();
  for (const std::string& path : files) publish_one(path, analyses, buffers);
  refresh();
}

void Server::publish_one(const std::string& path, const std::vector<AnalysisPtr>& all, const BuffersPtr& buffers) {
  const auto open = buffers->find(path);
  std::vector<AnalysisPtr> analyses;
  for (const AnalysisPtr& analysis : all) {
    const bool concerns = analysis->by_file.contains(path) || analysis->errors.contains(path) || analysis->reads.contains(path);
    if (!concerns) continue;
    // A check of an older text is about to be done again.
    const auto then = analysis->buffers->find(path);
    const bool old = open != buffers->end() && analysis->reads.contains(path) &&
                     (then == analysis->buffers->end() || then->second.text != open->second.text);
    if (old) return;
    const bool of_open =
        std::any_of(buffers->begin(), buffers->end(), [&](const auto& entry) { return analysis->reads.contains(entry.first); });
    if (settings_.whole_workspace || of_open) analyses.push_back(analysis);
  }
  llvm::json::Array list = diagnostics(path, analyses, client_, buffers);
  Published& before = published_[path];
  const std::string text = fmt::format("{}", llvm::formatv("{0}", llvm::json::Value(llvm::json::Array(list))).str());
  const std::int64_t version = open == buffers->end() ? -1 : open->second.version;
  const bool nothing = list.empty() && before.text.size() <= 2;
  // Of what is no job's nothing is ever said, not even that nothing was found.
  const bool quiet =
      nothing && std::none_of(analyses.begin(), analyses.end(), [](const AnalysisPtr& analysis) { return analysis->judged; });
  if ((text == before.text && version == before.version) || (quiet && before.text.empty()) || (nothing && version < 0)) return;
  before.text = text, before.version = version;
  if (open != buffers->end()) before.uri = open->second.uri;
  if (before.uri.empty()) before.uri = uri_of(path);
  llvm::json::Object params{{"uri", before.uri}, {"diagnostics", std::move(list)}};
  if (version >= 0) params["version"] = version;
  connection_.notify("textDocument/publishDiagnostics", std::move(params));
}

// Lenses and hints of open documents that other files have changed. After an edit of the document itself the editor asks anyway.
void Server::refresh() {
  if (!client_.refreshes_lenses && !client_.refreshes_hints) return;
  bool changed = false;
  const BuffersPtr buffers = workspace_->buffers();
  for (const auto& [path, document] : *buffers) {
    std::string titles = lens_titles(workspace_->analyses(path), path);
    Published& known = published_[path];
    changed |= titles != known.lenses && document.version == known.lenses_of;
    known.lenses = std::move(titles), known.lenses_of = document.version;
  }
  if (!changed) return;
  if (client_.refreshes_lenses) connection_.call("workspace/codeLens/refresh", nullptr, [](const llvm::json::Value&) {});
  if (client_.refreshes_hints) connection_.call("workspace/inlayHint/refresh", nullptr, [](const llvm::json::Value&) {});
}

void Server::progress(const Progress& now) {
  if (!client_.progress) return;
  const std::lock_guard lock(progress_mutex_);
  const bool over = !now.scanning && now.left == 0;
  const Clock::time_point time = Clock::now();
  if (over ? !progress_shown_ : time < progress_told_ + kBetween) return;
  if (!progress_shown_ && std::max(now.files, now.left) < kWorthShowing) return;
  const bool begins = !std::exchange(progress_shown_, !over);
  progress_told_ = time;
  if (begins) ++progress_token_;
  const std::string token = fmt::format("shardlint-{}", progress_token_);
  llvm::json::Object value{{"kind", over ? "end" : begins ? "begin" : "report"}};
  if (begins) value["title"] = "shardlint";
  if (now.scanning) {
    value["message"] = fmt::format("looking for jobs: {}", with_commas(plural(now.files, "file")));
  } else if (!over) {
    value["message"] =
        fmt::format("checked {} of {} files", with_commas(grouped(now.checked)), with_commas(grouped(now.checked + now.left)));
    value["percentage"] = 100 * now.checked / (now.checked + now.left);
  }
  if (begins) connection_.call("window/workDoneProgress/create", llvm::json::Object{{"token", token}}, [](const llvm::json::Value&) {});
  connection_.notify("$/progress", llvm::json::Object{{"token", token}, {"value", std::move(value)}});
}

}  // namespace shardlint::lsp
