#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb {

/// A parameter or buffer of a model, and the device it really is on. Devices are words: "cpu",
/// "disk" (its weights sit on torch's `meta`), or an accelerator id such as "0". Several ids may
/// share one real device; then the word is all that tells them apart.
struct PlacedTensor {
  enum class Kind { parameter, buffer, transient };  // transient: a buffer no checkpoint holds

  std::string name;  // "blocks.1.attn.causal"
  at::Tensor tensor;
  Kind kind = Kind::parameter;
  std::string device = "cpu";
};

/// Which module belongs on which device, by accelerate's rules: a key covers the module of that
/// name and all below it, "" covers everything, the longest covering key decides.
class DeviceMap {
 public:
  using Entry = std::pair<std::string, std::string>;

  DeviceMap(std::initializer_list<Entry> entries) : entries_(entries) {}

  const std::vector<Entry>& entries() const { return entries_; }

  /// Where "disk" keeps its weights.
  std::string offload_folder;

  /// Empty where no key covers the name.
  std::optional<std::string> find(std::string_view name) const;

  /// Raises c10::Error where no key covers the name.
  std::string device_of(const std::string& name) const;

  /// The device of a key that is exactly this module; only such modules move their inputs.
  std::optional<std::string> hook(std::string_view module) const;

 private:
  std::vector<Entry> entries_;
};

/// One broken rule, in accelerate's words where it has any.
struct MapFinding {
  std::string rule;  // "unknown-key", "uncovered", "tied", "offload-folder", "split", "placement"
  std::string text;
};

/// Every module path among tensor names: "" and "blocks", "blocks.1", "blocks.1.attn" …
std::vector<std::string> module_paths(const std::vector<PlacedTensor>& tensors);

/// What is wrong with the map itself. `unsplittable` modules hold a residual connection, so that
/// all below them must share a device. Names of one tensor are tied.
std::vector<MapFinding> check_map(const DeviceMap& map, const std::vector<PlacedTensor>& tensors,
                                  const std::vector<std::string>& unsplittable);

/// Declared against actual device, parameters and buffers alike. accelerate's own check walks
/// state_dict(), which leaves transient buffers out.
std::vector<MapFinding> check_placement(const DeviceMap& map,
                                        const std::vector<PlacedTensor>& tensors);

}  // namespace plumb
