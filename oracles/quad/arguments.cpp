#include "oracles/quad/arguments.hpp"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

namespace plumb::quad {
namespace {

const c10::FunctionSchema* schema_of(const std::string& operator_name) {
  const auto dot = operator_name.find('.');
  const auto handle = c10::Dispatcher::singleton().findSchema(
      {operator_name.substr(0, dot),
       dot == std::string::npos ? "" : operator_name.substr(dot + 1)});
  return handle ? &handle->schema() : nullptr;
}

bool is_default(const c10::Argument* argument, const c10::IValue& value) {
  if (value.isNone()) return true;
  if (argument == nullptr || !argument->default_value()) return false;
  const c10::IValue& standard = *argument->default_value();
  return !value.isTensor() && standard.tagKind() == value.tagKind() && standard == value;
}

}  // namespace

Arguments::Arguments(const Program& program, const Inputs& inputs)
    : inputs_(inputs), schema_(schema_of(program.name)) {}

std::optional<std::string> Arguments::missing() const {
  if (schema_ == nullptr) return std::nullopt;
  for (const c10::Argument& argument : schema_->arguments()) {
    if (!argument.default_value() && inputs_.find(argument.name()) == nullptr) {
      return argument.name();
    }
  }
  return std::nullopt;
}

const c10::IValue* Arguments::find(const std::string& name) const {
  if (const c10::IValue* value = inputs_.find(name)) return value;
  if (schema_ == nullptr) return nullptr;
  const auto index = schema_->argumentIndexWithName(name);
  if (!index) return nullptr;
  const auto& standard = schema_->arguments()[static_cast<std::size_t>(*index)].default_value();
  return standard ? &*standard : nullptr;
}

bool Arguments::has(const std::string& name) const {
  const c10::IValue* value = find(name);
  return value != nullptr && !value->isNone();
}

at::Tensor Arguments::doubles(const std::string& name) const {
  return inputs_[name].detach().to(at::kCPU, at::kDouble).contiguous().resolve_neg();
}

Quad Arguments::number(const std::string& name, Quad absent) const {
  if (!has(name)) return absent;
  const c10::Scalar scalar = find(name)->toScalar();
  return scalar.isFloatingPoint() ? Quad(scalar.toDouble()) : Quad(scalar.toLong());
}

std::int64_t Arguments::integer(const std::string& name, std::int64_t absent) const {
  return has(name) ? find(name)->toInt() : absent;
}

bool Arguments::flag(const std::string& name, bool absent) const {
  return has(name) ? find(name)->toBool() : absent;
}

std::string Arguments::text(const std::string& name) const {
  return has(name) ? std::string(find(name)->toStringRef()) : std::string();
}

std::vector<std::int64_t> Arguments::integers(const std::string& name) const {
  if (!has(name)) return {};
  const c10::IValue& value = *find(name);
  return value.isInt() ? std::vector{value.toInt()} : value.toIntVector();
}

std::vector<std::string> Arguments::given() const {
  std::vector<std::string> names;
  for (const Inputs::Argument& argument : inputs_) {
    const c10::Argument* declared = nullptr;
    if (schema_ != nullptr) {
      if (const auto index = schema_->argumentIndexWithName(argument.name)) {
        declared = &schema_->arguments()[static_cast<std::size_t>(*index)];
      }
    }
    if (!is_default(declared, argument.value)) names.push_back(argument.name);
  }
  return names;
}

}  // namespace plumb::quad
