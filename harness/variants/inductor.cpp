// Compiled ahead of time by AOTInductor to C++ for this machine, as torch.compile does on the way.

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include "harness/graph.hpp"
#include "harness/trace.hpp"
#include "harness/variant.hpp"
#include "harness/variant_sketch.hpp"
#include "harness/variants/inductor/package.hpp"

namespace plumb {
namespace {

/// Compiled code reads memory by the strides it was compiled for: no bits that ask for more.
std::vector<at::Tensor> plain(std::vector<at::Tensor> tensors) {
  for (at::Tensor& tensor : tensors) tensor = tensor.resolve_conj().resolve_neg();
  return tensors;
}

Prepared prepare(const Program& program, const Inputs& example, c10::Device) {
  const TracePause pause;
  const at::NoGradGuard no_grad;
  const TracedGraph traced = traced_graph(program, private_copy(example));
  const auto calls = inductor::calls_of(traced, plain(tensors_of(example)));
  const auto loader = std::make_shared<torch::inductor::AOTIModelPackageLoader>(
      inductor::package_of(calls).string(), "model", /*run_single_threaded=*/true);
  return [traced, loader](const Inputs& inputs) -> Execution {
    return traced.named(loader->run(plain(tensors_of(inputs))));
  };
}

const Register<Variant> registered{{
    .name = "inductor",
    .about =
        "compiled ahead of time by AOTInductor, forward only; compiling takes 7 s and more, once",
    .unavailable = [](const Program& program, c10::Device device) -> std::optional<std::string> {
      if (const auto why = device_unavailable(device)) return why;
      if (!device.is_cpu()) return "inductor packages are compiled for the CPU alone here";
      if (!program.grad.empty()) return "AOTInductor compiles no backward pass";
      return inductor::why_no_compiler();
    },
    .execute = [](const Program& program, const Inputs& inputs,
                  c10::Device device) { return prepare(program, inputs, device)(inputs); },
    .prepare = prepare,
}};

const Register<VariantSketch> sketch{{
    .name = "inductor",
    .compiled = "torch.compile(compute, fullgraph=True, dynamic=False)",
}};

}  // namespace
}  // namespace plumb
