#include "harness/isolate.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/doing.hpp"
#include "harness/errors.hpp"
#include "harness/frame.hpp"
#include "harness/interrupt.hpp"
#include "harness/process_clock.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

// A worker is looked at this often: a death that its socket does not show, and its deadline.
constexpr int kTickMilliseconds = 100;
// However busy the machine, a run must end.
constexpr double kMostWallTimeouts = 10;

/// How the child ended; empty while it runs. It stays a zombie, so that its pid stays its own.
std::optional<std::string> how_it_died(int pid) {
  siginfo_t end{};
  if (waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      end.si_pid != pid) {
    return std::nullopt;
  }
  if (end.si_code == CLD_EXITED) {
    return "the worker ended with exit code " + std::to_string(end.si_status) + " and no result";
  }
  const char* name = sigabbrev_np(end.si_status);
  return std::string("killed by SIG") + (name != nullptr ? name : "?") + " (" +
         strsignal(end.si_status) + ")";
}

/// The same of a child that has hung up and should end within a second.
std::string how_it_ends(int pid) {
  for (int i = 0; i < 200; ++i) {
    if (const auto death = how_it_died(pid)) return *death;
    usleep(5000);
  }
  return "the worker closed its connection";
}

/// A field of a frame as text; "" where it is absent or something else.
std::string text_field(const Json& frame, const char* key) {
  const auto found = frame.find(key);
  return found != frame.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Kills the worker's process group and waits for all of it: a case may have started processes of
/// its own, which are then children of this one.
void kill_group(int pid) {
  kill(pid, SIGKILL);  // it may not lead its group yet
  kill(-pid, SIGKILL);
  for (const int who : {pid, -pid}) {
    while (waitpid(who, nullptr, 0) > 0 || errno == EINTR) {
    }
  }
}

/// One worker process and the request it is busy with.
class Worker {
 public:
  Worker(Zygote& zygote, const Limits& limits) : limits_(limits) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      throw std::runtime_error("a worker process cannot be started: no socket");
    }
    socket_ = ends[0];
    try {
      pid_ = zygote.spawn(ends[1], limits);
    } catch (...) {
      close(ends[0]);
      close(ends[1]);
      throw;
    }
    close(ends[1]);
  }

  ~Worker() { stop(); }

  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int socket() const { return socket_; }
  bool busy() const { return request_.has_value(); }

  /// Hands the request over. False when the worker is gone or says something unasked: it ended
  /// while it had nothing to do, which is not the fault of this request.
  bool start(std::size_t index, const Json& request) {
    pollfd unasked{socket_, POLLIN, 0};
    if (pid_ < 0 || poll(&unasked, 1, 0) != 0) return false;
    clock_.start(pid_);
    if (!write_frame(socket_, request)) return false;
    request_ = index;
    label_ = Json();
    return true;
  }

  /// The outcome of the request, once there is one.
  std::optional<std::pair<std::size_t, Outcome>> look() {
    const auto death = how_it_died(pid_);  // asked before its last words are read
    for (;;) {
      Json frame;
      switch (reader_.receive(socket_, frame)) {
        case FrameReader::Arrival::frame:
          if (frame.contains("doing")) {
            show_doing(text_field(frame, "doing"));
          } else if (frame.contains("label")) {
            label_ = std::move(frame["label"]);
          } else {
            return answered(frame);
          }
          clock_.start(pid_);  // the deadline is that of one case
          break;
        case FrameReader::Arrival::nothing: return death ? crashed(*death) : overdue();
        case FrameReader::Arrival::end: return crashed(how_it_ends(pid_));
        case FrameReader::Arrival::broken: return crashed("its answer cannot be read");
      }
    }
  }

 private:
  using Ended = std::pair<std::size_t, Outcome>;

  Ended answered(Json& frame) {
    Outcome outcome;
    const std::string kind = text_field(frame, "failure");
    const std::string text = text_field(frame, "text");
    if (kind == "usage") throw UsageError(text);
    if (kind == "input") throw InputError(text);
    if (kind == "device") {
      outcome.failure = Verdict::crashed;
      outcome.reason = text;
    } else if (kind == "memory") {
      outcome.failure = Verdict::out_of_memory;
      outcome.reason = text + "; " + limit_in_words(limits_);
    } else if (kind == "exception") {
      outcome.failure = Verdict::error;
      outcome.reason = text;
    } else {
      outcome.answer = frame.value("answer", Json());
    }
    return end(std::move(outcome));
  }

  std::optional<Ended> crashed(const std::string& reason) {
    Outcome outcome;
    outcome.failure = Verdict::crashed;
    outcome.reason = reason;
    stop();
    return end(std::move(outcome));
  }

  std::optional<Ended> overdue() {
    const double wall = clock_.wall_seconds();
    const double limit = limits_.timeout_seconds;
    if (wall < limit) return std::nullopt;
    const double queued = clock_.queued_seconds();
    if (wall - queued < limit && wall < kMostWallTimeouts * limit) return std::nullopt;
    Outcome outcome;
    outcome.failure = Verdict::hung;
    outcome.reason = "no result after " + shortest(limit) + " s";
    if (queued >= 0.1 * limit) {
      outcome.reason += ", not counting " + shortest(std::round(queued * 10) / 10) +
                        " s in which it waited for a processor";
    }
    stop();
    return end(std::move(outcome));
  }

  Ended end(Outcome outcome) {
    outcome.seconds = clock_.wall_seconds();
    outcome.label = std::move(label_);
    const std::size_t index = *request_;
    request_.reset();
    return {index, std::move(outcome)};
  }

  void stop() {
    if (pid_ < 0) return;
    close(socket_);
    kill_group(pid_);
    pid_ = -1;
  }

  Limits limits_;
  int socket_ = -1;
  int pid_ = -1;
  FrameReader reader_;
  std::optional<std::size_t> request_;
  Json label_;
  ProcessClock clock_;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

