#pragma once

#include <optional>
#include <string>

#include <ATen/core/dispatch/Dispatcher.h>

namespace plumb {

/// The operator that computes the same and writes it elsewhere: "aten::add_.Tensor", or
/// "aten::add.out", of "aten::add.Tensor". Empty where there is none.
std::optional<c10::OperatorHandle> in_place_twin(const std::string& op);
std::optional<c10::OperatorHandle> out_twin(const std::string& op);

}  // namespace plumb
