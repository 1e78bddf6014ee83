#include "harness/task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/library.h>

#include "harness/case.hpp"
#include "harness/errors.hpp"
#include "harness/run.hpp"
#include "tests/harness/io/temporary_file.hpp"
#include "tests/workers.hpp"

namespace plumb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

at::Tensor crash(const at::Tensor&) { std::abort(); }

TORCH_LIBRARY(plumb_planted, library) { library.def("crash(Tensor self) -> Tensor", &crash); }

class Task : public testing::Test {
 protected:
  Result run(const std::string& body, const Options& options = {}) {
    file_ = std::make_unique<TemporaryFile>(R"({"schema":"plumb.case/1",)" + body + "}");
    return run_tasks(*test_zygote(), {case_task(file_->path().string(), options)}, options,
                     [](const Result&) {})
        .front();
  }

  std::unique_ptr<TemporaryFile> file_;
};

constexpr const char* kCrash =
    R"("name":"boom","tags":["live"],"op":"plumb_planted::crash","args":{"self":{"data":[1]}},
       "dtype":"f16","expect":{"verdict":["crashed"]})";

TEST_F(Task, ACrashKeepsNameExpectationAndId) {
  const Result row = run(kCrash);
  EXPECT_EQ(row.verdict, Verdict::crashed);
  EXPECT_TRUE(row.ok);
  EXPECT_EQ(row.name, "boom");
  EXPECT_EQ(row.dtype, "float16");
  EXPECT_THAT(row.expected, ElementsAre("crashed"));
  EXPECT_THAT(row.tags, ElementsAre("live"));
  EXPECT_EQ(row.id, unanswered_case(load_case(file_->path().string())).id);
  EXPECT_THAT(row.message, HasSubstr("SIGABRT"));
}

TEST_F(Task, TheRowOfAFailureReadsNoFile) {
  const Json task = case_task("/nowhere/shy.json", {});
  Outcome outcome;
  outcome.failure = Verdict::crashed;
  EXPECT_EQ(failed_task(task, outcome).name, "shy");
  Result known;
  known.name = "announced";
  known.dtype = "float32";
  known.expected = {"crashed"};
  outcome.label = to_json(known);
  EXPECT_EQ(failed_task(task, outcome).name, "announced");
  EXPECT_TRUE(failed_task(task, outcome).ok);
}

TEST_F(Task, TooLargeAFillIsOutOfMemoryWithTheLimitInWords) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "address space is not limited under the sanitiser";
#endif
  Options options;
  options.limits.memory_bytes = std::uint64_t{1} << 30;
  for (const std::string self : {R"({"shape":[536870912],"fill":"normal"})",  // read
                                 R"({"shape":[1000,1],"fill":"normal"})"}) {  // run: 1e6 × 1e3
    const std::string other = R"({"shape":[1,1000000],"fill":"normal"})";
    const Result row = run(R"("op":"aten::matmul","args":{"self":)" + self + R"(,"other":)" +
                               other + R"(},"expect":{"verdict":["out-of-memory"]})",
                           options);
    EXPECT_EQ(row.verdict, Verdict::out_of_memory) << row.message;
    EXPECT_TRUE(row.ok);
    EXPECT_THAT(row.message, HasSubstr("the limit is 1GiB"));
    EXPECT_THAT(row.message, Not(HasSubstr("frame #")));
    EXPECT_THAT(row.message, Not(HasSubstr("enforce fail")));
  }
}

// The variant fits, the oracle in double does not.
TEST_F(Task, AnOracleThatRunsOutOfMemoryIsNoAnswer) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "address space is not limited under the sanitiser";
#endif
  Options options;
  options.limits.memory_bytes = std::uint64_t{1} << 30;
  const Result row = run(R"("op":"aten::sinc","oracle":"fp64","dtype":"f32",
      "args":{"self":{"shape":[50000000],"fill":"constant"}})",
                         options);
  EXPECT_EQ(row.verdict, Verdict::out_of_memory) << row.message;
}

TEST_F(Task, ManyThreadsDoNotEatTheMemoryOfTheCase) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "address space is not limited under the sanitiser";
#endif
  Options options;
  options.threads = 128;
  options.limits.memory_bytes = std::uint64_t{512} << 20;
  const Result row =
      run(R"("op":"aten::exp","args":{"self":{"shape":[100000],"fill":"normal"}})", options);
  EXPECT_TRUE(row.ok) << row.message;
}

TEST_F(Task, AnErrorThatIsExpectedMustBeRaised) {
  const std::string body = R"("op":"aten::exp","args":{"self":{"data":[1]}},)";
  EXPECT_FALSE(run(body + R"("expect":{"raises":"anything"})").ok);
  const std::string wrong = R"("op":"aten::mm","args":{"self":{"data":[[1,2]]},
                               "mat2":{"data":[[1,2]]}},)";
  EXPECT_TRUE(run(wrong + R"("expect":{"raises":"shapes cannot be multiplied"})").ok);
  EXPECT_FALSE(run(wrong + R"("expect":{"raises":"something else"})").ok);
}

TEST_F(Task, AQuestionWithoutMeaningNamesFileAndField) {
  const auto refusal = [&](const std::string& body) -> std::string {
    try {
      run(body);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string argmax =
      refusal(R"("op":"aten::argmax","args":{"self":{"data":[1,2]}},"grad":["self"])");
  EXPECT_THAT(argmax, testing::StartsWith(file_->path().string() + ": grad: "));
  const std::string cotangent = refusal(
      R"("op":"aten::exp","args":{"self":{"data":[1,2]}},"grad":["self"],
         "cotangent":{"data":[1,2,3]})");
  EXPECT_THAT(cotangent, testing::StartsWith(file_->path().string() + ": cotangent: "));
  EXPECT_THAT(cotangent, HasSubstr("[2], not [3]"));
  const std::string parts = refusal(
      R"("inputs":{"x":{"data":[1,2]}},"steps":[
           {"op":"aten::chunk","args":{"self":"$x","chunks":2},"out":"y"},
           {"op":"aten::neg","args":{"self":"$y.7"}}])");
  EXPECT_THAT(parts, HasSubstr(": steps[1].args.self: there is no result 'y.7'"));
}

}  // namespace
}  // namespace plumb
