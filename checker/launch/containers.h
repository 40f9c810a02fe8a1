// Containers around a command: which folders of the host are seen in them and under which names, and which variables reach the program.
#pragma once

#include "checker/launch/options.h"
#include "checker/launch/reader.h"

namespace shardlint::launch {

// "/data:/data:ro,/code:/workspace" of Pyxis.
void mounts_of(const shell::Text& list, std::vector<Mount>& mounts);
// argv[at] is docker, podman, enroot, apptainer or singularity, and the program behind its options and its image is argv[until]. Returns the
// command as it is inside, where other variables are set.
CommandPtr inside_of(const CommandPtr& command, std::size_t at, std::size_t until, Context& context);
// The command as a task receives it: srun's --export decides which variables those are.
CommandPtr exported(const CommandPtr& command, const Count& exports);

}  // namespace shardlint::launch
