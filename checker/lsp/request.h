// What a request of the editor is answered from: the buffers as they were when it came, and what is known of the jobs they belong to.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <llvm/Support/JSON.h>

#include "checker/lsp/client.h"
#include "checker/lsp/workspace.h"
#include "checker/plan/bind.h"

namespace shardlint::lsp {

struct Request {
  std::string method;
  llvm::json::Object params;
  const Client* client = nullptr;
  Workspace* workspace = nullptr;
  BuffersPtr buffers;
  const std::atomic<bool>* cancelled = nullptr;

  std::string path;    // of the document that it is about
  TextPtr text;        // that document's
  std::string folder;  // that the document's jobs are named from

  // The jobs of the document.
  std::vector<AnalysisPtr> analyses() const { return workspace->analyses(path); }
  Places places(const AnalysisPtr& analysis) const { return {client->encoding, buffers, analysis->root.folder}; }
  std::uint32_t offset() const;  // of params.position
  Range range() const;           // params.range
  llvm::json::Value range_of(Range range) const { return toJSON(text->lines.range(text->bytes, range, client->encoding)); }
};

// A value of a job that stands at a place of the document.
struct Spot {
  AnalysisPtr analysis;
  std::shared_ptr<const CheckResult> result;  // that holds
  const PlanReport* plan = nullptr;           // whose
  const Job* job = nullptr;                   // has
  std::uint32_t fact = 0;                     // this fact
  Range range;                                // in the document's present text: of its key, or of its value
  bool overridden = false;                    // what stands here lost against what the fact says
  // A copy to judge: what is remembered of near names is shared among copies, and may be used by one thread only.
  Job own_job() const { return private_copy(*job); }
  static Job private_copy(const Job& job);
  const Fact& operator*() const { return job->facts[fact]; }
  const Fact* operator->() const { return &job->facts[fact]; }
};

// The innermost value whose key or own text stands at `offset`; of several jobs the first that has one.
std::optional<Spot> spot_at(const Request& request, const std::vector<AnalysisPtr>& analyses, std::uint32_t offset);

// The plans of the jobs that begin in this document or are decided by it.
struct PlanOf {
  AnalysisPtr analysis;
  const PlanReport* plan = nullptr;
  bool present = false;  // worked out from the present text, not from the last that could be read
};
std::vector<PlanOf> plans_of(const std::vector<AnalysisPtr>& analyses);

// The present text as a document; null for what is no document, such as a script.
DocumentPtr document_of(const Request& request);

}  // namespace shardlint::lsp
