// What a check found: the findings, the plans and what could not be judged, for whoever writes it down.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/diag/finding.h"
#include "checker/plan/bind.h"
#include "checker/plan/evaluation.h"
#include "checker/plan/plan.h"

namespace shardlint {

// The fields that the line about a plan names, or works its numbers out from.
inline constexpr Field kHeadline[] = {Field::world_size,
                                      Field::tp,
                                      Field::pp,
                                      Field::cp,
                                      Field::dp,
                                      Field::ep,
                                      Field::num_microbatches,
                                      Field::global_batch,
                                      Field::micro_batch,
                                      Field::replica_batch,
                                      Field::tokens_per_step,
                                      Field::nodes,
                                      Field::gpus_per_node};

// Where nothing was found, a page of text has a line for each plan of one run, if they are no more than these.
inline constexpr std::size_t kPlanLines = 4;

// One field of a plan and where it came from, for `plan` and for JSON.
struct FieldReport {
  std::string name;
  std::optional<Value> value;  // none: unknown
  // "written", "default of TorchTitan", "known shape of Qwen/Qwen3-8B", "from world_size, tp, pp", "setting", "changed by TorchTitan from 8"
  std::string origin;
  Place place;                                       // where it is written; empty for defaults
  std::vector<std::pair<std::string, Place>> chain;  // the written values behind it: "tensor_parallel_degree = 8"
};

struct PlanReport {
  std::string file, name = "default", framework, title, version;
  std::vector<FieldReport> fields;        // every canonical field
  std::shared_ptr<const Plan> plan = {};  // with `origins`: what memory, pipeline, network and time are worked out from
  std::shared_ptr<const Job> job = {};    // with `origins`: the run, to ask what it would be with other values
  std::size_t index = 0;                  // of the plan in its run
  // What a launch script or a manifest starts: the file itself if its own words say it all. Empty: `file` is none.
  std::string started = {};
};

struct NotEvaluatedReport {
  std::string rule, file;
  std::vector<std::string> because;  // fields that would settle it
};

struct CheckResult {
  std::vector<Finding> findings;  // file by file; within one the most severe first, then by place
  std::vector<PlanReport> plans;
  std::vector<NotEvaluatedReport> not_evaluated;
  std::vector<std::string> errors;     // usage or settings: exit code 2
  std::vector<std::string> looked_at;  // files, whatever came of it
  std::vector<std::string> remarks;    // what else a person should know: a line each
  std::size_t files = 0;               // read and recognised (or named)
  std::size_t passed_over = 0;         // found in folders and no framework's
  std::size_t unconcerned = 0;         // runs that read nothing that changed
  std::size_t suppressed = 0;
  std::size_t baselined = 0;  // findings that a baseline lets stand
  std::size_t checks = 0;     // rules and constraints that were evaluated
  std::size_t unsettled = 0;  // that were not: as many as `not_evaluated` has, where it was asked for
  double milliseconds = 0;
};

}  // namespace shardlint
