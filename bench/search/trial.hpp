#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plumb::bench {

/// A search of one operator by one engine until the first failure.
struct Trial {
  std::string op;         // "planted::round_tie_2"
  std::string reference;  // "aten::round"
  std::string driver;
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;  // then it is given up

  std::string key() const { return op + " " + driver + " " + std::to_string(seed); }
};

struct Ended {
  std::optional<std::uint64_t> hit;  // the execution that failed
  std::string verdict;               // of it; "died" where the process did
  std::string stored = {};           // its case
};

/// Runs them, `jobs` at a time, each in a process of its own, since engines do not return.
void run_trials(const std::vector<Trial>& trials, int jobs,
                const std::function<void(const Trial&, const Ended&)>& ended);

}  // namespace plumb::bench
