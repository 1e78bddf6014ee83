#include "harness/io/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include <nlohmann/json.hpp>

#include "harness/atomic_file.hpp"
#include "harness/errors.hpp"

namespace plumb {
namespace {

// Where the data begins is a multiple of this, and so is each tensor's place up to its own width.
constexpr std::size_t kAlignment = 8;

using Entries = std::vector<const SafetensorsEntry*>;

[[noreturn]] void refuse(const std::filesystem::path& path, const SafetensorsEntry& entry,
                         const std::string& why) {
  throw InputError(path.string() + ": tensor " + quote_name(entry.name) + ": " + why);
}

// The widest first, so that all are aligned; then by name, so that the order given does not matter.
Entries in_file_order(std::span<const SafetensorsEntry> entries) {
  Entries ordered;
  for (const SafetensorsEntry& entry : entries) ordered.push_back(&entry);
  const auto key = [](const SafetensorsEntry* entry) {
    return std::tuple(-safetensors_bits(entry->dtype), std::string_view(entry->name));
  };
  std::sort(ordered.begin(), ordered.end(),
            [&key](const auto* a, const auto* b) { return key(a) < key(b); });
  return ordered;
}

void check(const std::filesystem::path& path, const SafetensorsEntry& entry) {
  auto bits = static_cast<std::uint64_t>(safetensors_bits(entry.dtype));
  if (bits == 0)
    refuse(path, entry, "dtype " + quote_name(entry.dtype) + " is not one of the format's");
  for (const std::int64_t extent : entry.shape) {
    if (extent < 0 || __builtin_mul_overflow(bits, static_cast<std::uint64_t>(extent), &bits)) {
      refuse(path, entry, "shape: expected extents whose product fits in 64 bits");
    }
  }
  if (bits % 8 == 0 && bits / 8 == entry.bytes.size()) return;
  refuse(path, entry,
         "dtype and shape need " + std::to_string(bits) + " bits, given are " +
             std::to_string(entry.bytes.size()) + " bytes");
}

std::string header_of(const std::filesystem::path& path, const Entries& entries) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::size_t begin = 0;
  for (const SafetensorsEntry* entry : entries) {
    check(path, *entry);
    const bool reserved = entry->name == "__metadata__";
    if (reserved || header.contains(entry->name)) refuse(path, *entry, "the name is taken");
    const std::size_t end = begin + entry->bytes.size();
    header[entry->name] = {
        {"dtype", entry->dtype}, {"shape", entry->shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path,
                       std::span<const SafetensorsEntry> entries) {
  const Entries ordered = in_file_order(entries);
  const std::string header = header_of(path, ordered);
  const std::uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  file += header;
  for (const SafetensorsEntry* entry : ordered) {
    file.append(reinterpret_cast<const char*>(entry->bytes.data()), entry->bytes.size());
  }
  write_file_atomically(path, file);
}

}  // namespace plumb
