#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

namespace plumb {

/// Named arguments of a program, in call order: tensors, tensor lists, scalars, null.
class Inputs {
 public:
  struct Argument {
    std::string name;
    c10::IValue value;
  };

  Inputs() = default;
  Inputs(std::initializer_list<Argument> arguments) : arguments_(arguments) {}

  /// Replaces an argument of that name, else appends it.
  void set(std::string name, c10::IValue value);

  const c10::IValue* find(std::string_view name) const;

  /// The tensor of that name; throws std::out_of_range naming it.
  const at::Tensor& operator[](std::string_view name) const;

  /// The first argument that is a tensor; null where none is.
  const at::Tensor* first_tensor() const;

  auto begin() const { return arguments_.begin(); }
  auto end() const { return arguments_.end(); }
  bool empty() const { return arguments_.empty(); }

  using TensorMap = std::function<at::Tensor(const std::string& name, const at::Tensor&)>;

  /// A copy with every tensor replaced, those in lists too. One tensor used under two names is
  /// mapped once, so aliases stay aliases.
  Inputs map(const TensorMap& change) const;

  /// Every tensor, those in lists too.
  void each(const std::function<void(const std::string&, const at::Tensor&)>& visit) const;

 private:
  std::vector<Argument> arguments_;
};

/// One result of a program.
struct Output {
  std::string name;  // "output 0", "grad:query"
  at::Tensor tensor;
};

using Outputs = std::vector<Output>;

/// Deep copy: strides and views are kept, memory is fresh, so that a program that writes to its
/// arguments harms nobody else.
Inputs private_copy(const Inputs& inputs);

/// Copies with every floating and complex tensor in `dtype` (complex to the matching complex
/// type); integers and bool stay. Values are rounded to nearest even.
Inputs cast(const Inputs& inputs, c10::ScalarType dtype);

/// Both at once, copying each tensor only once.
Inputs private_cast(const Inputs& inputs, c10::ScalarType dtype);

/// Length of the longest dimension among all tensors, at least 1.
std::int64_t longest_dimension(const Inputs& inputs);

/// Number of elements of the largest tensor, at least 1.
std::int64_t largest_numel(const Inputs& inputs);

}  // namespace plumb