/// Waits until a worker may have something to say, or its deadline may have come.
void wait_for(const Workers& workers) {
  std::vector<pollfd> waiting;
  for (const auto& worker : workers) {
    if (worker && worker->busy()) waiting.push_back({worker->socket(), POLLIN, 0});
  }
  poll(waiting.data(), waiting.size(), kTickMilliseconds);
}

/// Gives the request to this worker, or to a new one in its place. A worker that cannot even take
/// a request twice in a row means that none can be had.
void start(std::unique_ptr<Worker>& worker, Zygote& zygote, const Limits& limits, std::size_t index,
           const Json& request) {
  if (worker && worker->start(index, request)) return;
  worker.reset();
  worker = std::make_unique<Worker>(zygote, limits);
  if (!worker->start(index, request)) {
    throw std::runtime_error("a worker process cannot be started: it ended at once");
  }
}

/// Whether a request, the overrides of its case or a case inside it names such a device.
bool asks_for_cuda(const Json& request) {
  if (!request.is_object() || request.contains("inspect")) return false;
  if (text_field(request, "device").starts_with("cuda")) return true;
  const auto inside = [&request](const char* key) {
    const auto found = request.find(key);
    return found != request.end() && asks_for_cuda(*found);
  };
  return inside("overrides") || inside("case");
}

}  // namespace

std::string limit_in_words(const Limits& limits) {
  return "the limit is " + size_text(limits.memory_bytes);
}

int worker_count(int jobs, int threads) {
  if (jobs > 0) return jobs;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / threads);
}

void run_isolated(Zygote& zygote, const std::vector<Json>& requests, int jobs, const Limits& limits,
                  const std::function<void(std::size_t, Outcome)>& done) {
  Workers workers(std::min<std::size_t>(static_cast<std::size_t>(std::max(1, jobs)),
                                        std::max<std::size_t>(1, requests.size())));
  Limits of_workers = limits;
  of_workers.cuda = std::any_of(requests.begin(), requests.end(), asks_for_cuda);
  std::size_t next = 0;
  std::size_t finished = 0;
  while (finished < requests.size() && interrupted() == 0) {
    for (auto& worker : workers) {
      if (next == requests.size()) break;
      if (worker && worker->busy()) continue;
      start(worker, zygote, of_workers, next, requests[next]);
      ++next;
    }
    wait_for(workers);
    for (const auto& worker : workers) {
      if (!worker || !worker->busy()) continue;
      auto ended = worker->look();
      if (!ended) continue;
      ++finished;
      done(ended->first, std::move(ended->second));
    }
  }
}

}  // namespace plumb
