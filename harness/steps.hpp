#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/program.hpp"

namespace c10 {
struct FunctionSchema;
}

namespace plumb {

/// One call of a `steps` program. Literal tensors in it were moved to the inputs.
struct Step {
  Program program;
  Inputs fixed;                                             // arguments that are no references
  std::vector<std::pair<std::string, std::string>> linked;  // argument → name of a value
  std::string out;                                          // name of its first result
  std::string where;                                        // file and place, for errors
};

/// The calls one after the other; the outputs are those of the last.
Program program_of_steps(std::vector<Step> steps, const std::string& title);

/// How many results a name stands for; empty where only the run shows it.
using KnownResults = std::map<std::string, std::optional<std::size_t>, std::less<>>;

/// InputError, starting with `where`, unless `key` is a known name, or "name.1" for the second
/// result of a step.
void check_reference(const std::string& key, const KnownResults& known, const std::string& where);

/// How many outputs operator_program has at most; empty where it depends on the inputs.
std::optional<std::size_t> result_count(const c10::FunctionSchema& schema);

}  // namespace plumb
