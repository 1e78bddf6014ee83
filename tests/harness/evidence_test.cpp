#include "harness/evidence.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

namespace plumb {
namespace {

Judgement wrong_at(std::vector<std::int64_t> index) {
  Judgement judged;
  judged.verdict = Verdict::unstable;
  judged.where = "output 1";
  judged.numeric = true;
  judged.worst_index = std::move(index);
  judged.distances.r = 8;
  judged.distances.sum_sq_error = 1;
  judged.distances.sum_sq_expected = 4;
  return judged;
}

TEST(Evidence, QuotesTheWorstElementOfItsOutput) {
  const at::Tensor y = at::tensor({1.0F, 0.0F});
  const at::Tensor g = at::tensor({1.0, 1e-9}, at::kDouble);
  const Outputs outputs{{"output 0", g}, {"output 1", y}};
  const Truths truths{{"output 0", g, {}}, {"output 1", g, {}}};
  EXPECT_EQ(evidence(wrong_at({1}), outputs, truths), "output 1 is 0, the right value is 1e-09");
  Judgement fine = wrong_at({1});
  fine.verdict = Verdict::stable;
  EXPECT_EQ(evidence(fine, outputs, truths), "");
}

TEST(Evidence, OfAComplexElementBothPartsAreQuoted) {
  const at::Tensor y = at::complex(at::tensor({1.0F, NAN}), at::tensor({0.0F, 2.0F}));
  const at::Tensor g =
      at::complex(at::tensor({1.0, 0.5}, at::kDouble), at::zeros({2}, at::kDouble));
  const Outputs outputs{{"output 1", y}};
  const Truths truths{{"output 1", g, {}}};
  EXPECT_EQ(evidence(wrong_at({1}), outputs, truths),
            "output 1 is (nan, 2), the right value is (0.5, 0)");
}

TEST(Evidence, ARightValueBeyondTheTypeIsInfiniteThere) {
  const Outputs outputs{{"output 1", at::tensor({1.0F, NAN})}};
  const Truths truths{{"output 1", at::tensor({1.0, -2.5e40}, at::kDouble), {}}};
  EXPECT_EQ(evidence(wrong_at({1}), outputs, truths),
            "output 1 is nan, the right value is -inf (-2.5e+40 is beyond the type)");
}

TEST(Evidence, SeverityIsTheLogarithmOfRAndNmseTheRatioOfSquares) {
  Result row;
  copy_distances(wrong_at({1}), row);
  EXPECT_EQ(row.severity, 3);
  EXPECT_EQ(row.nmse, 0.25);
  EXPECT_EQ(row.worst_index, std::vector<std::int64_t>{1});
}

TEST(Evidence, OfAnElementOfTheWrongClassThereIsNoR) {
  for (const Verdict verdict : {Verdict::nonfinite, Verdict::masked}) {
    Judgement judged = wrong_at({1});
    judged.verdict = verdict;
    Result row;
    copy_distances(judged, row);
    EXPECT_FALSE(row.r || row.rho || row.severity || row.lost_bits);
    EXPECT_EQ(row.nmse, 0.25);
  }
}

TEST(Evidence, OfIntegersThereIsAPlaceButNoDistance) {
  Judgement judged = wrong_at({0});
  judged.numeric = false;
  Result row;
  copy_distances(judged, row);
  EXPECT_FALSE(row.r.has_value());
  EXPECT_EQ(row.worst_index, std::vector<std::int64_t>{0});
}

}  // namespace
}  // namespace plumb
