// Runs another program with a text on its standard input, and takes what it writes, within limits.
#pragma once

#include <string>
#include <vector>

namespace shardlint {

struct Ran {
  enum class How { Ended, Crashed, TimedOut, NotThere } how = How::NotThere;
  int code = 0;  // Ended: exit code; Crashed: signal
  std::string output;
};

// `arguments[0]` is the program's path. What it writes to standard error is lost; output beyond `most` bytes ends it.
Ran run_process(const std::vector<std::string>& arguments, const std::string& input, int timeout_ms, std::size_t most);

// The path of a program beside this one, else in PATH; empty if it is in neither.
std::string program_beside(const std::string& name);

}  // namespace shardlint
