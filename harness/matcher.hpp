#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include <gmock/gmock.h>

#include "harness/dtype.hpp"
#include "harness/run.hpp"
#include "harness/text.hpp"

namespace plumb {

/// What is right for a test: a C++ function generic in dtype, evaluated in double on `inputs`,
/// which must already be in the dtype under test.
struct Reference {
  std::function<at::Tensor(const Inputs&)> function;
  Inputs inputs;
  Traits traits = {};  // fused, reduction over the longest dimension, unless said otherwise
};

/// GoogleTest matcher: `EXPECT_THAT(y, plumb::Matches({softmax, {{"x", x}}}))` holds where the
/// verdict rule calls y stable, exact, ill-conditioned or an expected overflow. A failure prints
/// the verdict, r, the worst element and the command that runs this test again.
class Matches {
 public:
  using is_gtest_matcher = void;

  explicit Matches(Reference reference) : reference_(std::move(reference)) {}

  bool MatchAndExplain(const at::Tensor& y, std::ostream* explain) const {
    const Program program = native_program("reference", reference_.function, reference_.traits);
    const Oracle& oracle = *Registry<Oracle>::instance().find("fp64");
    const Truths truths = oracle.evaluate(program, reference_.inputs);
    Conditioning conditioning(oracle, program, reference_.inputs, truths, /*seed=*/0);
    const Contract contract =
        contract_for(y.scalar_type(), program.traits, reference_.inputs, oracle.roundoff);
    const Judgement found = judge({"output 0", y}, truths.at(0), contract,
                                  {.conditioning = [&] { return &conditioning; }});
    if (explain != nullptr) *explain << evidence(found);
    return ok_unless_expected(found.verdict);
  }

  void DescribeTo(std::ostream* out) const { *out << "is as accurate as its precision promises"; }
  void DescribeNegationTo(std::ostream* out) const { *out << "is less accurate than that"; }

 private:
  static std::string evidence(const Judgement& found) {
    std::string text = "verdict " + std::string(to_string(found.verdict)) + ": " +
                       std::string(meaning(found.verdict));
    if (!found.message.empty()) text += "; " + found.message;
    if (found.numeric) text += "\n  r " + shortest(found.distances.r);
    if (!found.worst_index.empty()) {
      text += "\n  worst at [";
      for (std::size_t d = 0; d < found.worst_index.size(); ++d) {
        text += (d > 0 ? "," : "") + std::to_string(found.worst_index[d]);
      }
      text += "]";
    }
    return text + "\n  replay: " + replay();
  }

  static std::string replay() {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").string();
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string name =
        test == nullptr ? "*" : std::string(test->test_suite_name()) + "." + test->name();
    return shell_quoted(program) + " --gtest_filter=" + shell_quoted(name);
  }

  Reference reference_;
};

}  // namespace plumb
