#include "bench/search/trial.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/driver.hpp"
#include "fuzz/genome_case.hpp"
#include "fuzz/hunter.hpp"
#include "harness/relation.hpp"
#include "harness/task.hpp"

namespace plumb::bench {
namespace {

namespace fs = std::filesystem;

fs::path corpus_of(pid_t pid) {
  return fs::temp_directory_path() / ("plumb-search-" + std::to_string(pid));
}

/// In a process of its own. Says what it caught in a line, and nothing where it caught nothing.
void search(const Trial& trial, int answer) {
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  const fs::path corpus = corpus_of(getpid());
  fs::create_directories(corpus);
  const Goal& goal = goal_or_usage_error("any");
  Options options;
  options.seed = trial.seed;
  options.relations = relations_from(goal.relations);
  options.references = {trial.op + "=" + trial.reference};
  Domain domain({trial.op}, {"float32", "bfloat16", "float16"}, options.references);
  const Driver& driver = *Registry<Driver>::instance().find(trial.driver);
  Features features(driver.cells());
  Hunter hunter(domain, goal, features, common_fields(options), [&](const Catch& found) {
    dprintf(answer, "%llu %s %s", static_cast<unsigned long long>(found.execution),
            std::string(to_string(found.row.verdict)).c_str(), found.stored.dump().c_str());
    _exit(0);
  });
  std::atexit([] { _exit(0); });  // torch need not be taken apart
  driver.run({.corpus = corpus,
              .seed = trial.seed * 10007,
              .runs = trial.runs,
              .choices = {.ops = {op_hash(trial.op)}, .dtypes = 3, .may_go_backward = false},
              .replay = [&](auto bytes) { hunter.replay(bytes); },
              .execute = [&](auto bytes) { return hunter.execute(bytes); }});
  _exit(0);
}

Ended ending(int answer, int status) {
  std::string text;
  char part[4096];
  for (ssize_t size = 0; (size = read(answer, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(size));
  }
  close(answer);
  if (!text.empty()) {
    Ended ended;
    std::uint64_t execution = 0;
    std::istringstream words(text);
    words >> execution >> ended.verdict;
    ended.hit = execution;
    std::getline(words >> std::ws, ended.stored);
    return ended;
  }
  return {std::nullopt, WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "died"};
}

}  // namespace

void run_trials(const std::vector<Trial>& trials, int jobs,
                const std::function<void(const Trial&, const Ended&)>& ended) {
  struct Running {
    const Trial* trial;
    int answer;
  };
  std::map<pid_t, Running> running;
  auto next = trials.begin();
  while (next != trials.end() || !running.empty()) {
    while (next != trials.end() && running.size() < static_cast<std::size_t>(jobs)) {
      int ends[2];
      if (pipe(ends) != 0) std::abort();
      const pid_t child = fork();
      if (child == 0) search(*next, ends[1]);
      close(ends[1]);
      running[child] = {&*next++, ends[0]};
    }
    int status = 0;
    const pid_t child = waitpid(-1, &status, 0);
    const auto found = running.find(child);
    if (found == running.end()) continue;
    ended(*found->second.trial, ending(found->second.answer, status));
    running.erase(found);
    std::error_code ignored;
    fs::remove_all(corpus_of(child), ignored);
  }
}

}  // namespace plumb::bench
