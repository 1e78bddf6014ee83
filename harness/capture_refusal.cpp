#include "harness/capture_refusal.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace plumb {
namespace {

struct Refusal {
  std::string_view said;  // by torch or CUDA
  std::string_view why;
};

// A cause before what follows from it.
constexpr std::array kRefusals = {
    Refusal{"must be captured on a non-default stream",
            "it must be captured on a stream of its own, not on the default one"},
    Refusal{"CUDAGeneratorImpl::", "it asks a random generator for what a graph cannot hold"},
    Refusal{"RNG op during graph capture", "it draws from a random generator unknown to the graph"},
    Refusal{"Cannot copy between CPU and CUDA tensors",
            "it copies between the memory of the host and that of the device"},
    Refusal{"capture use dynamic shapes",
            "a convolution meets a shape it was not warmed up with: a dynamic shape"},
    Refusal{"cannot be graph captured with CPU length tensors",
            "it reads lengths from the memory of the host"},
    Refusal{"Capturing NCCL collectives is only allowed", "its collectives cannot be captured"},
    Refusal{"During CUDA graph capture, autograd",
            "its backward pass belongs to a stream outside of the capture"},
    Refusal{"during CUDA graph capture. If you need this call", "torch lets no graph hold a call"},
    Refusal{"Only one capture at a time", "another capture is under way in this process"},
    Refusal{"already owns a captured graph", "a graph that was captured is captured again"},
    Refusal{"without a preceding successful capture", "what is replayed was never captured"},
    Refusal{"Capture must end on the same stream", "the capture ended on another stream"},
    Refusal{"capture was not ended in the same stream", "the capture ended on another stream"},
    Refusal{"capturing stream has unjoined work",
            "work on another stream was not waited for before the capture ended"},
    Refusal{"dependency created on uncaptured work", "it waits for work outside of the capture"},
    Refusal{"legacy stream depend on a capturing", "it uses the default stream"},
    Refusal{"merge of separate capture sequences", "it joins two captures"},
    Refusal{"event last recorded in a capturing stream", "it asks for an event of the capture"},
    Refusal{"terminate a thread-local capture sequence", "another thread ended the capture"},
    Refusal{"due to a previous error during capture",
            "a call before this one cannot be captured, and nobody said so"},
};

constexpr std::string_view kSynchronised = "operation not permitted when stream is capturing";

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> heads) {
  return std::any_of(heads.begin(), heads.end(),
                     [&](std::string_view head) { return name.starts_with(head); });
}

/// The host waits for the device: what for follows from the operator that did.
std::string why_it_waits(const std::vector<std::string>& path) {
  if (path.empty()) return "it waits for the device";
  const std::string& last = path.back();
  if (starts_with_any(last, {"aten::_local_scalar_dense", "aten::item", "aten::is_nonzero"})) {
    return "it reads a number back from the device, as .item() does";
  }
  if (starts_with_any(last, {"aten::nonzero", "aten::masked_select", "aten::unique",
                             "aten::_unique", "aten::bincount", "aten::repeat_interleave"})) {
    return "the shape of an output depends on the data (" + last + "): a dynamic shape";
  }
  return "it waits for the device (in " + last + ")";
}

}  // namespace

std::optional<std::string> capture_refusal(const std::string& message,
                                           const std::vector<std::string>& path) {
  const auto said = [&](std::string_view words) {
    return message.find(words) != std::string::npos;
  };
  std::string why;
  for (const Refusal& refusal : kRefusals) {
    if (why.empty() && said(refusal.said)) why = refusal.why;
  }
  if (why.empty() && said(kSynchronised)) why = why_it_waits(path);
  if (why.empty()) return std::nullopt;
  return "it cannot be captured: " + why;
}

}  // namespace plumb
