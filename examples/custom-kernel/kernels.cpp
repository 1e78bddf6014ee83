// Operators with right kernels. A sweep leaves them alone.

#include "kernels.hpp"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace example {
namespace {

at::Tensor sum(const at::Tensor& self, std::int64_t dim) {
  return reduce_rows(self, dim, [](const auto* row, std::int64_t n) {
    Wider<std::decay_t<decltype(*row)>> sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += row[j];
    return sum;
  });
}

at::Tensor softmax(const at::Tensor& self, std::int64_t dim) {
  return map_rows(self, dim, []<typename T>(const T* row, std::int64_t n, T* out) {
    const auto max = max_of(row, n);
    Wider<T> sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += std::exp(static_cast<Wider<T>>(row[j]) - max);
    write_softmax(row, n, max, sum, out);
  });
}

at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            bool is_causal) {
  TORCH_CHECK(is_causal, "causal_attention: expected is_causal");
  return attention_up_to(query, key, value, 0);
}

at::Tensor scaled(const at::Tensor& self, double factor) {
  return map_elements(self, [factor](auto x) { return x * factor; });
}

class Scale : public torch::autograd::Function<Scale> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& self,
                            double factor) {
    context->saved_data["factor"] = factor;
    return scaled(self, factor);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {scaled(gradients[0], context->saved_data["factor"].toDouble()), at::Tensor()};
  }
};

class Silu : public torch::autograd::Function<Silu> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& self) {
    context->save_for_backward({self});
    return silu_values(self);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {silu_gradient(gradients[0], context->get_saved_variables()[0])};
  }
};

at::Tensor scale_with_gradient(const at::Tensor& self, double factor) {
  return Scale::apply(self, factor);
}

at::Tensor silu_with_gradient(const at::Tensor& self) { return Silu::apply(self); }

}  // namespace

TORCH_LIBRARY(example, library) {
  library.def("sum(Tensor self, int dim) -> Tensor");
  library.def("softmax(Tensor self, int dim) -> Tensor");
  library.def(
      "causal_attention(Tensor query, Tensor key, Tensor value, *, bool is_causal=True) -> Tensor");
  library.def("scale(Tensor self, float factor) -> Tensor");
  library.def("silu(Tensor self) -> Tensor");
}

TORCH_LIBRARY_IMPL(example, CPU, library) {
  library.impl("sum", sum);
  library.impl("softmax", softmax);
  library.impl("causal_attention", causal_attention);
  library.impl("scale", scaled);
  library.impl("silu", silu_values);
}

TORCH_LIBRARY_IMPL(example, Autograd, library) {
  library.impl("scale", scale_with_gradient);
  library.impl("silu", silu_with_gradient);
}

}  // namespace example
