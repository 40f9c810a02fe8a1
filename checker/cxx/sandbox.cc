#include "checker/cxx/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fcntl.h>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace shardlint::cxx {

void limit_cpu_seconds(unsigned long seconds) {
  if (!seconds) return;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  rlimit limits{};
  getrlimit(RLIMIT_CPU, &limits);
  limits.rlim_cur = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1) + seconds;
  if (limits.rlim_max != RLIM_INFINITY && limits.rlim_cur > limits.rlim_max) limits.rlim_cur = limits.rlim_max;
  setrlimit(RLIMIT_CPU, &limits);
}

void limit_memory_mib(unsigned long mib) {
  const rlimit limits{rlim_t{mib} << 20, rlim_t{mib} << 20}, none{0, 0};
  if (mib) setrlimit(RLIMIT_AS, &limits);
  setrlimit(RLIMIT_CORE, &none);
}

namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;
#endif

// What is left. Anything else is answered as by a kernel that does not have it, which makes the C library fall back on what is here.
constexpr unsigned kAllowed[] = {
    // reading and answering
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_write,
    SYS_writev,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_fcntl,
    SYS_dup,
    SYS_ppoll,
    SYS_fadvise64,
    // memory
    SYS_mmap,
    SYS_mprotect,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_membarrier,
    // threads and signals of its own
    SYS_futex,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_rseq,
    SYS_set_tid_address,
    SYS_gettid,
    SYS_getpid,
    SYS_getppid,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    SYS_exit,
    SYS_exit_group,
    SYS_restart_syscall,
    // what time it is, who and where one is, and one's own limits
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getrlimit,
    SYS_setrlimit,
#if defined(__x86_64__)
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_dup2,
    SYS_poll,
    SYS_arch_prctl,
    SYS_time,
#endif
};

constexpr int kMayWrite = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

}  // namespace

bool lock_down() {
  if (!kArchitecture) return false;
  std::vector<sock_filter> filter;
  const auto add = [&](unsigned code, unsigned value, unsigned yes = 0, unsigned no = 0) {
    filter.push_back({static_cast<__u16>(code), static_cast<__u8>(yes), static_cast<__u8>(no), value});
  };
  const auto load = [&](std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); };
  const auto answer = [&](unsigned action) { add(BPF_RET | BPF_K, action); };
  constexpr unsigned kEqual = BPF_JMP | BPF_JEQ | BPF_K, kAny = BPF_JMP | BPF_JSET | BPF_K;
  // Arguments are 64 bits wide; what is looked at here stands in the lower half, which comes first on both architectures.
  const auto argument = [](std::size_t i) { return offsetof(seccomp_data, args) + i * 8; };

  load(offsetof(seccomp_data, arch));
  add(kEqual, kArchitecture, 1, 0);
  answer(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(seccomp_data, nr));
  for (const unsigned call : kAllowed) {
    add(kEqual, call, 0, 1);
    answer(SECCOMP_RET_ALLOW);
  }
  // Files are opened to be read.
  const auto opens = [&](unsigned call, std::size_t flags) {
    add(kEqual, call, 0, 4);
    load(argument(flags));
    add(kAny, kMayWrite, 0, 1);
    answer(SECCOMP_RET_ERRNO | EPERM);
    answer(SECCOMP_RET_ALLOW);
  };
#if defined(__x86_64__)
  opens(SYS_open, 1);
#endif
  opens(SYS_openat, 2);
  // A signal to itself and its own limits, nobody else's.
  const auto only = [&](unsigned call, const std::vector<unsigned>& whose) {
    add(kEqual, call, 0, static_cast<unsigned>(whose.size()) + 3);
    load(argument(0));
    for (std::size_t i = 0; i < whose.size(); ++i) add(kEqual, whose[i], static_cast<unsigned>(whose.size() - i), 0);
    answer(SECCOMP_RET_ERRNO | EPERM);
    answer(SECCOMP_RET_ALLOW);
  };
  only(SYS_tgkill, {static_cast<unsigned>(getpid())});
  only(SYS_prlimit64, {0, static_cast<unsigned>(getpid())});
  // A thread, but no process.
  add(kEqual, SYS_clone, 0, 4);
  load(argument(0));
  add(kAny, CLONE_THREAD, 1, 0);
  answer(SECCOMP_RET_ERRNO | EPERM);
  answer(SECCOMP_RET_ALLOW);
  // execve answers that it may not, so that nobody looks for another way.
  for (const unsigned call : {unsigned{SYS_execve}, unsigned{SYS_execveat}, unsigned{SYS_socket}}) {
    add(kEqual, call, 0, 1);
    answer(SECCOMP_RET_ERRNO | EPERM);
  }
  answer(SECCOMP_RET_ERRNO | ENOSYS);

  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace shardlint::cxx
