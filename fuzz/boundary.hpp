#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fuzz/domain.hpp"
#include "harness/subject.hpp"

namespace plumb {

/// Where operators leave the fused kernel that an ordinary call of theirs runs.
class Boundary {
 public:
  explicit Boundary(Domain& domain) : domain_(domain) {}

  /// The fused kernels of the ordinary call: the first plan, contiguous, small, without gradients,
  /// in the dtype of the genome. Empty where it runs none.
  const std::vector<std::string>& intended(const Genome& genome);

  /// The operators that a case runs, in order.
  static std::vector<std::string> path_of(const Subject& subject);

  /// Whether the case of the genome runs without what is intended.
  bool leaves(const Genome& genome);

  /// The genome made as ordinary as it may be while it still leaves the path, and in words what of
  /// it had to stay: "layout of key", "gradient", "is_causal".
  struct Crossing {
    Genome genome;
    std::vector<std::string> conditions;
  };
  Crossing nearest(const Genome& genome);

 private:
  Domain& domain_;
  std::map<std::string, std::vector<std::string>> intended_;  // by operator and dtype
};

}  // namespace plumb
