#include "harness/variants/inductor/recorded.hpp"

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include "harness/trace.hpp"

namespace plumb::inductor {

Recorded recorded(const Program& program, const Inputs& inputs) {
  const TracePause pause;
  const at::NoGradGuard no_grad;
  TracedGraph graph = traced_graph(program, private_copy(inputs));
  Calls calls = calls_of(graph, plain(tensors_of(inputs)));
  return {std::move(graph), std::move(calls)};
}

std::vector<at::Tensor> plain(std::vector<at::Tensor> tensors) {
  const TracePause pause;
  for (at::Tensor& tensor : tensors) tensor = tensor.resolve_conj().resolve_neg();
  return tensors;
}

Run loaded(const std::string& package) {
  const TracePause pause;
  const auto loader = std::make_shared<torch::inductor::AOTIModelPackageLoader>(
      package, "model", /*run_single_threaded=*/true);
  return [loader](const Inputs& inputs) { return loader->run(plain(tensors_of(inputs))); };
}

}  // namespace plumb::inductor
