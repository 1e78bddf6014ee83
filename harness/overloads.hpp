#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>

namespace plumb {

/// "aten::add.Tensor", or "aten::exp" for the overload without a name.
std::string full_name(const c10::OperatorName& name);

/// The operator of that full name; empty where there is none.
std::optional<c10::OperatorHandle> operator_named(const std::string& full_name);

/// Overloads of an operator ("aten::add") but those that write to an `out` argument, sorted by the
/// name of the overload; none where there is no such operator. The dispatcher is asked once for a
/// name it knows: libraries are loaded before their operators are called.
std::vector<c10::OperatorHandle> overloads_of(const std::string& base);

}  // namespace plumb
