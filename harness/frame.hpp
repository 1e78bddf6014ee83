#pragma once

#include <optional>
#include <string>

#include "harness/result.hpp"

namespace plumb {

/// A message over a socket: eight bytes of length, then JSON. False when the other end is gone.
bool write_frame(int fd, const Json& json);

/// Waits for one frame; empty at end of stream or on a broken frame.
std::optional<Json> read_frame(int fd);

/// Collects a frame from a peer that is not trusted: it never waits, and takes memory for what has
/// arrived, not for what the length announces.
class FrameReader {
 public:
  enum class Arrival { nothing, frame, end, broken };

  /// Takes what is there, up to the end of one frame, which it puts in `frame`.
  Arrival receive(int fd, Json& frame);

 private:
  Arrival parse(Json& frame);

  std::string bytes_;  // header and body so far
};

}  // namespace plumb
