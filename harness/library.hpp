#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// Loads a shared library that registers operators with the PyTorch dispatcher; once per process
/// and file. UsageError, naming file and reason, where that fails or it registers nothing.
void load_library(const std::string& file);

/// The same after a trial in a process of its own, since what a library does when it is loaded may
/// end the process. Call it where no threads run yet.
void load_library_carefully(const std::string& file);

/// Whether a library that was loaded here brought this operator ("mylib::softmax", any overload).
bool is_from_library(std::string_view operator_name);

}  // namespace plumb
