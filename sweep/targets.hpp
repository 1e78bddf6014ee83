#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>

namespace plumb {

/// An operator of the dispatcher as a sweep sees it.
struct Target {
  std::string name;  // with overload
  c10::OperatorHandle handle;
  std::optional<std::string> why_not;  // why no inputs are made for it
};

/// "softmax.int" of "aten::softmax.int"
std::string short_name(const std::string& op);

/// Operators whose name, with or without overload, matches one of the patterns (all of `aten` when
/// there is none), in alphabetical order.
std::vector<Target> targets(const std::vector<std::string>& patterns);

/// Throws UsageError for a pattern that no operator matches, with the nearest name.
[[noreturn]] void refuse_unmatched(const std::string& pattern);

}  // namespace plumb
