#pragma once

#include <optional>
#include <string>

#include "findings/repro.hpp"

namespace plumb {

/// How a broken relation asks again, in Python: "-compute(-self)". `seen` as `observed` gives it.
std::string second_answer(const ReproModel& model, const Json& seen);

/// An expression of a `Sketch` as C++ has it.
std::string in_cpp(std::string python);

/// Of a relation about an operator that writes its answer: that call. Its buffers are the variables
/// buffer0, buffer1, …; without any it writes to its first argument.
struct WritingCall {
  ReproCall call;
  std::vector<std::string> fills;  // of the buffers, in Python
  std::string answer;              // the variable with the answer
  bool overlaps = false;           // elements of the first argument share memory
};
std::optional<WritingCall> writing_call(const ReproModel& model, const Json& seen);

/// The tensors that `compute` takes, with a word before each.
std::string compute_arguments(const ReproModel& model, const std::string& before = "",
                              const std::string& after = "");

/// Calls that write to their arguments, which then need copies.
bool writes_arguments(const ReproModel& model);

/// Whether the answers are zeros of different signs.
bool signs_differ(const Json& seen);

}  // namespace plumb
