// Another program that is asked on its standard input and answers on its standard output, within limits; kept running between questions.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlint {

struct Ran {
  enum class How { Answered, Ended, Crashed, TimedOut, NotThere } how = How::NotThere;
  int code = 0;  // Ended: exit code; Crashed: signal
  std::string output;
};

// Used by one thread at a time. It is started by the first question and ends with this object; after anything but an answer the next
// question starts it anew.
class Process {
 public:
  // `arguments[0]` is the program's path. What it writes to standard error is lost.
  explicit Process(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { stop(); }

  // Writes the question and reads until `whole` says of all that came that it is the answer. Ended and Crashed: the program went before.
  // What takes more than `timeout_ms` or writes more than `most` bytes is killed: TimedOut.
  Ran ask(const std::string& question, const std::function<bool(std::string_view)>& whole, int timeout_ms, std::size_t most);
  // The only question: its end is the end of the program's input, and all that it writes until it ends is the answer. Never Answered.
  Ran run(const std::string& input, int timeout_ms, std::size_t most);
  bool running() const { return child_ > 0; }
  pid_t id() const { return child_; }  // negative while it does not run
  void stop();

 private:
  bool start();
  Ran talk(const std::string& question, const std::function<bool(std::string_view)>& whole, bool last, int timeout_ms, std::size_t most);
  Ran end(bool late);

  std::vector<std::string> arguments_;
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

// One program from its start to its end.
inline Ran run_process(const std::vector<std::string>& arguments, const std::string& input, int timeout_ms, std::size_t most) {
  return Process(arguments).run(input, timeout_ms, most);
}

// The path of a program beside this one, else in PATH; empty if it is in neither.
std::string program_beside(const std::string& name);

}  // namespace shardlint
