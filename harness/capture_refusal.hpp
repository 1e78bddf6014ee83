#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plumb {

/// Why a program cannot be captured as a CUDA graph, in words, from what torch or CUDA said when it
/// was tried, and the operators that had started by then. Empty where the message says something
/// else: then it is an error like any other.
std::optional<std::string> capture_refusal(const std::string& message,
                                           const std::vector<std::string>& path);

}  // namespace plumb
