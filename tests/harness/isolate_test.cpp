#include "harness/isolate.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/errors.hpp"
#include "tests/workers.hpp"

namespace plumb {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Json planted(const std::string& fault) { return {{"planted", fault}}; }

std::vector<Outcome> run(const std::vector<std::string>& faults, Limits limits = {}, int jobs = 2) {
  std::vector<Json> requests;
  for (const std::string& fault : faults) requests.push_back(planted(fault));
  std::vector<Outcome> outcomes(requests.size());
  run_isolated(*test_zygote(), requests, jobs, limits,
               [&](std::size_t i, Outcome outcome) { outcomes[i] = std::move(outcome); });
  return outcomes;
}

/// Children of this process in state Z.
int zombies() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string pid, name, state, parent;
    stat >> pid >> name >> state >> parent;
    if (state == "Z" && parent == std::to_string(getpid())) ++count;
  }
  return count;
}

TEST(Isolate, ACrashCostsOneRequestAndNamesItsSignal) {
  const auto outcomes = run({"no", "abort", "no", "segfault", "no"});
  EXPECT_EQ(outcomes[1].failure, Verdict::crashed);
  EXPECT_NE(outcomes[1].reason.find("SIGABRT"), std::string::npos) << outcomes[1].reason;
  EXPECT_EQ(outcomes[3].failure, Verdict::crashed);
#if !defined(__SANITIZE_ADDRESS__)  // the sanitiser reports the signal itself and exits
  EXPECT_NE(outcomes[3].reason.find("SIGSEGV"), std::string::npos) << outcomes[3].reason;
#endif
  for (const int healthy : {0, 2, 4}) EXPECT_EQ(outcomes[healthy].answer, planted("no"));
}

TEST(Isolate, WhatAWorkerIsDoingReachesThePerson) {
  std::vector<std::string> told;
  show_doing_by([&](const std::string& what) { told.push_back(what); });
  const auto outcomes = run({"no", "tells"});
  show_doing_by({});
  EXPECT_EQ(told, std::vector<std::string>{"compiling"});
  EXPECT_TRUE(outcomes[1].answered());
  EXPECT_TRUE(run({"tells"}).front().answered());  // nobody listens
}

TEST(Isolate, ExitZeroWithoutAResultIsACrash) {
  const auto outcomes = run({"exit", "no"});
  EXPECT_EQ(outcomes[0].failure, Verdict::crashed);
  EXPECT_NE(outcomes[0].reason.find("exit code 0"), std::string::npos) << outcomes[0].reason;
  EXPECT_TRUE(outcomes[1].answered());
}

TEST(Isolate, AStackOverflowIsACrash) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitiser reports the overflow itself";
#endif
  const auto outcomes = run({"stack overflow", "no"});
  EXPECT_EQ(outcomes[0].failure, Verdict::crashed);
  EXPECT_NE(outcomes[0].reason.find("SIGSEGV"), std::string::npos) << outcomes[0].reason;
  EXPECT_TRUE(outcomes[1].answered());
}

TEST(Isolate, AWorkerKilledFromOutsideIsACrash) {
  const auto outcomes = run({"killed", "no"});
  EXPECT_EQ(outcomes[0].failure, Verdict::crashed);
  EXPECT_NE(outcomes[0].reason.find("SIGKILL"), std::string::npos) << outcomes[0].reason;
  EXPECT_TRUE(outcomes[1].answered());
}

TEST(Isolate, AnInfiniteLoopIsStoppedAtItsDeadline) {
  const auto start = std::chrono::steady_clock::now();
  const auto outcomes = run({"loop", "no", "no"}, {.timeout_seconds = 0.5});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(outcomes[0].failure, Verdict::hung);
  EXPECT_NE(outcomes[0].reason.find("0.5 s"), std::string::npos) << outcomes[0].reason;
  EXPECT_TRUE(outcomes[1].answered());
  EXPECT_TRUE(outcomes[2].answered());
  EXPECT_GE(took.count(), 0.5);
}

TEST(Isolate, ASleepIsStoppedAtItsDeadline) {
  const auto outcomes = run({"sleep", "no"}, {.timeout_seconds = 0.5});
  EXPECT_EQ(outcomes[0].failure, Verdict::hung);
  EXPECT_LT(outcomes[0].seconds, 4);
  EXPECT_TRUE(outcomes[1].answered());
}

/// Children that keep the first processor busy.
class BusyProcessor {
 public:
  explicit BusyProcessor(std::size_t children) : pids_(children) {
    for (pid_t& pid : pids_) {
      pid = fork();
      if (pid != 0) continue;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      run_on_first_processor();
      for (volatile bool forever = true; forever;) {
      }
    }
  }
  ~BusyProcessor() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  BusyProcessor(const BusyProcessor&) = delete;
  BusyProcessor& operator=(const BusyProcessor&) = delete;

 private:
  std::vector<pid_t> pids_;
};

