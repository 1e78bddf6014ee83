#pragma once

#include <string>

#include "harness/arguments.hpp"
#include "harness/oracle.hpp"
#include "harness/tensor_spec.hpp"

namespace plumb {

/// An operator call in the words of a case: {"op": …, "args": …}.
struct Call {
  Program program;
  Inputs inputs;
};

inline Call call(const std::string& op, const Json& args) {
  const auto reader = [](const Json& json, const std::string& name) -> std::optional<at::Tensor> {
    if (!json.is_object()) return std::nullopt;
    return tensor_from_json(json, name, {}, name);
  };
  const auto handle = resolve_operator(op, args, op);
  return {operator_program(handle), arguments_from_json(handle, args, reader, op)};
}

inline Call call(const std::string& op, const char* args) { return call(op, Json::parse(args)); }

inline const Oracle& quad_oracle() { return *Registry<Oracle>::instance().find("quad"); }

}  // namespace plumb
