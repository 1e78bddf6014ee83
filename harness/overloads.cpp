#include "harness/overloads.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace plumb {
namespace {

std::vector<c10::OperatorHandle> listed(const std::string& base) {
  auto& dispatcher = c10::Dispatcher::singleton();
  std::vector<c10::OperatorHandle> found;
  for (const auto& key : dispatcher.getAllOpNames()) {
    if (key.name != base || key.overload_name.ends_with("out")) continue;
    if (const auto handle = dispatcher.findSchema(key)) found.push_back(*handle);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.operator_name().overload_name < b.operator_name().overload_name;
  });
  return found;
}

}  // namespace

std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

std::optional<c10::OperatorHandle> operator_named(const std::string& full_name) {
  const auto dot = full_name.find('.');
  return c10::Dispatcher::singleton().findSchema(
      {full_name.substr(0, dot), dot == std::string::npos ? "" : full_name.substr(dot + 1)});
}

std::vector<c10::OperatorHandle> overloads_of(const std::string& base) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<c10::OperatorHandle>> known;
  const std::lock_guard lock(mutex);
  if (const auto place = known.find(base); place != known.end()) return place->second;
  std::vector<c10::OperatorHandle> found = listed(base);
  if (!found.empty()) known.emplace(base, found);
  return found;
}

}  // namespace plumb
