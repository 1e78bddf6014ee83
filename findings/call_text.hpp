#pragma once

#include <string>

#include "harness/result.hpp"

namespace plumb {

/// The call of a case in one line: "gelu([-5.5])", "softmax.int([[0, 1e20]], dim=-1); gradient of
/// self". Tensors of more than eight elements as their type and shape.
std::string call_text(const Json& stored);

}  // namespace plumb
