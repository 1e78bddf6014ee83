#include "scenarios/topology/placed_transformer.hpp"

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

constexpr std::int64_t kVocabulary = 96;
constexpr std::int64_t kLength = 24;
constexpr std::int64_t kWidth = 48;
constexpr std::int64_t kHeads = 4;

}  // namespace

PlacedTransformer::PlacedTransformer(std::vector<PlacedTensor> tensors, DeviceMap map,
                                     c10::Device accelerator)
    : tensors_(std::move(tensors)), map_(std::move(map)), accelerator_(accelerator) {}

Inputs PlacedTransformer::make_inputs(Draws& draws) {
  const auto matrix = [&](std::int64_t out, std::int64_t in) {
    return draws.normal({out, in}) / std::sqrt(double(in));
  };
  const at::Tensor embedding = draws.normal({kVocabulary, kWidth}) / 4;
  const at::Tensor ones = at::ones({kWidth}, embedding.options());
  Inputs inputs = {{"wte.weight", embedding}, {"wpe.weight", matrix(kLength, kWidth)}};
  for (const std::string& block : residual_blocks()) {
    for (const char* norm : {".ln_1", ".ln_2"}) {
      inputs.set(block + norm + ".weight", ones.clone());
      inputs.set(block + norm + ".bias", at::zeros_like(ones));
    }
    inputs.set(block + ".attn.qkv.weight", matrix(3 * kWidth, kWidth));
    inputs.set(block + ".attn.out.weight", matrix(kWidth, kWidth));
    inputs.set(block + ".attn.causal",
               at::ones({kLength, kLength}, embedding.options().dtype(at::kBool)).tril());
    inputs.set(block + ".mlp.up.weight", matrix(4 * kWidth, kWidth));
    inputs.set(block + ".mlp.down.weight", matrix(kWidth, 4 * kWidth));
  }
  inputs.set("ln_f.weight", ones.clone());
  inputs.set("ln_f.bias", at::zeros_like(ones));
  inputs.set("lm_head.weight", embedding);
  inputs.set("tokens", draws.integers(0, kVocabulary, {kLength}));
  return inputs;
}

std::vector<PlacedTensor> PlacedTransformer::tensors_of(const Inputs& inputs) {
  std::vector<PlacedTensor> tensors;
  for (const Inputs::Argument& argument : inputs) {
    if (argument.name == "tokens") continue;
    const bool mask = argument.name.ends_with(".causal");
    tensors.push_back({argument.name, argument.value.toTensor(),
                       mask ? PlacedTensor::Kind::transient : PlacedTensor::Kind::parameter,
                       "cpu"});
  }
  return tensors;
}

c10::Device PlacedTransformer::real_device(const std::string& device) const {
  if (device == "disk") return c10::Device(c10::kMeta);
  if (device == "cpu") return c10::Device(c10::kCPU);
  return accelerator_;
}

void PlacedTransformer::place(PlacedTensor& tensor, const std::string& device) const {
  tensor.device = device;
  tensor.tensor = tensor.tensor.to(real_device(device));
}

void PlacedTransformer::dispatch(const DeviceMap& map) {
  for (PlacedTensor& tensor : tensors_) {
    if (const auto device = map.find(tensor.name)) place(tensor, *device);
  }
}

void PlacedTransformer::misplace(const std::string& name, const std::string& device) {
  for (PlacedTensor& tensor : tensors_) {
    if (tensor.name == name) place(tensor, device);
  }
}

PlacedTransformer::Value PlacedTransformer::weight(const std::string& name) const {
  const auto found = std::find_if(tensors_.begin(), tensors_.end(),
                                  [&](const PlacedTensor& t) { return t.name == name; });
  TORCH_CHECK(found != tensors_.end(), "the model has no tensor ", name);
  return {found->tensor, found->device};
}

