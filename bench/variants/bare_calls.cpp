#include "bench/variants/bare_calls.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/ir_emitter.h>
#include <torch/jit.h>

#include "harness/overloads.hpp"
#include "harness/variants/byte_grid.hpp"
#include "harness/variants/inductor/package.hpp"

namespace plumb::bench {
namespace {

using Call = std::function<at::Tensor()>;

Call scripted(const at::Tensor& x, const at::Tensor& weight) {
  const auto unit = torch::jit::compile("def product(x, w):\n    return torch.linear(x, w)\n");
  return [=] { return unit->run_method("product", x, weight).toTensor(); };
}

Call compiled(const at::Tensor& x, const at::Tensor& weight) {
  if (inductor::why_no_compiler()) return {};
  const Program linear = operator_program(*operator_named("aten::linear"));
  const TracedGraph traced = traced_graph(linear, {{"input", x}, {"weight", weight}});
  const auto loader = std::make_shared<torch::inductor::AOTIModelPackageLoader>(
      inductor::package_of(inductor::calls_of(traced, {x, weight})).string(), "model", true);
  return [=] { return loader->run({x, weight}).front(); };
}

c10::IValue call(const char* name, torch::jit::Stack stack) {
  operator_named(name)->callBoxed(stack);
  return stack.front();
}

Call dynamic_int8(const at::Tensor& x, const at::Tensor& weight) {
  at::globalContext().setQEngine(at::kX86);
  const IntegerWeight integers = symmetric_rows(weight, 127);
  const c10::IValue packed =
      call("quantized::linear_prepack",
           {at::_make_per_channel_quantized_tensor(integers.values, integers.scale.to(at::kDouble),
                                                   at::zeros({weight.size(0)}, at::kLong), 0),
            c10::IValue()});
  return [=] { return call("quantized::linear_dynamic", {x, packed, true}).toTensor(); };
}

Call weight_int8(const at::Tensor& x, const at::Tensor& weight) {
  const IntegerWeight integers = symmetric_rows(weight, 127);
  return [=] { return at::_weight_int8pack_mm(x, integers.values, integers.scale); };
}

Call weight_int4(const at::Tensor& x, const at::Tensor& weight) {
  const IntegerWeight integers = symmetric_groups(weight, 32, 7);
  const at::Tensor packed =
      at::_convert_weight_to_int4pack_for_cpu(integers.values.to(at::kInt) + 8, 2);
  const at::Tensor scales =
      at::stack({integers.scale, at::zeros_like(integers.scale)}, -1).transpose(0, 1).contiguous();
  return [=] { return at::_weight_int4pack_mm_for_cpu(x, packed, 32, scales); };
}

}  // namespace

std::map<std::string, Call> bare_calls(const at::Tensor& x, const at::Tensor& weight) {
  const at::NoGradGuard no_grad;
  return {{"eager", [=] { return at::linear(x, weight); }},
          {"jit", scripted(x, weight)},
          {"inductor", compiled(x, weight)},
          {"int8-dynamic", dynamic_int8(x, weight)},
          {"int8-weight", weight_int8(x, weight)},
          {"int4-weight", weight_int4(x, weight)}};
}

}  // namespace plumb::bench
