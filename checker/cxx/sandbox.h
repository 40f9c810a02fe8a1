// What a process that reads C++ may still do. No Clang here.
//
// The sources come from whoever wrote them, and a compiler is a large program: one that is led astray by what it reads must find nothing
// to do harm with. Time and memory are bounded, and of the kernel only what reading takes is left.
#pragma once

namespace shardlint::cxx {

// Bounds from now on; 0 sets none. The time is of the processor and counts from this call, so that a process that answers many requests
// may take as long for each: what runs longer is ended by SIGXCPU.
void limit_cpu_seconds(unsigned long seconds);
void limit_memory_mib(unsigned long mib);

// Takes from this process, for good and for every thread that it will have, whatever is not needed to read files, to compute and to
// answer on what is already open: starting programs and processes, sockets, opening a file to write, and changing any. Such a call fails.
// False where the kernel or the architecture does not have the means; nothing is taken then.
bool lock_down();

}  // namespace shardlint::cxx
