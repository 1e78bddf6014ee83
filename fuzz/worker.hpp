#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "fuzz/genome.hpp"
#include "fuzz/shared_page.hpp"
#include "harness/isolate.hpp"

namespace plumb {

/// The input that a worker is about to execute, in a file that both it and the main process see, so
/// that a worker that dies tells what it died of.
class LastInput {
 public:
  /// Creates or clears the file.
  explicit LastInput(const std::filesystem::path& file);

  /// `counts`: whether it is an execution of the search, not what an earlier one kept.
  void write(std::span<const std::uint8_t> bytes, bool counts = true);

  struct Read {
    std::uint64_t executions = 0;
    std::vector<std::uint8_t> bytes = {};
  };

  /// What the worker wrote last; nothing where it wrote nothing.
  static std::optional<Read> read(const std::filesystem::path& file);

 private:
  struct Page;
  SharedPage shared_;
  Page* page_;
};

/// A search in a worker: {"kind":"fuzz"} with what campaign.cpp gives it. Announces its tally every
/// second and, with "done", at its end; failures are appended to the file "catches", a line each.
Json serve_fuzz(const Json& task, const Zygote::Announce& announce);

}  // namespace plumb
