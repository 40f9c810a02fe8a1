// A filter of system calls (seccomp(2)). What is not named here goes on as before: Clang reads files, maps memory and starts threads.
#include "checker/cxx/confine.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace shardlint::cxx {

void confine() {
#if defined(__x86_64__)
  constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
  constexpr unsigned kArchitecture = 0;
#endif
  if (kArchitecture == 0) return;
  constexpr int kRefused[] = {SYS_socket,  SYS_socketpair, SYS_connect,  SYS_bind,   SYS_listen,           SYS_accept4,          SYS_sendto,
                              SYS_sendmsg, SYS_execve,     SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev};
  const auto load = [](std::size_t offset) -> sock_filter { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); };
  const sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  // Calls by another architecture's numbers are refused as a whole.
  std::vector<sock_filter> filter{load(offsetof(seccomp_data, arch)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0), refuse,
                                  load(offsetof(seccomp_data, nr))};
  for (const int call : kRefused) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    filter.push_back(refuse);
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

}  // namespace shardlint::cxx
