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

namespace {

class Pipe {
 public:
  Pipe() { open_ = pipe2(ends_, O_CLOEXEC) == 0; }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() { close_read(), close_write(); }
  explicit operator bool() const { return open_; }
  int read() const { return ends_[0]; }
  int write() const { return ends_[1]; }
  void close_read() { shut(ends_[0]); }
  void close_write() { shut(ends_[1]); }

 private:
  static void shut(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
  int ends_[2] = {-1, -1};
  bool open_ = false;
};

}  // namespace

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

Ran run_process(const std::vector<std::string>& arguments, const std::string& input, int timeout_ms, std::size_t most) {
  Ran out;
  Pipe to, from;
  if (!to || !from) return out;
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to.read(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from.write(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // The child dies of a broken pipe by itself, whatever this process does with the signal.
  sigset_t defaults;
  sigemptyset(&defaults), sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int failed = posix_spawn(&child, words[0], &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed) return out;
  to.close_read(), from.close_write();
  fcntl(to.write(), F_SETFL, fcntl(to.write(), F_GETFL) | O_NONBLOCK);

  // Nobody may read what is written: no signal then, only an error.
  sigset_t blocked, before;
  sigemptyset(&blocked), sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  std::size_t written = 0;
  bool late = false, broken = false;
  char buffer[1 << 16];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) {
      late = true;
      break;
    }
    pollfd polled[2] = {{from.read(), POLLIN, 0}, {to.write(), POLLOUT, 0}};
    const bool writing = to.write() >= 0;
    if (poll(polled, writing ? 2 : 1, static_cast<int>(left)) < 0 && errno != EINTR) break;
    if (writing && (polled[1].revents & (POLLOUT | POLLERR | POLLHUP))) {
      const ssize_t count = ::write(to.write(), input.data() + written, input.size() - written);
      if (count > 0) written += static_cast<std::size_t>(count);
      if (count < 0 && errno == EPIPE) broken = true;
      if (written == input.size() || broken) to.close_write();
    }
    if (polled[0].revents & (POLLIN | POLLHUP)) {
      const ssize_t count = ::read(from.read(), buffer, sizeof buffer);
      if (count > 0) {
        out.output.append(buffer, static_cast<std::size_t>(count));
        if (out.output.size() > most) {
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
  if (late) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (late)
    out.how = Ran::How::TimedOut;
  else if (WIFSIGNALED(status))
    out.how = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? Ran::How::TimedOut : Ran::How::Crashed,
    out.code = WTERMSIG(status);
  else
    out.how = WEXITSTATUS(status) == 127 ? Ran::How::NotThere : Ran::How::Ended, out.code = WEXITSTATUS(status);
  return out;
}

}  // namespace shardlint
