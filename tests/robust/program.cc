#include "tests/robust/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/where.h"

namespace shardlint::test {

namespace fs = std::filesystem;

namespace {

void limit(int what, rlim_t to) {
  const rlimit both{to, to};
  setrlimit(static_cast<__rlimit_resource>(what), &both);
}

std::string take(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string Ended::how() const { return signal ? fmt::format("signal {}", signal) : fmt::format("exit {}", code); }

pid_t start(const Folder& folder, std::vector<std::string> arguments, const Limits& limits, int out, int err) {
  arguments.insert(arguments.begin(), SHARDLINT_BINARY);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  // Only calls that are safe between fork and exec.
  if (::chdir(folder.path().c_str()) != 0) ::_exit(125);
  const int in = ::open(limits.input.c_str(), O_RDONLY);
  ::dup2(in, STDIN_FILENO);
  const std::pair<int, int> ends[] = {{out, STDOUT_FILENO}, {err, STDERR_FILENO}};
  for (const auto& [from, to] : ends) from < 0 ? void(::close(to)) : void(::dup2(from, to));
  limit(RLIMIT_CPU, limits.seconds * (kSanitized ? 10 : 1));
  limit(RLIMIT_CORE, 0);
  if (limits.mebibytes && !kSanitized) limit(RLIMIT_DATA, limits.mebibytes << 20);
  if (limits.open_files) limit(RLIMIT_NOFILE, limits.open_files);
  if (limits.no_space) {
    ::signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_FSIZE, limits.space);
  }
  if (limits.nobody && ::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(125);
  if (limits.before) limits.before();
  ::execv(words[0], words.data());
  ::_exit(126);
}

Ended wait_for(pid_t child) {
  Ended ended;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    ended.code = -1, ended.signal = WTERMSIG(status);
  else
    ended.code = WEXITSTATUS(status);
  return ended;
}

// Through files: a pipe that nobody empties would hold the program up. They lie beside the folder, which may be full of tests' files.
Ended run(const Folder& folder, std::vector<std::string> arguments, const Limits& limits) {
  const std::string out = folder.path() + ".out", err = folder.path() + ".err";
  const int out_file = ::open(out.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const int err_file = ::open(err.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (limits.no_space) {  // their writes would fail as well
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = start(folder, std::move(arguments), limits, ends[1], ends[1]);
    ::close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
    ::close(ends[0]);
    Ended ended = wait_for(child);
    ended.out = ended.err = text;
    ::close(out_file), ::close(err_file);
    fs::remove(out), fs::remove(err);
    return ended;
  }
  Ended ended = wait_for(start(folder, std::move(arguments), limits, out_file, err_file));
  ended.out = take(out), ended.err = take(err);
  ::close(out_file), ::close(err_file);
  fs::remove(out), fs::remove(err);
  return ended;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace shardlint::test
