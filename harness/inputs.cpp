#include "harness/inputs.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "harness/placement.hpp"

namespace plumb {
namespace {

/// Remembers what became of each tensor, so that aliases stay aliases.
class AliasKeepingMap {
 public:
  AliasKeepingMap(const Inputs::TensorMap& change) : change_(change) {}

  at::Tensor operator()(const std::string& name, const at::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    const auto [place, is_new] = seen_.try_emplace(tensor.unsafeGetTensorImpl());
    if (is_new) place->second = change_(name, tensor);
    return place->second;
  }

  c10::IValue operator()(const std::string& name, const c10::IValue& value) {
    if (value.isTensor()) return (*this)(name, value.toTensor());
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& item : value.toTensorVector()) list.push_back((*this)(name, item));
      return list;
    }
    if (value.isList()) return mapped_list(name, value);
    return value;
  }

 private:
  /// Tensor?[]: a list whose items may be null.
  c10::IValue mapped_list(const std::string& name, const c10::IValue& value) {
    const auto list = value.toList();
    c10::impl::GenericList copy(list.elementType());
    for (const c10::IValue& item : list) copy.push_back((*this)(name, item));
    return copy;
  }

  const Inputs::TensorMap& change_;
  std::unordered_map<const c10::TensorImpl*, at::Tensor> seen_;
};

bool widens(const at::Tensor& tensor) {
  return c10::isFloatingType(tensor.scalar_type()) || c10::isComplexType(tensor.scalar_type());
}

}  // namespace

void Inputs::set(std::string name, c10::IValue value) {
  for (Argument& argument : arguments_) {
    if (argument.name == name) {
      argument.value = std::move(value);
      return;
    }
  }
  arguments_.push_back({std::move(name), std::move(value)});
}

const c10::IValue* Inputs::find(std::string_view name) const {
  for (const Argument& argument : arguments_) {
    if (argument.name == name) return &argument.value;
  }
  return nullptr;
}

const at::Tensor& Inputs::operator[](std::string_view name) const {
  const c10::IValue* value = find(name);
  if (value == nullptr || !value->isTensor()) {
    throw std::out_of_range("no input tensor called '" + std::string(name) + "'");
  }
  return value->toTensor();
}

const at::Tensor* Inputs::first_tensor() const {
  for (const Argument& argument : arguments_) {
    if (argument.value.isTensor()) return &argument.value.toTensor();
  }
  return nullptr;
}

Inputs Inputs::map(const TensorMap& change) const {
  AliasKeepingMap mapped(change);
  Inputs copy;
  for (const Argument& argument : arguments_) {
    copy.arguments_.push_back({argument.name, mapped(argument.name, argument.value)});
  }
  return copy;
}

void Inputs::each(const std::function<void(const std::string&, const at::Tensor&)>& visit) const {
  map([&](const std::string& name, const at::Tensor& tensor) {
    visit(name, tensor);
    return tensor;
  });
}

Inputs private_copy(const Inputs& inputs) {
  return inputs.map([](const std::string&, const at::Tensor& tensor) {
    return copy_on(tensor.device(), tensor);
  });
}

Inputs cast(const Inputs& inputs, c10::ScalarType dtype) {
  return inputs.map([dtype](const std::string&, const at::Tensor& tensor) {
    if (!widens(tensor) || tensor.is_quantized()) return tensor;
    return tensor.to(widened(tensor.scalar_type(), dtype));
  });
}

Inputs private_cast(const Inputs& inputs, c10::ScalarType dtype) {
  return inputs.map([dtype](const std::string&, const at::Tensor& tensor) {
    const bool keeps_type = !widens(tensor) || tensor.is_quantized() ||
                            tensor.scalar_type() == widened(tensor.scalar_type(), dtype);
    return keeps_type ? copy_on(tensor.device(), tensor)
                      : tensor.to(widened(tensor.scalar_type(), dtype));
  });
}

std::int64_t longest_dimension(const Inputs& inputs) {
  std::int64_t longest = 1;
  inputs.each([&](const std::string&, const at::Tensor& tensor) {
    for (const std::int64_t size : tensor.sizes()) longest = std::max(longest, size);
  });
  return longest;
}

std::int64_t largest_numel(const Inputs& inputs) {
  std::int64_t largest = 1;
  inputs.each([&](const std::string&, const at::Tensor& tensor) {
    largest = std::max(largest, tensor.numel());
  });
  return largest;
}

}  // namespace plumb
