#include "findings/failure.hpp"

#include <gtest/gtest.h>

#include "tests/findings/gelu_row.hpp"

namespace plumb {
namespace {

Result unstable(double r) { return unstable_gelu(r); }

TEST(SameFailure, AQuarterOfRIsEnoughAndLessIsNot) {
  const Failure failure = failure_of(unstable(100));
  EXPECT_TRUE(same_failure(failure, unstable(25)));
  EXPECT_FALSE(same_failure(failure, unstable(24)));
}

TEST(SameFailure, AnotherVerdictPlaceOrPathIsAnother) {
  const Failure failure = failure_of(unstable(100));
  Result row = unstable(100);
  row.verdict = Verdict::nonfinite;
  EXPECT_FALSE(same_failure(failure, row));
  row = unstable(100);
  row.where = "grad:self";
  EXPECT_FALSE(same_failure(failure, row));
  row = unstable(100);
  row.path = {"aten::erf"};
  EXPECT_FALSE(same_failure(failure, row));
}

TEST(SameFailure, AnotherRelationOrErrorIsAnotherButNotOtherNumbers) {
  Result layout = unstable(1), threads = unstable(1);
  layout.verdict = threads.verdict = Verdict::relation_broken;
  layout.message = "layout: strided inputs give …";
  threads.message = "threads: two threads give …";
  EXPECT_FALSE(same_failure(failure_of(layout), threads));
  Result four = unstable(1), two = unstable(1), other = unstable(1);
  four.verdict = two.verdict = other.verdict = Verdict::error;
  four.message = "index 14 is out of bounds for dimension 0 with size 4";
  two.message = "index 1 is out of bounds for dimension 0 with size 2";
  other.message = "expected a matrix";
  EXPECT_TRUE(same_failure(failure_of(four), two));
  EXPECT_FALSE(same_failure(failure_of(four), other));
}

TEST(SameFailureInPart, APathWithoutTheBackwardPassIsAPartOfIt) {
  Result both = unstable(100);
  both.path = {"aten::gelu", "aten::gelu_backward"};
  EXPECT_FALSE(same_failure(failure_of(both), unstable(100)));
  EXPECT_TRUE(same_failure_in_part(failure_of(both), unstable(100)));
  EXPECT_FALSE(same_failure_in_part(failure_of(unstable(100)), both));
}

TEST(PathSteps, LoopsCopiesAndViewsDoNotCount) {
  EXPECT_EQ(path_steps({"aten::transpose", "aten::mm x12", "aten::clone", "aten::mm", "… 9 more"}),
            std::vector<std::string>{"aten::mm"});
  EXPECT_EQ(path_steps({"mine::op"}), std::vector<std::string>{"mine::op"});
}

TEST(Fingerprint, TellsFailuresApartAndNotSizes) {
  Result one = unstable(100), other = unstable(90);
  EXPECT_EQ(fingerprint(one).size(), 16u);
  EXPECT_EQ(fingerprint(one), fingerprint(other));
  other.dtype = "bfloat16";
  EXPECT_NE(fingerprint(one), fingerprint(other));
  other = one;
  other.where = "grad:self";
  EXPECT_NE(fingerprint(one), fingerprint(other));
}

// Two kernels of ggml have one path.
TEST(Fingerprint, TellsVariantsAndKindsOfDevicesApart) {
  Result one = unstable(100), other = one;
  other.variant = "ggml-f16";
  EXPECT_NE(fingerprint(one), fingerprint(other));
  Result on_cuda = one, on_another = one;
  on_cuda.device = "cuda:0";
  on_another.device = "cuda:1";
  EXPECT_NE(fingerprint(one), fingerprint(on_cuda));
  EXPECT_EQ(fingerprint(on_another), fingerprint(on_cuda));
}

// It names folders and lists of known failures that outlive a release.
TEST(Fingerprint, OfAnEagerFailureStaysWhatItIs) {
  Result row = unstable(1);
  row.verdict = Verdict::flushed;
  EXPECT_EQ(fingerprint(row), "30e6148140553188");
}

TEST(KindOf, SaysWhatTheRangeDid) {
  Result row = unstable(0);
  row.verdict = Verdict::nonfinite;
  row.nan = 1;
  EXPECT_EQ(kind_of(row), "range-nan");
  row.nan = 0;
  EXPECT_EQ(kind_of(row), "range-inf");
  row.verdict = Verdict::flushed;
  EXPECT_EQ(kind_of(row), "range-zero");
}

}  // namespace
}  // namespace plumb
