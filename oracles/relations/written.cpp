#include "oracles/relations/written.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "harness/overloads.hpp"

namespace plumb {
namespace {

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

/// What a buffer says by itself, and an `out` need not be told.
bool is_said_by_buffer(const std::string& name) {
  return name == "dtype" || name == "layout" || name == "device" || name == "pin_memory" ||
         name == "memory_format";
}

bool has(const c10::FunctionSchema& schema, const c10::Argument& argument) {
  const auto index = schema.argumentIndexWithName(argument.name());
  return index && *schema.arguments()[static_cast<std::size_t>(*index)].type() == *argument.type();
}

/// The same arguments of the same types, and a buffer for every result: add.out of add.Tensor, but
/// add.Scalar_out of add.Scalar.
bool is_out_of(const c10::FunctionSchema& out, const c10::FunctionSchema& plain) {
  const auto& outs = out.arguments();
  const auto buffers =
      static_cast<std::size_t>(std::count_if(outs.begin(), outs.end(), is_written));
  const auto& plains = plain.arguments();
  return buffers == plain.returns().size() &&
         std::all_of(outs.begin(), outs.end(),
                     [&](const auto& a) { return is_written(a) || has(plain, a); }) &&
         std::all_of(plains.begin(), plains.end(),
                     [&](const auto& a) { return is_said_by_buffer(a.name()) || has(out, a); });
}

using Twins = std::map<std::string, std::vector<c10::OperatorHandle>>;

/// Operators with an `out` by their name without overload.
const Twins& outs_by_base() {
  static const Twins all = [] {
    Twins twins;
    for (const auto& key : c10::Dispatcher::singleton().getAllOpNames()) {
      const auto handle = c10::Dispatcher::singleton().findSchema(key);
      const bool has_buffer = handle && !handle->schema().arguments().empty() &&
                              handle->schema().arguments().back().kwarg_only() &&
                              is_written(handle->schema().arguments().back());
      if (has_buffer) twins[key.name].push_back(*handle);
    }
    return twins;
  }();
  return all;
}

}  // namespace

std::optional<c10::OperatorHandle> in_place_twin(const std::string& op) {
  const auto dot = op.find('.');
  const auto twin =
      operator_named(op.substr(0, dot) + "_" + (dot == std::string::npos ? "" : op.substr(dot)));
  const bool writes_first =
      twin && !twin->schema().arguments().empty() && is_written(twin->schema().arguments().front());
  return writes_first ? twin : std::nullopt;
}

std::optional<c10::OperatorHandle> out_twin(const std::string& op) {
  const auto plain = operator_named(op);
  if (!plain) return std::nullopt;
  const auto found = outs_by_base().find(plain->operator_name().name);
  if (found == outs_by_base().end()) return std::nullopt;
  for (const c10::OperatorHandle& out : found->second) {
    if (is_out_of(out.schema(), plain->schema())) return out;
  }
  return std::nullopt;
}

}  // namespace plumb
