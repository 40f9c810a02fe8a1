// What starts the processes: torchrun, deepspeed, accelerate, MPI, or nobody but srun. Each says how many there are, and of which servers.
#pragma once

#include <optional>
#include <string>

#include "checker/launch/launch.h"
#include "checker/launch/options.h"
#include "checker/launch/reader.h"

namespace shardlint::launch {

// A launcher's words begin at argv[at]; its name stands before them.
struct Launch {
  const Files& files;
  const CommandPtr& command;
  std::size_t at = 0;
  const Context& context;
  std::string home;  // folder of the script
};

// None where the command holds no program behind the launcher's options.
std::optional<Training> torchrun(const Launch& launch);
std::optional<Training> deepspeed(const Launch& launch);
std::optional<Training> accelerate(const Launch& launch);
std::optional<Training> mpirun(const Launch& launch);
// A team's own launcher: of its options those that are counts.
std::optional<Training> own_launcher(const Launch& launch, const OwnLauncher& own);
// A program of the team's own: under srun every task is a process of it.
std::optional<Training> own_program(const Launch& launch);
// A program by itself: under srun every task is a rank; by itself it may start its own processes.
std::optional<Training> program(const Launch& launch);

}  // namespace shardlint::launch
