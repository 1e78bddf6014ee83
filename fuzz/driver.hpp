#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "fuzz/mutate.hpp"
#include "harness/registry.hpp"

namespace plumb {

/// One run of an engine in a worker process.
struct DriverRun {
  std::string corpus;        // folder of inputs, read first and added to
  bool has_company = false;  // other processes add to it at the same time
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;  // 0: no limit
  double seconds = 0;      // 0: no limit
  Choices choices;
  /// Lights the features of an input that an earlier run kept, and asks no more of it.
  std::function<void(std::span<const std::uint8_t>)> replay;
  /// Executes one input; false for one that is not worth keeping.
  std::function<bool(std::span<const std::uint8_t>)> execute;
  /// Executes one input and says what failed: nothing where torch refuses it, an empty text where
  /// nothing did, else its fingerprint. `in_full`: asks the harness whatever a glance says.
  std::function<std::optional<std::string>(std::span<const std::uint8_t>, bool in_full)> judge;
  /// Keeps the failure of an input.
  std::function<void(std::span<const std::uint8_t>)> file;
  /// The case of an input, as text.
  std::function<std::string(std::span<const std::uint8_t>)> describe;
};

/// A search engine. Registers itself; a build without its library does not have it.
struct Driver {
  std::string name;
  /// Where features are lit (Features::kCells bytes).
  std::function<std::span<std::uint8_t>()> cells;
  /// Searches. Ends the process when done, by exit(0), or returns.
  std::function<void(const DriverRun&)> run;
};

}  // namespace plumb
