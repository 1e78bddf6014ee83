#pragma once

#include <optional>

#include "harness/result.hpp"

namespace plumb {

/// Length-prefixed MessagePack over a socket.
bool write_frame(int fd, const Json& json);

/// Empty at end of stream or on a broken frame.
std::optional<Json> read_frame(int fd);

}  // namespace plumb
