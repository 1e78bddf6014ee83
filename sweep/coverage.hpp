#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/isolate.hpp"

namespace plumb {

/// What a sweep can say of an operator name.
struct Coverage {
  std::vector<std::string> overloads = {};
  bool forward = false;      // some overload gets a verdict that is not vacuous
  bool gradient = false;     // and so do its gradients
  std::string why_not = {};  // why there is no forward verdict
};

/// Every operator name of the dispatcher that matches one of the patterns, as two cases of ordinary
/// numbers in f32 have it. Runs what it can in workers: some ten seconds of CPU for all.
std::map<std::string, Coverage> coverage(Zygote& zygote, const std::vector<std::string>& patterns);

}  // namespace plumb
