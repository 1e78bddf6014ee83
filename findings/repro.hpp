#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>

#include "harness/result.hpp"

namespace plumb {

/// A tensor of a stand-alone program: its storage, and the view of it.
struct ReproTensor {
  std::string variable;
  std::string name;  // as `Sketch` has it: "self", "tensors[1]"
  c10::ScalarType dtype = c10::ScalarType::Float;
  std::vector<std::int64_t> shape;
  std::vector<Json> storage;  // in order of memory; a single value for a constant
  bool constant = false;
  bool strided = false;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  bool neg = false;
  bool conj = false;
  bool wants_grad = false;
};

/// A call whose tensors are "$variable", or "$variable.1" for the second result of a call.
struct ReproCall {
  c10::OperatorHandle op;
  Json args;
  std::string out;
};

/// What a stand-alone program for a case does.
struct ReproModel {
  std::vector<ReproTensor> tensors;
  std::vector<ReproCall> calls;
  std::vector<std::string> grad;        // variables
  std::vector<std::string> grad_names;  // as `where` has them
  std::string cotangent;                // variable, or empty for ones
};

/// Tensors that are drawn are written down, where they are small. Empty where one is large or in a
/// file, which a program without plumb could not make.
std::optional<ReproModel> repro_model(const Json& stored);

/// Why there is no model, in words.
constexpr const char* kNoModel = "its tensors are drawn from a seed: plumb replay shows it";

/// What the last call returns: one tensor, or several things.
bool returns_one_tensor(const ReproCall& call);

/// The output that `where` names, as an index; empty where it is a written argument.
std::optional<std::size_t> output_index(const std::string& where);

/// Which gradient `where` names; empty where it names none.
std::optional<std::size_t> gradient_index(const ReproModel& model, const std::string& where);

/// What Python cannot have as a name.
bool is_python_keyword(const std::string& word);

/// A broken relation, or runs that differ.
bool is_about_two_answers(const Result& row);

/// Every line that is not empty, moved to the right.
std::string indented(const std::string& text, std::size_t spaces);

/// The finding in a sentence or two, for the head of a program, without line breaks.
std::string repro_title(const Json& stored, const Result& row);

/// The program in Python: exit code 1 where the failure shows, 0 where it does not. `seen` as
/// `observed` gives it.
std::string python_repro(const Json& stored, const Json& seen, const Result& row);

/// The same in C++, against libtorch.
std::string cpp_repro(const Json& stored, const Json& seen, const Result& row);

}  // namespace plumb
