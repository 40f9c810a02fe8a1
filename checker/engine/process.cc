#include "checker/engine/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

extern char** environ;

namespace shardlint {

std::string program_beside(const std::string& name) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto runs = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
  if (!error)
    if (const std::string beside = (own.parent_path() / name).string(); runs(beside)) return beside;
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string folder = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    // A relative folder would let the place where shardlint stands decide what runs.
    if (folder.starts_with('/') && runs(folder + "/" + name)) return folder + "/" + name;
  }
  return "";
}

namespace {

void shut(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

}  // namespace

bool Process::start() {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
    for (int* one : {&in[0], &in[1], &out[0], &out[1]}) shut(*one);
    return false;
  }
  std::vector<char*> words;
  for (const std::string& word : arguments_) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // The child dies of a broken pipe by itself, whatever this process does with the signal.
  sigset_t defaults;
  sigemptyset(&defaults), sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failed = posix_spawn(&child_, words[0], &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  shut(in[0]), shut(out[1]);
  to_ = in[1], from_ = out[0];
  if (failed) {
    child_ = -1;
    shut(to_), shut(from_);
    return false;
  }
  fcntl(to_, F_SETFL, fcntl(to_, F_GETFL) | O_NONBLOCK);
  return true;
}

// It holds nothing that would be lost.
void Process::stop() {
  if (!running()) return;
  kill(child_, SIGKILL);
  end(true);
}

Ran Process::end(bool late) {
  Ran out;
  shut(to_), shut(from_);
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (late)
    out.how = Ran::How::TimedOut;
  else if (WIFSIGNALED(status))
    out.how = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? Ran::How::TimedOut : Ran::How::Crashed,
    out.code = WTERMSIG(status);
  else
    out.how = WEXITSTATUS(status) == 127 ? Ran::How::NotThere : Ran::How::Ended, out.code = WEXITSTATUS(status);
  return out;
}

Ran Process::ask(const std::string& question, const std::function<bool(std::string_view)>& whole, int timeout_ms, std::size_t most) {
  return talk(question, whole, false, timeout_ms, most);
}

Ran Process::run(const std::string& input, int timeout_ms, std::size_t most) {
  return talk(
      input, [](std::string_view) { return false; }, true, timeout_ms, most);
}

Ran Process::talk(const std::string& question, const std::function<bool(std::string_view)>& whole, bool last, int timeout_ms,
                  std::size_t most) {
  if (!running() && !start()) return {};
  // Nobody may read what is written: no signal then, only an error.
  sigset_t blocked, before;
  sigemptyset(&blocked), sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  std::string output;
  std::size_t written = 0;
  bool late = false, broken = false, answered = false;
  char buffer[1 << 16];
  while (!answered) {
    if (last && (written == question.size() || broken)) shut(to_);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) {
      late = true;
      break;
    }
    pollfd polled[2] = {{from_, POLLIN, 0}, {to_, POLLOUT, 0}};
    const bool writing = written < question.size() && !broken;
    if (poll(polled, writing ? 2 : 1, static_cast<int>(left)) < 0 && errno != EINTR) break;
    if (writing && (polled[1].revents & (POLLOUT | POLLERR | POLLHUP))) {
      const ssize_t count = ::write(to_, question.data() + written, question.size() - written);
      if (count > 0) written += static_cast<std::size_t>(count);
      broken = count < 0 && errno == EPIPE;
    }
    if (polled[0].revents & (POLLIN | POLLHUP)) {
      const ssize_t count = ::read(from_, buffer, sizeof buffer);
      if (count > 0) {
        output.append(buffer, static_cast<std::size_t>(count));
        answered = written == question.size() && whole(output);
        if (output.size() > most) {
          late = true;
          break;
        }
      } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
        break;
      }
    }
  }
  if (broken) {
    // The signal that was held back has done its work.
    const timespec now{0, 0};
    sigtimedwait(&blocked, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  Ran out;
  out.how = Ran::How::Answered;
  if (!answered) {
    if (late) kill(child_, SIGKILL);
    out = end(late);
  }
  out.output = std::move(output);
  return out;
}

}  // namespace shardlint
