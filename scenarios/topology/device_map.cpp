#include "scenarios/topology/device_map.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "harness/text.hpp"

namespace plumb {
namespace {

bool covers(std::string_view key, std::string_view name) {
  if (key.empty() || key == name) return true;
  return name.size() > key.size() && name.starts_with(key) && name[key.size()] == '.';
}

std::string quoted_list(const std::vector<std::string>& names) {
  const std::string list = joined(names, "', '");
  return "['" + list + "']";
}

void check_keys(const DeviceMap& map, const std::vector<PlacedTensor>& tensors,
                std::vector<MapFinding>& findings) {
  const auto modules = module_paths(tensors);
  std::vector<std::string> unknown;
  for (const auto& [key, device] : map.entries()) {
    if (std::find(modules.begin(), modules.end(), key) == modules.end()) unknown.push_back(key);
  }
  if (unknown.empty()) return;
  findings.push_back({"unknown-key",
                      "The following device_map keys do not match any submodules in "
                      "the model: " +
                          quoted_list(unknown)});
}

void check_coverage(const DeviceMap& map, const std::vector<PlacedTensor>& tensors,
                    std::vector<MapFinding>& findings) {
  std::vector<std::string> uncovered;
  for (const PlacedTensor& tensor : tensors) {
    if (!map.find(tensor.name)) uncovered.push_back(tensor.name);
  }
  if (uncovered.empty()) return;
  findings.push_back({"uncovered",
                      "The device_map provided does not give any device for the "
                      "following parameters: " +
                          joined(uncovered, ", ")});
}

void check_offload(const DeviceMap& map, std::vector<MapFinding>& findings) {
  std::vector<std::string> offloaded;
  for (const auto& [key, device] : map.entries()) {
    if (device == "disk") offloaded.push_back(key);
  }
  if (offloaded.empty() || !map.offload_folder.empty()) return;
  findings.push_back({"offload-folder",
                      "We need an `offload_dir` to dispatch this model according to this "
                      "`device_map`, the following submodules need to be offloaded: " +
                          joined(offloaded, ", ") + "."});
}

/// "lm_head.weight: 1, wte.weight: 0"; empty where all are on one device.
std::string devices_if_apart(const DeviceMap& map, const std::vector<std::string>& names) {
  std::set<std::string> devices;
  std::vector<std::string> places;
  for (const std::string& name : names) {
    const std::string device = map.find(name).value_or("none");
    devices.insert(device);
    places.push_back(name + ": " + device);
  }
  return devices.size() > 1 ? joined(places, ", ") : "";
}

void check_tied(const DeviceMap& map, const std::vector<PlacedTensor>& tensors,
                std::vector<MapFinding>& findings) {
  std::map<const void*, std::vector<std::string>> names_of;
  for (const PlacedTensor& tensor : tensors) {
    names_of[tensor.tensor.unsafeGetTensorImpl()].push_back(tensor.name);
  }
  for (const auto& [impl, names] : names_of) {
    const std::string apart = devices_if_apart(map, names);
    if (apart.empty()) continue;
    findings.push_back({"tied", "Tied parameters are on different devices: {" + apart +
                                    "}. Please modify your custom device map or set "
                                    "`device_map='auto'`."});
  }
}

void check_splits(const DeviceMap& map, const std::vector<PlacedTensor>& tensors,
                  const std::vector<std::string>& unsplittable, std::vector<MapFinding>& findings) {
  for (const std::string& module : unsplittable) {
    std::set<std::string> devices;
    for (const PlacedTensor& tensor : tensors) {
      if (covers(module, tensor.name)) devices.insert(map.find(tensor.name).value_or("none"));
    }
    if (devices.size() < 2) continue;
    findings.push_back({"split", "the residual block " + module + " is split over devices " +
                                     joined({devices.begin(), devices.end()}, ", ")});
  }
}

}  // namespace

std::optional<std::string> DeviceMap::find(std::string_view name) const {
  const Entry* best = nullptr;
  for (const Entry& entry : entries_) {
    if (!covers(entry.first, name)) continue;
    if (best == nullptr || entry.first.size() > best->first.size()) best = &entry;
  }
  return best == nullptr ? std::nullopt : std::optional(best->second);
}

std::string DeviceMap::device_of(const std::string& name) const {
  const auto device = find(name);
  TORCH_CHECK(device, "The `device_map` does not contain the module ", name, ".");
  return *device;
}

std::optional<std::string> DeviceMap::hook(std::string_view module) const {
  for (const auto& [key, device] : entries_) {
    if (key == module) return device;
  }
  return std::nullopt;
}

std::vector<std::string> module_paths(const std::vector<PlacedTensor>& tensors) {
  std::set<std::string> paths = {""};
  for (const PlacedTensor& tensor : tensors) {
    for (auto dot = tensor.name.find('.'); dot != std::string::npos;
         dot = tensor.name.find('.', dot + 1)) {
      paths.insert(tensor.name.substr(0, dot));
    }
  }
  return {paths.begin(), paths.end()};
}

std::vector<MapFinding> check_map(const DeviceMap& map, const std::vector<PlacedTensor>& tensors,
                                  const std::vector<std::string>& unsplittable) {
  std::vector<MapFinding> findings;
  check_keys(map, tensors, findings);
  check_coverage(map, tensors, findings);
  check_offload(map, findings);
  check_tied(map, tensors, findings);
  check_splits(map, tensors, unsplittable, findings);
  return findings;
}

std::vector<MapFinding> check_placement(const DeviceMap& map,
                                        const std::vector<PlacedTensor>& tensors) {
  std::vector<MapFinding> findings;
  for (const PlacedTensor& tensor : tensors) {
    const std::string declared = map.find(tensor.name).value_or("none");
    if (declared == tensor.device) continue;
    const bool parameter = tensor.kind == PlacedTensor::Kind::parameter;
    findings.push_back({"placement", std::string(parameter ? "parameter " : "buffer ") +
                                         tensor.name + " is declared on " + declared +
                                         " and is on " + tensor.device});
  }
  return findings;
}

}  // namespace plumb
