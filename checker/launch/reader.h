// The reader of commands, for front ends that find them elsewhere than in a script.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/launch/launch.h"
#include "checker/launch/slurm.h"

namespace shardlint::launch {

// What is known around a command.
struct Context {
  Request job;                           // what was asked of the scheduler, all components together
  std::vector<Request> components = {};  // of a heterogeneous job
  bool slurm = false;                    // there is a scheduler
  bool in_step = false;                  // the command runs in every task of the step
  std::optional<Request> step = {};
  std::string name = {};           // of the plans
  bool environment_passes = true;  // what the script exports reaches the program
  bool sourced = false;            // a file was sourced that could set more
  bool told_its_rank = false;      // whoever starts the pods sets PET_NODE_RANK
  std::vector<Mount> mounts = {};  // of the container around it
  std::string workdir = {};        // in the container
  std::optional<shell::Comment> last_directive = {};
};

class Reader {
 public:
  Reader(const Files& files, const SourcePtr& source, const World& world);
  ~Reader();
  void command(shell::Command command, shell::Environment environment, const Context& context);
  void text(shell::Text code, shell::Environment environment, const Context& context);
  Reading done();

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace shardlint::launch
