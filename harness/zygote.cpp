#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/errors.hpp"
#include "harness/frame.hpp"
#include "harness/isolate.hpp"

namespace plumb {
namespace {

/// Sends one byte and a file descriptor.
bool send_socket(int control, int fd, const Limits& limits) {
  Limits payload = limits;
  iovec data{&payload, sizeof payload};
  alignas(cmsghdr) char buffer[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = buffer;
  message.msg_controllen = sizeof buffer;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return sendmsg(control, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof payload);
}

/// The file descriptor sent by send_socket; -1 at end of stream.
int receive_socket(int control, Limits& limits) {
  iovec data{&limits, sizeof limits};
  alignas(cmsghdr) char buffer[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = buffer;
  message.msg_controllen = sizeof buffer;
  ssize_t got = -1;
  do {
    got = recvmsg(control, &message, 0);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (got != static_cast<ssize_t>(sizeof limits) || header == nullptr) return -1;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}

#if !defined(__SANITIZE_ADDRESS__)
/// Address space this process has mapped now.
std::uint64_t mapped_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file != nullptr) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}
#endif

void limit_worker(const Limits& limits) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__)  // the sanitiser maps terabytes of shadow memory
  const rlimit space{mapped_bytes() + limits.memory_bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &space);
#else
  (void)limits;
#endif
}

/// Tensors of some MiB are made and freed all the time. Handed back to the kernel each time, every
/// page costs a fault at the next use: a third of the time of a probe.
void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that glibc accepts
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

Json failure_answer(const char* kind, const std::string& text) {
  return Json{{"failure", kind}, {"text", text}};
}

Json answer_of(const Zygote::Serve& serve, const Json& request) {
  try {
    return Json{{"answer", serve(request)}};
  } catch (const UsageError& error) {
    return failure_answer("usage", error.what());
  } catch (const InputError& error) {
    return failure_answer("input", error.what());
  } catch (const std::bad_alloc&) {
    return failure_answer("memory", "an allocation failed");
  } catch (const std::exception& error) {
    return failure_answer("exception", error.what());
  }
}

[[noreturn]] void work(int socket, const Limits& limits, const Zygote::Serve& serve) {
  dup2(STDERR_FILENO, STDOUT_FILENO);  // what a case prints must not mix with --json
  limit_worker(limits);
  auto request = read_frame(socket);
  // Only now is the main process the parent for sure: the one in between has been waited for.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (; request; request = read_frame(socket)) {
    if (!write_frame(socket, answer_of(serve, *request))) break;
  }
  _exit(0);
}

/// Forks twice: the worker's parent is then the main process (a subreaper), which can wait for it.
int fork_worker(int control, int socket, const Limits& limits, const Zygote::Serve& serve) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return -1;
  const pid_t middle = fork();
  if (middle == 0) {
    const pid_t worker = fork();
    if (worker == 0) {
      close(control);
      close(pipe_ends[0]);
      close(pipe_ends[1]);
      work(socket, limits, serve);
    }
    const ssize_t ignored = write(pipe_ends[1], &worker, sizeof worker);
    _exit(ignored == sizeof worker ? 0 : 1);
  }
  close(pipe_ends[1]);
  pid_t worker = -1;
  if (middle < 0 || read(pipe_ends[0], &worker, sizeof worker) != sizeof worker) worker = -1;
  close(pipe_ends[0]);
  if (middle > 0) waitpid(middle, nullptr, 0);
  return worker;
}

[[noreturn]] void breed(int control, const Zygote::Serve& serve) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    Limits limits;
    const int socket = receive_socket(control, limits);
    if (socket < 0) _exit(0);
    const int pid = fork_worker(control, socket, limits, serve);
    close(socket);
    if (send(control, &pid, sizeof pid, MSG_NOSIGNAL) != sizeof pid) _exit(0);
  }
}

}  // namespace

Zygote::Zygote(Serve serve) {
  keep_freed_memory();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "no socket for worker processes");
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::fflush(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "no worker process");
  if (pid_ == 0) {
    close(ends[0]);
    breed(ends[1], serve);
  }
  close(ends[1]);
  control_ = ends[0];
}

Zygote::~Zygote() {
  close(control_);
  waitpid(pid_, nullptr, 0);
}

int Zygote::spawn(int socket, const Limits& limits) {
  int pid = -1;
  if (!send_socket(control_, socket, limits) || recv(control_, &pid, sizeof pid, 0) != sizeof pid ||
      pid < 0) {
    throw std::runtime_error("a worker process cannot be started");
  }
  return pid;
}

}  // namespace plumb
