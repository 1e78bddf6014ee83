#pragma once

#include <string>
#include <vector>

#include "findings/repro.hpp"

namespace plumb {

/// "[1, 2]"
std::string list_text(const std::vector<std::int64_t>& values);

/// A number as Python reads it. torch rounds half types by way of float: where that is not the
/// value, the value itself in hexadecimal.
std::string number_text(const Json& value, c10::ScalarType dtype);

/// The statement that makes a tensor.
std::string tensor_text(const ReproTensor& tensor);

/// An argument of a call.
std::string value_text(const Json& value, const c10::TypePtr& type);

/// "torch.ops.aten.gelu.default(self)"
std::string python_call(const ReproCall& call);

/// The calls, and `outs` where the last returns several tensors.
std::string calls_text(const ReproModel& model);

/// The statements that leave the tensor to look at in `got`.
std::string got_text(const ReproModel& model, const std::string& where);

/// Compares `got` with what was seen to be right, and ends the program.
std::string verdict_text(const Json& seen, const Result& row);

}  // namespace plumb
