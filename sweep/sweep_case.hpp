#pragma once

#include <string>
#include <vector>

#include "sweep/plan.hpp"

namespace plumb {

/// What a case of a sweep is drawn from.
struct CaseSource {
  std::string op;     // with overload
  std::string dtype;  // torch's name
  bool gradient = false;
  std::uint64_t seed = 0;
};

/// Case `index` of an operator as plumb.case/1: plan, values, length and layout follow from index,
/// the numbers from the seed. The same arguments give the same case, whatever ran before.
Json sweep_case(const CaseSource& source, const std::vector<Plan>& plans, int index);

}  // namespace plumb
