#pragma once

#include <functional>
#include <optional>
#include <string>

#include <ATen/core/dispatch/Dispatcher.h>

#include "harness/inputs.hpp"
#include "harness/result.hpp"

namespace plumb {

/// Turns the JSON of a tensor argument (an object, or "$name" in steps) into a tensor; empty when
/// the JSON is not a tensor at all. `name` is the argument's.
using TensorReader =
    std::function<std::optional<at::Tensor>(const Json& json, const std::string& name)>;

/// The operator "aten::name.overload", or the only overload of "aten::name" that accepts these
/// argument names and types; no tensor is made for it. InputError, starting with `where`, names the
/// candidates otherwise.
c10::OperatorHandle resolve_operator(const std::string& op, const Json& args,
                                     const std::string& where);

/// The arguments by schema name; null becomes None, absent ones are left out.
/// Rounds Scalar arguments (`other`, `alpha`, `lambd` …) to the type of the tensors they stand
/// beside, unless they leave its range. Torch does so on the way in, some kernels to the type they
/// compute in: of a number that the type holds all make the same.
void round_scalars(const c10::FunctionSchema& schema, std::optional<c10::ScalarType> dtype,
                   Inputs& inputs);

/// The type that all floating tensors share; empty where they differ or there are none.
std::optional<c10::ScalarType> common_dtype(const Inputs& inputs);

Inputs arguments_from_json(const c10::OperatorHandle& op, const Json& args,
                           const TensorReader& tensors, const std::string& where);

}  // namespace plumb
