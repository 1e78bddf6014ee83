#include "harness/cuda/graph.hpp"

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace plumb::cuda {
namespace {

/// What runs on `later` waits for what is on `earlier` now.
void join(const c10::cuda::CUDAStream& earlier, const c10::cuda::CUDAStream& later) {
  c10::Event reached(c10::DeviceType::CUDA);
  reached.record(earlier.unwrap());
  reached.block(later.unwrap());
}

class Graph : public Recording {
 public:
  Graph(const TensorProgram& program, const std::vector<at::Tensor>& example,
        const std::vector<at::Tensor>& inputs, int warm_ups)
      : inputs_(inputs) {
    const c10::cuda::CUDAStream caller = c10::cuda::getCurrentCUDAStream();
    const c10::cuda::CUDAStream side = c10::cuda::getStreamFromPool(false, caller.device_index());
    join(caller, side);
    {
      const c10::cuda::CUDAStreamGuard on_side(side);
      for (int i = 0; i < warm_ups; ++i) program(example);
      c10::cuda::device_synchronize();  // an error of a warm-up must not be one of the capture
      capture(program);
    }
    join(side, caller);
  }

  const std::vector<at::Tensor>& inputs() const override { return inputs_; }
  const std::vector<at::Tensor>& outputs() const override { return outputs_; }
  void play() override { graph_.replay(); }
  at::Tensor allocate(const at::Tensor& tensor) const override { return at::empty_like(tensor); }

 private:
  void capture(const TensorProgram& program) {
    graph_.capture_begin();
    try {
      outputs_ = program(inputs_);
      graph_.capture_end();
    } catch (...) {
      abandon();
      throw;
    }
  }

  /// The stream must be taken out of a capture that failed. That raises as well, which says less
  /// than what came before it.
  void abandon() {
    try {
      graph_.capture_end();
    } catch (const std::exception&) {
      outputs_.clear();
    }
    cudaGetLastError();  // no error of the next call
  }

  at::cuda::CUDAGraph graph_;
  std::vector<at::Tensor> inputs_, outputs_;
};

}  // namespace

std::unique_ptr<Recording> record(const TensorProgram& program,
                                  const std::vector<at::Tensor>& example,
                                  const std::vector<at::Tensor>& inputs, int warm_ups) {
  return std::make_unique<Graph>(program, example, inputs, warm_ups);
}

}  // namespace plumb::cuda
