#pragma once

#include <exception>
#include <string>

namespace plumb {

/// What an exception says to a person: its first line, without torch's backtrace and hints.
std::string message_of(const std::exception& error);

/// Whether memory could not be had: std::bad_alloc, c10::OutOfMemoryError, or what torch's CPU
/// allocator says instead.
bool is_out_of_memory(const std::exception& error);

/// Whether torch has no kernel for these types.
bool is_missing_kernel(const std::exception& error);

}  // namespace plumb
