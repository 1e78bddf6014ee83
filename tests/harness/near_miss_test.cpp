// An error just beyond the bound on inputs that were drawn, which others do not show.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/run.hpp"

namespace plumb {
namespace {

constexpr float kMark = 7;  // the first number of inputs that show it

Inputs inputs(float first) {
  const at::Tensor x = at::arange(1, 33, at::kFloat).reshape({4, 8}) / 3;
  x[0][0] = first;
  return {{"x", x}};
}

/// exp, in float off by a share where the inputs have the mark and `asks_so` of the tensor.
Program off_by(double share, bool (*asks_so)(const at::Tensor&)) {
  return native_program("off", [share, asks_so](const Inputs& in) {
    const at::Tensor& x = in["x"];
    const bool is_off =
        x.scalar_type() == at::kFloat && x[0][0].item<float>() == kMark && asks_so(x);
    return is_off ? x.exp() * (1 + share) : x.exp();
  });
}

bool always(const at::Tensor&) { return true; }
bool strided(const at::Tensor& x) { return !x.is_contiguous(); }

Result judged(const Program& program, const char* relation, float other_inputs) {
  Subject subject{program, inputs(kMark), at::kFloat, {}};
  subject.regenerate = [other_inputs](std::uint64_t) { return inputs(other_inputs); };
  Settings settings;
  if (relation != nullptr) settings.relations = {relation};
  return evaluate(subject, settings).result;
}

/// The least share of a few that is unstable wherever it is looked for; r is then within 1 to 2.
double share_of_a_near_miss() {
  for (double share = 1e-8; share < 1e-3; share *= 1.05) {
    const Result row = judged(off_by(share, always), nullptr, kMark);
    if (row.verdict != Verdict::unstable) continue;
    EXPECT_LE(row.r.value_or(9), 2);
    return share;
  }
  ADD_FAILURE() << "no share is a near miss";
  return 0;
}

TEST(NearMiss, IsLetOffWhereOtherInputsKeepTheBound) {
  const Program program = off_by(share_of_a_near_miss(), always);
  EXPECT_EQ(judged(program, nullptr, kMark).verdict, Verdict::unstable);
  EXPECT_EQ(judged(program, nullptr, 1).verdict, Verdict::stable);
}

/// Both answers are off alike: nothing is broken between them.
TEST(NearMiss, LetOffItIsLetOffInASecondAnswerToo) {
  const double share = share_of_a_near_miss();
  // In other bits, so that it is compared at all.
  const Program program = native_program("off", [share](const Inputs& in) {
    const at::Tensor& x = in["x"];
    if (x.scalar_type() != at::kFloat || x[0][0].item<float>() != kMark) return x.exp();
    const at::Tensor y = x.exp() * (1 + share);
    return strided(x) ? at::nextafter(y, at::full_like(y, INFINITY)) : y;
  });
  EXPECT_EQ(judged(program, "layout", 1).verdict, Verdict::stable);
}

TEST(NearMiss, OfASecondAnswerMustShowOnOtherInputsToo) {
  const Program program = off_by(share_of_a_near_miss(), strided);
  EXPECT_EQ(judged(program, "layout", kMark).verdict, Verdict::relation_broken);
  const Verdict let_off = judged(program, "layout", 1).verdict;
  EXPECT_TRUE(let_off == Verdict::stable || let_off == Verdict::exact) << to_string(let_off);
}

TEST(NearMiss, AMissByFarCountsWhateverOtherInputsShow) {
  const double share = 20 * share_of_a_near_miss();
  EXPECT_EQ(judged(off_by(share, always), nullptr, 1).verdict, Verdict::unstable);
  EXPECT_EQ(judged(off_by(share, strided), "layout", 1).verdict, Verdict::relation_broken);
}

}  // namespace
}  // namespace plumb
