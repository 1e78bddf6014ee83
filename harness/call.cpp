#include "harness/call.hpp"

#include <algorithm>

#include "harness/arguments.hpp"
#include "harness/overloads.hpp"

namespace plumb {

c10::IValue call_operator(const std::string& full_name, std::vector<c10::IValue> arguments) {
  operator_named(full_name)->callBoxed(arguments);
  return arguments.front();
}

Inputs call_inputs(const c10::OperatorHandle& op, const Json& args, const TensorSource& source,
                   const std::string& where) {
  const TensorReader read = [&](const Json& json,
                                const std::string& name) -> std::optional<at::Tensor> {
    if (!json.is_object()) return std::nullopt;
    return tensor_from_json(json, name, source, where + "." + name);
  };
  Inputs inputs = arguments_from_json(op, args, read, where);
  round_scalars(op.schema(), source.round_to ? source.round_to : common_dtype(inputs), inputs);
  return inputs;
}

bool has_generated(const Json& args) {
  return std::any_of(args.begin(), args.end(), [](const Json& argument) {
    return is_generated(argument) || (argument.is_array() && has_generated(argument));
  });
}

}  // namespace plumb
