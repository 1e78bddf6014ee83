// The texts are those of torch 2.15.0 and of cudaGetErrorString, CUDA 13.0.

#include "harness/capture_refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using testing::HasSubstr;
using testing::Optional;

struct Known {
  const char* message;
  std::vector<std::string> path;
  const char* why;
};

const Known kKnown[] = {
    {"CUDA error: operation not permitted when stream is capturing",
     {"aten::mul", "aten::item", "aten::_local_scalar_dense"},
     ".item()"},
    {"CUDA error: operation not permitted when stream is capturing",
     {"aten::relu", "aten::nonzero"},
     "dynamic shape"},
    {"CUDA error: operation not permitted when stream is capturing",
     {"aten::relu", "aten::_unique2"},
     "depends on the data (aten::_unique2)"},
    {"CUDA error: operation not permitted when stream is capturing",
     {"aten::linalg_eigh"},
     "waits for the device (in aten::linalg_eigh)"},
    {"CUDA error: operation not permitted when stream is capturing", {}, "waits for the device"},
    {"CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to "
     "replay them on the default stream.)",
     {},
     "stream of its own"},
    {"CUDA error: operation would make the legacy stream depend on a capturing blocking stream",
     {"aten::mylib"},
     "default stream"},
    {"Capture must end on the same stream it began on.", {}, "another stream"},
    {"This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new "
     "instance.",
     {},
     "captured again"},
    {"Called CUDAGraph::replay without a preceding successful capture.", {}, "never captured"},
    {"Cannot call CUDAGeneratorImpl::current_seed during CUDA graph capture. If you need this call "
     "to be captured, please file an issue. Current cudaStreamCaptureStatus: "
     "cudaStreamCaptureStatusActive",
     {"aten::rand"},
     "random generator"},
    {"RNG op during graph capture but could not find the CUDAGraph object.", {}, "random"},
    {"Refactor this op to use CUDAGeneratorImpl::philox_cuda_state. Cannot call "
     "CUDAGeneratorImpl::philox_engine_inputs during CUDA graph capture.",
     {"mylib::dropout"},
     "random generator"},
    {"Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is "
     "pinned.",
     {"aten::copy_"},
     "memory of the host"},
    {"1. No warmup iterations occurred before capture.\n2. The convolutions you're trying to "
     "capture use dynamic shapes, in which case capturing them is generally prohibited.",
     {"aten::cudnn_convolution"},
     "dynamic shape"},
    {"CUDA error: capturing stream has unjoined work", {}, "waited for before"},
    {"CUDA error: dependency created on uncaptured work in another stream", {}, "outside"},
    {"CUDA error: operation failed due to a previous error during capture", {}, "before this one"},
    {"During CUDA graph capture, autograd tried to synchronize streams across the capture boundary",
     {},
     "backward"},
};

TEST(CaptureRefusal, NamesTheCause) {
  for (const Known& known : kKnown) {
    EXPECT_THAT(capture_refusal(known.message, known.path), Optional(HasSubstr(known.why)))
        << known.message;
  }
}

TEST(CaptureRefusal, LeavesOtherErrorsAlone) {
  for (const char* message :
       {"CUDA error: an illegal memory access was encountered", "CUDA out of memory.",
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
        "CUDA error: device-side assert triggered", ""}) {
    EXPECT_EQ(capture_refusal(message, {"aten::item"}), std::nullopt) << message;
  }
}

}  // namespace
}  // namespace plumb
