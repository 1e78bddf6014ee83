#include "harness/frame.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

#include "harness/errors.hpp"
#include "harness/json_fields.hpp"

namespace plumb {
namespace {

constexpr std::size_t kHeader = sizeof(std::uint64_t);
constexpr std::uint64_t kLargestBody = std::uint64_t{1} << 26;  // parsed it is ten times as large
constexpr std::size_t kChunk = std::size_t{1} << 20;

bool write_all(int fd, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = send(fd, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

bool write_frame(int fd, const Json& json) {
  // A message of a case may hold any bytes.
  const std::string body = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::uint64_t length = body.size();
  std::string frame(kHeader, '\0');
  std::memcpy(frame.data(), &length, kHeader);
  frame += body;
  return write_all(fd, frame.data(), frame.size());
}

std::optional<Json> read_frame(int fd) {
  FrameReader reader;
  Json frame;
  for (;;) {
    switch (reader.receive(fd, frame)) {
      case FrameReader::Arrival::frame: return frame;
      case FrameReader::Arrival::nothing: {
        pollfd waiting{fd, POLLIN, 0};
        poll(&waiting, 1, -1);
        break;
      }
      default: return std::nullopt;
    }
  }
}

FrameReader::Arrival FrameReader::receive(int fd, Json& frame) {
  for (;;) {
    std::uint64_t wanted = kHeader;
    if (bytes_.size() >= kHeader) {
      std::uint64_t length = 0;
      std::memcpy(&length, bytes_.data(), kHeader);
      if (length > kLargestBody) return Arrival::broken;
      wanted += length;
      if (bytes_.size() == wanted) return parse(frame);
    }
    const std::size_t had = bytes_.size();
    bytes_.resize(had + std::min<std::size_t>(kChunk, wanted - had));
    const ssize_t got = recv(fd, bytes_.data() + had, bytes_.size() - had, MSG_DONTWAIT);
    const int why = errno;
    bytes_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got > 0 || (got < 0 && why == EINTR)) continue;
    return got < 0 && why == EAGAIN ? Arrival::nothing : Arrival::end;
  }
}

FrameReader::Arrival FrameReader::parse(Json& frame) {
  try {
    frame = parse_json(std::string_view(bytes_).substr(kHeader), "frame");
  } catch (const InputError&) {
    return Arrival::broken;
  }
  bytes_.clear();
  return frame.is_object() ? Arrival::frame : Arrival::broken;
}

}  // namespace plumb
