#include "harness/frame.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/socket.h>
#include <unistd.h>

namespace plumb {
namespace {

bool write_all(int fd, const std::uint8_t* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = send(fd, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool read_all(int fd, std::uint8_t* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = read(fd, data, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool write_frame(int fd, const Json& json) {
  const std::vector<std::uint8_t> body = Json::to_msgpack(json);
  std::vector<std::uint8_t> frame(8 + body.size());
  for (int i = 0; i < 8; ++i) frame[i] = static_cast<std::uint8_t>(body.size() >> (8 * i));
  std::copy(body.begin(), body.end(), frame.begin() + 8);
  return write_all(fd, frame.data(), frame.size());
}

std::optional<Json> read_frame(int fd) {
  std::uint8_t header[8];
  if (!read_all(fd, header, sizeof header)) return std::nullopt;
  std::uint64_t bytes = 0;
  for (int i = 0; i < 8; ++i) bytes |= static_cast<std::uint64_t>(header[i]) << (8 * i);
  if (bytes > (std::uint64_t{1} << 31)) return std::nullopt;
  std::vector<std::uint8_t> body(bytes);
  if (!read_all(fd, body.data(), body.size())) return std::nullopt;
  Json json = Json::from_msgpack(body, /*strict=*/true, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

}  // namespace plumb
