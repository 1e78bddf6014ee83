#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/inputs.hpp"
#include "scenarios/draws.hpp"
#include "scenarios/topology/device_map.hpp"

namespace plumb {

/// Tensors of two virtual devices met in one operator. Real devices raise torch's own error.
struct WrongDevice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A language model of two pre-norm transformer blocks with tied embedding and head, whose parts
/// live on the devices of a map.
class PlacedTransformer {
 public:
  /// `accelerator` stands for every numbered device.
  PlacedTransformer(std::vector<PlacedTensor> tensors, DeviceMap map, c10::Device accelerator);

  /// Its weights and buffers by name, and "tokens".
  static Inputs make_inputs(Draws& draws);

  /// The tensors of such inputs, all on "cpu".
  static std::vector<PlacedTensor> tensors_of(const Inputs& inputs);

  static std::vector<std::string> residual_blocks() { return {"blocks.0", "blocks.1"}; }

  /// Puts every tensor where `map` says; what it does not cover stays.
  void dispatch(const DeviceMap& map);

  /// Moves one tensor, against the map.
  void misplace(const std::string& name, const std::string& device);

  const std::vector<PlacedTensor>& tensors() const { return tensors_; }

  /// Logits. A module that is a key of the map moves its input to its device, like accelerate's
  /// hooks; nothing else moves.
  at::Tensor logits(const at::Tensor& tokens) const;

 private:
  struct Value {
    at::Tensor tensor;
    std::string device;
  };

  c10::Device real_device(const std::string& device) const;
  void place(PlacedTensor& tensor, const std::string& device) const;
  Value weight(const std::string& name) const;
  Value enter(const std::string& module, Value x) const;
  Value apply(const std::string& module, const std::vector<Value>& operands,
              const std::function<at::Tensor(const std::vector<Value>&)>& op) const;
  Value norm(const std::string& module, const Value& x) const;
  Value linear(const std::string& module, const Value& x) const;
  Value embed(const std::string& module, const Value& ids) const;
  Value add(const std::string& module, const Value& a, const Value& b) const;
  Value attention(const std::string& module, const Value& x) const;
  Value block(const std::string& module, Value x) const;

  std::vector<PlacedTensor> tensors_;
  DeviceMap map_;
  c10::Device accelerator_;
};

}  // namespace plumb
