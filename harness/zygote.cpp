#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/device_plugin.hpp"
#include "harness/doing.hpp"
#include "harness/errors.hpp"
#include "harness/frame.hpp"
#include "harness/isolate.hpp"
#include "harness/raised.hpp"

namespace plumb {
namespace {

/// Sends the limits and a file descriptor.
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
  ssize_t sent = -1;
  do {
    sent = sendmsg(control, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof payload);
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
    got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (got != static_cast<ssize_t>(sizeof limits) || header == nullptr) return -1;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}

#if !defined(__SANITIZE_ADDRESS__)
/// What this process uses now of what RLIMIT_AS or RLIMIT_DATA limits.
std::uint64_t used_bytes(bool data_alone) {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long mapped = 0;
  unsigned long data = 0;
  if (file != nullptr) {
    if (std::fscanf(file, "%lu %*u %*u %*u %*u %lu", &mapped, &data) != 2) mapped = data = 0;
    std::fclose(file);
  }
  return static_cast<std::uint64_t>(data_alone ? data : mapped) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}
#endif

void limit_worker(const Limits& limits) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__)  // the sanitiser maps terabytes of shadow memory
  mallopt(M_ARENA_MAX, 1);          // each arena reserves 64 MiB, which is not the case's doing
  rlimit stack{};
  getrlimit(RLIMIT_STACK, &stack);
  const rlim_t per_thread = stack.rlim_cur == RLIM_INFINITY ? rlim_t{8} << 20 : stack.rlim_cur;
  // Twice, since OpenMP and ATen keep a pool each.
  const rlim_t stacks = per_thread * 2 * static_cast<rlim_t>(limits.threads);
  const rlimit space{used_bytes(limits.cuda) + stacks + limits.memory_bytes, RLIM_INFINITY};
  setrlimit(limits.cuda ? RLIMIT_DATA : RLIMIT_AS, &space);
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

Json answer_of(const Zygote::Serve& serve, const Json& request, const Zygote::Announce& announce) {
  try {
    return Json{{"answer", serve(request, announce)}};
  } catch (const UsageError& error) {
    return failure_answer("usage", error.what());
  } catch (const InputError& error) {
    return failure_answer("input", error.what());
  } catch (const std::exception& error) {
    return failure_answer(is_out_of_memory(error) ? "memory" : "exception", message_of(error));
  } catch (...) {
    return failure_answer("exception", "something that is no std::exception was thrown");
  }
}

/// Standard input is the person's, and what a case prints must not mix with --json.
void redirect_streams() {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  close(nothing);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

[[noreturn]] void work(int socket, pid_t main, const Limits& limits, const Zygote::Serve& serve) {
  setpgid(0, 0);  // what a case starts is killed with it
  redirect_streams();
  if (limits.cuda) cuda_plugin();  // it stands in no case's account
  limit_worker(limits);
  auto request = read_frame(socket);
  // Only now is the main process the parent for sure: the one in between has been waited for.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != main) _exit(0);  // it died before that
  const Zygote::Announce announce = [socket](const Json& label) {
    if (!write_frame(socket, Json{{"label", label}})) _exit(0);
  };
  tell_doing_by([socket](const std::string& what) {
    if (!write_frame(socket, Json{{"doing", what}})) _exit(0);
  });
  for (; request; request = read_frame(socket)) {
    Json answer = answer_of(serve, *request, announce);
    const auto lost = cuda_lost();
    if (lost) answer = failure_answer("device", *lost);
    if (!write_frame(socket, answer) || lost) break;
  }
  _exit(0);
}

/// Forks twice: the worker's parent is then the main process (a subreaper), which can wait for it.
int fork_worker(int control, int socket, pid_t main, const Limits& limits,
                const Zygote::Serve& serve) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return -1;
  const pid_t middle = fork();
  if (middle == 0) {
    const pid_t worker = fork();
    if (worker == 0) {
      close(control);
      close(pipe_ends[0]);
      close(pipe_ends[1]);
      work(socket, main, limits, serve);
    }
    const ssize_t ignored = write(pipe_ends[1], &worker, sizeof worker);
    _exit(ignored == sizeof worker ? 0 : 1);
  }
  close(pipe_ends[1]);
  pid_t worker = -1;
  if (middle < 0 || read(pipe_ends[0], &worker, sizeof worker) != sizeof worker) worker = -1;
  close(pipe_ends[0]);
  while (middle > 0 && waitpid(middle, nullptr, 0) < 0 && errno == EINTR) {
  }
  return worker;
}

[[noreturn]] void breed(int control, pid_t main, const Zygote::Serve& serve) {
  setpgid(0, 0);  // Ctrl-C is for the main process, which ends this one
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    Limits limits;
    const int socket = receive_socket(control, limits);
    if (socket < 0) _exit(0);
    const int pid = fork_worker(control, socket, main, limits, serve);
    close(socket);
    if (send(control, &pid, sizeof pid, MSG_NOSIGNAL) != sizeof pid) _exit(0);
  }
}

/// A closed standard stream would be taken by a socket, and then by what a case prints.
void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest free number
  }
}

}  // namespace

Zygote::Zygote(const Serve& serve) {
  open_standard_streams();
  keep_freed_memory();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "no socket for worker processes");
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::fflush(nullptr);
  const pid_t main = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "no worker process");
  if (pid_ == 0) {
    close(ends[0]);
    breed(ends[1], main, serve);
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
  ssize_t got = -1;
  if (send_socket(control_, socket, limits)) {
    do {
      got = recv(control_, &pid, sizeof pid, 0);
    } while (got < 0 && errno == EINTR);
  }
  if (got != sizeof pid || pid < 0) {
    throw std::runtime_error("a worker process cannot be started");
  }
  return pid;
}

}  // namespace plumb
