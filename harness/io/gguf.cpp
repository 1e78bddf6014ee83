#include "harness/io/gguf.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "harness/errors.hpp"
#include "harness/io/gguf_parse.hpp"

namespace plumb {
namespace {

template <class T>
T read(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

bool is_integer(std::uint32_t type) {
  return type <= gguf::i32 || type == gguf::u64 || type == gguf::i64;
}

bool is_number(std::uint32_t type) {
  return is_integer(type) || type == gguf::f32 || type == gguf::f64;
}

// Signed types keep their sign in the upper bits.
std::uint64_t integer_at(std::uint32_t type, const std::byte* data) {
  const auto extended = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  switch (type) {
    case gguf::u8: return read<std::uint8_t>(data);
    case gguf::i8: return extended(read<std::int8_t>(data));
    case gguf::u16: return read<std::uint16_t>(data);
    case gguf::i16: return extended(read<std::int16_t>(data));
    case gguf::u32: return read<std::uint32_t>(data);
    case gguf::i32: return extended(read<std::int32_t>(data));
    default: return read<std::uint64_t>(data);
  }
}

bool is_signed(std::uint32_t type) {
  return type == gguf::i8 || type == gguf::i16 || type == gguf::i32 || type == gguf::i64;
}

double number_at(std::uint32_t type, const std::byte* data) {
  if (type == gguf::f32) return read<float>(data);
  if (type == gguf::f64) return read<double>(data);
  const std::uint64_t value = integer_at(type, data);
  return is_signed(type) ? static_cast<double>(static_cast<std::int64_t>(value))
                         : static_cast<double>(value);
}

// A string that starts at `data`, and moves `data` past it.
std::string next_string(const std::byte*& data) {
  const auto length = read<std::uint64_t>(data);
  const auto* text = reinterpret_cast<const char*>(data + sizeof length);
  data += sizeof length + length;
  return {text, length};
}

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

std::string hint(std::string_view given, const std::vector<std::string>& known) {
  const std::string close = nearest(given, known);
  return close.empty() ? "; it holds none" : "; the nearest is " + quote_name(close);
}

}  // namespace

GgufFile::GgufFile(MappedFile file, GgufContents contents)
    : file_(std::move(file)), contents_(std::move(contents)) {}

GgufFile GgufFile::open(const std::filesystem::path& path) {
  MappedFile file = MappedFile::open(path);
  GgufContents contents = parse_gguf(file);
  return {std::move(file), std::move(contents)};
}

std::vector<std::string> GgufFile::keys() const { return keys_of(contents_.values); }

bool GgufFile::has(std::string_view key) const {
  return contents_.values.find(key) != contents_.values.end();
}

void GgufFile::refuse(const std::string& why) const {
  throw InputError(file_.path().string() + ": " + why);
}

const GgufValue& GgufFile::value(std::string_view key, bool array) const {
  const auto found = contents_.values.find(key);
  if (found == contents_.values.end()) {
    refuse("no metadata " + quote_name(key) + hint(key, keys()));
  }
  if (found->second.array == array) return found->second;
  refuse("metadata " + quote_name(key) + (array ? ": expected an array" : ": expected no array"));
}

std::uint64_t GgufFile::u64(std::string_view key) const {
  const GgufValue& found = value(key, false);
  const bool integer = is_integer(found.type);
  const std::uint64_t number = integer ? integer_at(found.type, found.data.data()) : 0;
  const bool negative = is_signed(found.type) && static_cast<std::int64_t>(number) < 0;
  if (integer && !negative) return number;
  refuse("metadata " + quote_name(key) + ": expected an integer that is not negative");
}

double GgufFile::f64(std::string_view key) const {
  const GgufValue& found = value(key, false);
  if (is_number(found.type)) return number_at(found.type, found.data.data());
  refuse("metadata " + quote_name(key) + ": expected a number");
}

bool GgufFile::boolean(std::string_view key) const {
  const GgufValue& found = value(key, false);
  if (found.type == gguf::boolean) return read<std::uint8_t>(found.data.data()) != 0;
  refuse("metadata " + quote_name(key) + ": expected a bool");
}

std::string GgufFile::string(std::string_view key) const {
  const GgufValue& found = value(key, false);
  const std::byte* data = found.data.data();
  if (found.type == gguf::string) return next_string(data);
  refuse("metadata " + quote_name(key) + ": expected a string");
}

std::vector<std::string> GgufFile::strings(std::string_view key) const {
  const GgufValue& found = value(key, true);
  if (found.type != gguf::string) {
    refuse("metadata " + quote_name(key) + ": expected an array of strings");
  }
  std::vector<std::string> strings;
  const std::byte* data = found.data.data();
  for (std::uint64_t i = 0; i < found.count; ++i) strings.push_back(next_string(data));
  return strings;
}

std::vector<double> GgufFile::numbers(std::string_view key) const {
  const GgufValue& found = value(key, true);
  if (!is_number(found.type)) {
    refuse("metadata " + quote_name(key) + ": expected an array of numbers");
  }
  std::vector<double> numbers;
  const std::size_t step = gguf_value_bytes(found.type);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    numbers.push_back(number_at(found.type, found.data.data() + i * step));
  }
  return numbers;
}

const GgufTensor* GgufFile::find(std::string_view name) const {
  const auto found = contents_.places.find(name);
  return found == contents_.places.end() ? nullptr : &contents_.tensors[found->second];
}

const GgufTensor& GgufFile::at(std::string_view name) const {
  if (const GgufTensor* tensor = find(name)) return *tensor;
  refuse("no tensor " + quote_name(name) + hint(name, keys_of(contents_.places)));
}

void GgufFile::decode_row_major(const GgufTensor& tensor, std::span<float> out) const {
  const GgufType& type = *tensor.type;
  if (out.size() != tensor.elements) {
    throw std::invalid_argument("decode_row_major: the output has " + std::to_string(out.size()) +
                                " places, the tensor " + std::to_string(tensor.elements));
  }
  if (type.decode == nullptr) {
    refuse("tensor " + quote_name(tensor.name) + ": type " + std::string(type.name) +
           " cannot be decoded");
  }
  if (out.empty()) return;
  type.decode(tensor.data.data(), tensor.elements / type.elements, out.data());
}

}  // namespace plumb
