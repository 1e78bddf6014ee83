#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/program.hpp"
#include "harness/reference.hpp"

namespace plumb {

/// A program with the inputs it is run on, already rounded to the case's dtype.
struct Subject {
  Program program;
  Inputs inputs;
  std::optional<c10::ScalarType> dtype;  // empty: tensors stay as declared ("mixed")
  /// Inputs for another seed, where they are generated; a near miss is confirmed on them.
  std::function<Inputs(std::uint64_t seed)> regenerate;
  /// What says what is right in the program's place; empty: the program itself, in a wider type.
  std::optional<ReferenceProgram> reference = {};
};

/// How it is run and judged.
struct Settings {
  std::string variant = "eager";
  c10::Device device = c10::kCPU;
  std::string oracle = "auto";
  std::uint64_t seed = 0;
  int threads = 1;
  int repeat = 1;
  std::optional<Promise> contract;
  std::vector<std::string> relations;
  std::vector<ReferenceRule> references = {};
  std::vector<std::string> intended_path;  // a path without these is a fallback
};

}  // namespace plumb
