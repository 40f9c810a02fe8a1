// What the reader of C++ may not do, whatever a file makes of it: speak to a network, start a program, look into another process.
#pragma once

namespace shardlint::cxx {

// From here on the kernel refuses those calls of this process, for good. Where it has no such filters nothing changes.
void confine();

}  // namespace shardlint::cxx