TEST(Isolate, ABusyMachineMakesNoSoundRequestHung) {
  if (!std::filesystem::exists("/proc/self/schedstat")) {
    GTEST_SKIP() << "this kernel does not tell how long a process waited for a processor";
  }
  const BusyProcessor others(2);
  const auto outcomes =
      run({"half a second of work on the first processor"}, {.timeout_seconds = 1});
  EXPECT_TRUE(outcomes[0].answered()) << outcomes[0].reason;
  EXPECT_GT(outcomes[0].seconds, 1);
}

TEST(Isolate, ALoopOnABusyMachineStillEnds) {
  const BusyProcessor others(2);
  const auto outcomes = run({"loop"}, {.timeout_seconds = 0.5});
  EXPECT_EQ(outcomes[0].failure, Verdict::hung);
}

TEST(Isolate, TooMuchMemoryIsAVerdictNotAnOutage) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "address space is not limited under the sanitiser";
#endif
  const auto outcomes = run({"64 GiB", "no"}, {.memory_bytes = std::uint64_t{1} << 30});
  EXPECT_EQ(outcomes[0].failure, Verdict::out_of_memory);
  EXPECT_NE(outcomes[0].reason.find("1GiB"), std::string::npos) << outcomes[0].reason;
  EXPECT_TRUE(outcomes[1].answered());
}

TEST(Isolate, ATensorThatIsTooLargeIsOutOfMemoryInWords) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "address space is not limited under the sanitiser";
#endif
  const auto outcomes = run({"4 GiB tensor", "no"}, {.memory_bytes = std::uint64_t{1} << 30});
  EXPECT_EQ(outcomes[0].failure, Verdict::out_of_memory);
  EXPECT_THAT(outcomes[0].reason, StartsWith("can't allocate memory"));
  EXPECT_THAT(outcomes[0].reason, EndsWith("the limit is 1GiB"));
}

TEST(Isolate, WhatIsRaisedIsToldWithoutABacktrace) {
  const auto outcomes = run({"torch error", "throws a number", "no"});
  EXPECT_EQ(outcomes[0].failure, Verdict::error);
  EXPECT_EQ(outcomes[0].reason, "planted");
  EXPECT_EQ(outcomes[1].failure, Verdict::error);
  EXPECT_TRUE(outcomes[2].answered());
}

TEST(Isolate, WhatIsAnnouncedOutlivesTheCrash) {
  const auto outcomes = run({"announced crash", "no"});
  EXPECT_EQ(outcomes[0].failure, Verdict::crashed);
  EXPECT_EQ(outcomes[0].label, Json({{"name", "announced"}}));
  EXPECT_TRUE(outcomes[1].label.is_null());
}

TEST(Isolate, AWorkerThatDiedIdleCostsNoRequest) {
  int answered = 0;
  run_isolated(*test_zygote(), {planted("dies once answered"), planted("no"), planted("no")},
               /*jobs=*/1, {}, [&](std::size_t, const Outcome& outcome) {
                 EXPECT_TRUE(outcome.answered()) << outcome.reason;
                 ++answered;
                 usleep(200'000);  // it dies now
               });
  EXPECT_EQ(answered, 3);
}

TEST(Isolate, AHungUpWorkerIsNotWaitedForForever) {
  const auto outcomes = run({"closes everything", "no"});
  EXPECT_EQ(outcomes[0].failure, Verdict::crashed);
  EXPECT_THAT(outcomes[0].reason, HasSubstr("closed its connection"));
}

TEST(Isolate, AChildOfACrashedWorkerHidesNothingAndIsKilled) {
  const auto outcomes = run({"child keeps the socket", "no"});
  EXPECT_EQ(outcomes[0].failure, Verdict::crashed);
  EXPECT_THAT(outcomes[0].reason, HasSubstr("SIGABRT"));
  EXPECT_LT(outcomes[0].seconds, 10);
  EXPECT_EQ(zombies(), 0);
}

TEST(Isolate, HalfAnAnswerDoesNotDelayTheDeadline) {
  const auto outcomes = run({"half an answer", "no"}, {.timeout_seconds = 0.5});
  EXPECT_EQ(outcomes[0].failure, Verdict::hung);
  EXPECT_TRUE(outcomes[1].answered());
}

TEST(Isolate, AnAnswerWithoutEndTakesNoMemory) {
  const auto outcomes = run({"endless answer", "no"});
  EXPECT_EQ(outcomes[0].failure, Verdict::crashed);
  EXPECT_THAT(outcomes[0].reason, HasSubstr("cannot be read"));
}

TEST(Isolate, WorkersAreReusedAndNoneIsLeftBehind) {
  std::vector<std::string> many(2000, "no");
  const auto outcomes = run(many);
  for (const Outcome& outcome : outcomes) ASSERT_TRUE(outcome.answered());
  run({"abort", "segfault", "no"});
  EXPECT_EQ(zombies(), 0);
}

TEST(Isolate, BadInputInAWorkerReachesThePerson) {
  Json task = case_task("/nowhere/case.json", {});
  EXPECT_THROW(run_isolated(*test_zygote(), {task}, 1, {}, [](std::size_t, const Outcome&) {}),
               InputError);
}

}  // namespace
}  // namespace plumb
