#include "harness/isolate.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/errors.hpp"
#include "harness/frame.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

std::string how_it_died(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* name = sigabbrev_np(signal);
    return std::string("killed by SIG") + (name != nullptr ? name : "?") + " (" +
           strsignal(signal) + ")";
  }
  return "the worker ended with exit code " + std::to_string(WEXITSTATUS(status)) +
         " and no result";
}

/// One worker process and the request it is busy with.
class Worker {
 public:
  Worker(Zygote& zygote, const Limits& limits) : limits_(limits) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      throw std::runtime_error("a worker process cannot be started: no socket");
    }
    pid_ = zygote.spawn(ends[1], limits);
    close(ends[1]);
    socket_ = ends[0];
  }

  ~Worker() {
    if (pid_ < 0) return;
    close(socket_);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int socket() const { return socket_; }
  bool alive() const { return pid_ >= 0; }
  bool busy() const { return request_.has_value(); }

  void start(std::size_t index, const Json& request) {
    request_ = index;
    started_ = Clock::now();
    write_frame(socket_, request);  // a dead worker shows as end of stream
  }

  int milliseconds_left() const {
    const double left = limits_.timeout_seconds - elapsed();
    return std::max(0, static_cast<int>(left * 1000) + 1);
  }

  bool overdue() const { return busy() && elapsed() >= limits_.timeout_seconds; }

  std::pair<std::size_t, Outcome> finish_overdue() {
    Outcome outcome;
    outcome.failure = Verdict::hung;
    outcome.reason = "no result after " + shortest(limits_.timeout_seconds) + " s";
    kill(pid_, SIGKILL);
    return end(std::move(outcome), /*died=*/true);
  }

  std::pair<std::size_t, Outcome> finish_readable() {
    Outcome outcome;
    auto answer = read_frame(socket_);
    if (!answer) {
      outcome.failure = Verdict::crashed;
      return end(std::move(outcome), /*died=*/true);
    }
    const std::string kind = answer->value("failure", "");
    const std::string text = answer->value("text", "");
    if (kind == "usage") throw UsageError(text);
    if (kind == "input") throw InputError(text);
    if (kind == "memory") {
      outcome.failure = Verdict::out_of_memory;
      outcome.reason = text + "; the limit is " + size_text(limits_.memory_bytes);
    } else if (kind == "exception") {
      outcome.failure = Verdict::error;
      outcome.reason = text;
    } else {
      outcome.answer = std::move((*answer)["answer"]);
    }
    return end(std::move(outcome), /*died=*/false);
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  std::pair<std::size_t, Outcome> end(Outcome outcome, bool died) {
    outcome.seconds = elapsed();
    if (died) {
      close(socket_);
      int status = 0;
      waitpid(pid_, &status, 0);
      pid_ = -1;
      if (outcome.reason.empty()) outcome.reason = how_it_died(status);
    }
    const std::size_t index = *request_;
    request_.reset();
    return {index, std::move(outcome)};
  }

  Limits limits_;
  int socket_ = -1;
  int pid_ = -1;
  std::optional<std::size_t> request_;
  Clock::time_point started_;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

/// Waits until a worker has something to say or is overdue.
std::vector<pollfd> wait_for(const Workers& workers) {
  std::vector<pollfd> waiting;
  int patience = -1;
  for (const auto& worker : workers) {
    const bool listening = worker && worker->busy();
    waiting.push_back({listening ? worker->socket() : -1, POLLIN, 0});
    if (!listening) continue;
    const int left = worker->milliseconds_left();
    patience = patience < 0 ? left : std::min(patience, left);
  }
  poll(waiting.data(), waiting.size(), patience);
  return waiting;
}

}  // namespace

void run_isolated(Zygote& zygote, const std::vector<Json>& requests, int jobs, const Limits& limits,
                  const std::function<void(std::size_t, Outcome)>& done) {
  Workers workers(std::min<std::size_t>(static_cast<std::size_t>(std::max(1, jobs)),
                                        std::max<std::size_t>(1, requests.size())));
  std::size_t next = 0;
  std::size_t finished = 0;
  while (finished < requests.size()) {
    for (auto& worker : workers) {
      if (next == requests.size()) break;
      if (!worker || !worker->alive()) worker = std::make_unique<Worker>(zygote, limits);
      if (worker->busy()) continue;
      worker->start(next, requests[next]);
      ++next;
    }
    const auto ready = wait_for(workers);
    for (std::size_t w = 0; w < workers.size(); ++w) {
      if (!workers[w] || !workers[w]->busy()) continue;
      const bool readable = (ready[w].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
      if (!readable && !workers[w]->overdue()) continue;
      auto [index, outcome] =
          readable ? workers[w]->finish_readable() : workers[w]->finish_overdue();
      ++finished;
      done(index, std::move(outcome));
    }
  }
}

}  // namespace plumb
