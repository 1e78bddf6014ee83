#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "harness/inputs.hpp"
#include "harness/tensor_spec.hpp"

namespace plumb {

/// The one result of an operator by its full name, arguments in the order of its schema.
c10::IValue call_operator(const std::string& full_name, std::vector<c10::IValue> arguments);

/// The `args` of one operator call: tensors made, and numbers beside them rounded to their type.
/// InputError, starting with `where`, as of arguments_from_json.
Inputs call_inputs(const c10::OperatorHandle& op, const Json& args, const TensorSource& source,
                   const std::string& where);

/// Whether the values of a tensor among `args`, or in a list of them, come from the seed.
bool has_generated(const Json& args);

}  // namespace plumb
