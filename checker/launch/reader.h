// The reader of commands, for front ends that find them elsewhere than in a script.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checker/launch/launch.h"
#include "checker/launch/slurm.h"

namespace shardlint::launch {

// What is known around a command.
struct Context {
  Request job;           // what was asked of the scheduler
  bool slurm = false;    // there is a scheduler
  bool in_step = false;  // the command runs in every task of the step
  std::optional<Request> step = {};
  std::string name = {};  // of the plans
  bool sourced = false;   // a file was sourced that could set more
};

class Reader {
 public:
  Reader(const Files& files, const SourcePtr& source, const std::string& workspace);
  ~Reader();
  void command(shell::Command command, shell::Environment environment, const Context& context);
  void text(shell::Text code, shell::Environment environment, const Context& context);
  Reading done();

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace shardlint::launch