PlacedTransformer::Value PlacedTransformer::enter(const std::string& module, Value x) const {
  const auto device = map_.hook(module);
  if (!device || *device == "disk") return x;  // a disk hook computes where its input is
  return {x.tensor.to(real_device(*device)), *device};
}

/// torch cannot tell virtual devices apart, so words are compared where the real devices agree;
/// where they differ, torch itself has to notice.
PlacedTransformer::Value PlacedTransformer::apply(
    const std::string& module, const std::vector<Value>& operands,
    const std::function<at::Tensor(const std::vector<Value>&)>& op) const {
  const Value& first = operands.front();
  for (const Value& other : operands) {
    if (other.device == first.device || other.tensor.device() != first.tensor.device()) continue;
    throw WrongDevice(
        "Expected all tensors to be on the same device, but found at least two "
        "devices, " +
        first.device + " and " + other.device + "! (in " + module + ")");
  }
  return {op(operands), first.device};
}

PlacedTransformer::Value PlacedTransformer::norm(const std::string& module, const Value& x) const {
  return apply(module, {enter(module, x), weight(module + ".weight"), weight(module + ".bias")},
               [](const std::vector<Value>& v) {
                 return at::layer_norm(v[0].tensor, {kWidth}, v[1].tensor, v[2].tensor);
               });
}

PlacedTransformer::Value PlacedTransformer::linear(const std::string& module,
                                                   const Value& x) const {
  return apply(module, {enter(module, x), weight(module + ".weight")},
               [](const std::vector<Value>& v) { return at::linear(v[0].tensor, v[1].tensor); });
}

PlacedTransformer::Value PlacedTransformer::embed(const std::string& module,
                                                  const Value& ids) const {
  return apply(module, {enter(module, ids), weight(module + ".weight")},
               [](const std::vector<Value>& v) { return at::embedding(v[1].tensor, v[0].tensor); });
}

PlacedTransformer::Value PlacedTransformer::add(const std::string& module, const Value& a,
                                                const Value& b) const {
  return apply(module, {a, b},
               [](const std::vector<Value>& v) { return v[0].tensor + v[1].tensor; });
}

PlacedTransformer::Value PlacedTransformer::attention(const std::string& module,
                                                      const Value& x) const {
  const Value qkv = linear(module + ".qkv", enter(module, x));
  const Value mixed = apply(module, {qkv, weight(module + ".causal")}, [](const auto& v) {
    // [length, 3 * width] -> three of [heads, length, width / heads]
    const auto parts =
        v[0].tensor.view({kLength, 3, kHeads, kWidth / kHeads}).permute({1, 2, 0, 3}).unbind(0);
    const at::Tensor scores = parts[0].matmul(parts[1].mT()) / std::sqrt(kWidth / double(kHeads));
    const at::Tensor masked = scores.masked_fill(v[1].tensor.logical_not(), -INFINITY);
    return masked.softmax(-1).matmul(parts[2]).transpose(0, 1).reshape({kLength, kWidth});
  });
  return linear(module + ".out", mixed);
}

PlacedTransformer::Value PlacedTransformer::block(const std::string& module, Value x) const {
  x = enter(module, x);
  x = add(module, x, attention(module + ".attn", norm(module + ".ln_1", x)));
  Value h = enter(module + ".mlp", norm(module + ".ln_2", x));
  h = linear(module + ".mlp.up", h);
  h.tensor = at::gelu(h.tensor);
  return add(module, x, linear(module + ".mlp.down", h));
}

at::Tensor PlacedTransformer::logits(const at::Tensor& tokens) const {
  const Value ids = {tokens.to(real_device(map_.device_of("wte"))), map_.device_of("wte")};
  const Value positions = {at::arange(kLength, ids.tensor.options()), ids.device};
  Value x = add("embedding", embed("wte", ids), embed("wpe", positions));
  for (const std::string& module : residual_blocks()) x = block(module, x);
  return linear("lm_head", norm("ln_f", x)).tensor;
}

}  // namespace plumb
