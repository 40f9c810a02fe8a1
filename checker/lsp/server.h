// The language server: messages in, answers and findings out.
//
// The thread that runs it reads, keeps the buffers and never computes; two more answer requests, and the workspace has its own. So an edit,
// a cancellation or a shutdown is taken at once, whatever is being checked. A request for a document whose check is under way waits in the
// queue, and those for others pass it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "checker/lsp/client.h"
#include "checker/lsp/connection.h"
#include "checker/lsp/request.h"
#include "checker/lsp/workspace.h"

namespace shardlint::lsp {

class Server {
 public:
  Server(std::FILE* in, llvm::raw_ostream& out);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Until the editor says exit, or goes. The process's exit code.
  int run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    llvm::json::Value id = nullptr;
    Request request;
    std::function<llvm::json::Value(const Request&)> answer;
    std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);
    Clock::time_point patience = {};  // until then it waits for the check of its document's present text
  };
  // What is answered instead of a result.
  struct Refusal {
    ErrorCode code;
    std::string message;
  };

  void notification(const std::string& method, llvm::json::Object& params);
  void request(const llvm::json::Value& id, const std::string& method, llvm::json::Object params);
  llvm::json::Value initialize(const llvm::json::Object& params);
  void initialized();
  void did_open(const llvm::json::Object& params);
  void did_change(const llvm::json::Object& params);
  void changed_on_disk(const llvm::json::Object& params);
  void change_folders(const llvm::json::Object& params);
  void configure(const llvm::json::Value& settings);
  void ask_settings();
  void command(const std::shared_ptr<Job>& job);
  llvm::json::Value show(const std::string& uri);
  void enqueue(std::shared_ptr<Job> job, std::chrono::milliseconds patience);

  // The path that a document has: of its file, or one made up for it; empty if it is not known.
  std::string path_of_uri(const std::string& uri) const;
  std::string path_of_document(const llvm::json::Object& params) const;
  std::string make_up_path(const std::string& uri, std::string_view language) const;
  void answer();
  void publish(const std::set<std::string>& files);
  void publish_one(const std::string& path, const std::vector<AnalysisPtr>& analyses, const BuffersPtr& buffers);
  void refresh();
  void progress(const Progress& now);

  Connection connection_;
  Client client_;
  std::unique_ptr<Workspace> workspace_;
  WorkspaceSettings settings_;
  std::vector<std::string> folders_;
  std::map<std::string, std::string> made_up_;  // uri -> path, of documents that lie in no file
  bool initialized_ = false, shut_down_ = false;

  std::mutex queue_mutex_;
  std::condition_variable queued_;
  std::deque<std::shared_ptr<Job>> queue_;
  std::vector<std::shared_ptr<Job>> under_way_;
  bool closing_ = false;
  std::vector<std::thread> answering_;

  struct Published {
    std::string uri;   // as the editor last spelled it
    std::string text;  // the diagnostics as they were sent
    std::int64_t version = -1;
    // Of the document's lenses, and the version of which they are.
    std::string lenses;
    std::int64_t lenses_of = -1;
  };
  std::mutex publish_mutex_;
  std::map<std::string, Published> published_;
  std::mutex progress_mutex_;
  std::int64_t progress_token_ = 0;
  bool progress_shown_ = false;
  Clock::time_point progress_told_ = {};
};

}  // namespace shardlint::lsp
