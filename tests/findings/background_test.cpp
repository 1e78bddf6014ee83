#include <cmath>

#include <gtest/gtest.h>

#include "findings/passes.hpp"
#include "tests/findings/fake_case.hpp"

namespace plumb {
namespace {

TEST(Background, AllButWhatMattersBecomesZero) {
  std::vector<double> values(20, 3.0);
  values[7] = 1e30;
  Search search(vector_case(values), 200, [](const Json& candidate) {
    return numbers(candidate).size() == 20 &&
           any_number(candidate, [](double value) { return value > 1e20; });
  });
  to_background(search);
  std::vector<double> wanted(20, 0.0);
  wanted[7] = 1e30;
  EXPECT_EQ(numbers(search.best()), wanted);
}

TEST(Background, IsOneOrTheFirstWhereZeroDoesNotDo) {
  const auto all = [](double least, double most) {
    return [=](const Json& candidate) {
      return !any_number(candidate, [=](double v) { return v < least || v > most; });
    };
  };
  Search ones(vector_case({1.5, 0.5, 0.75}), 100, all(0.5, 2));
  to_background(ones);
  EXPECT_EQ(numbers(ones.best()), (std::vector<double>{1, 1, 1}));
  Search first(vector_case({7, 8, 9}), 100, all(7, 9));
  to_background(first);
  EXPECT_EQ(numbers(first.best()), (std::vector<double>{7, 7, 7}));
}

TEST(Background, MasksAndDrawnTensorsToo) {
  Search search(fake_case({{"mask", {{"dtype", "bool"}, {"data", {true, false, true}}}},
                           {"self", {{"shape", {1000}}, {"fill", "normal"}}}}),
                100, [](const Json&) { return true; });
  to_background(search);
  EXPECT_EQ(search.best()["args"]["mask"]["data"], Json::array({false, false, false}));
  EXPECT_EQ(search.best()["args"]["self"]["fill"], "constant");
}

}  // namespace
}  // namespace plumb
