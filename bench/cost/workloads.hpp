#pragma once

#include <string>
#include <vector>

#include "harness/subject.hpp"

namespace plumb::bench {

/// A stock operator on inputs of a usual size.
struct Workload {
  std::string name;
  Subject subject;
};

/// matmul 256, softmax and layer norm 1024×1024, attention 4×128×64, in f32 and bf16.
std::vector<Workload> workloads();

}  // namespace plumb::bench
