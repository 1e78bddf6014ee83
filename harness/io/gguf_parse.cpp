#include "harness/io/gguf_parse.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "harness/errors.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kMostDimensions = 4;
constexpr std::uint64_t kLongestName = 64;
constexpr int kDeepestArray = 3;
// A key, a type and one byte of value; a name, no dimension, a type and an offset.
constexpr std::uint64_t kShortestValue = 8 + 4 + 1;
constexpr std::uint64_t kShortestTensor = 8 + 4 + 4 + 8;

// Reads forward through the bytes; whoever reads says what, for the complaint.
class Cursor {
 public:
  explicit Cursor(const MappedFile& file) : file_(file) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(file_.path().string() + ": " + why);
  }

  std::size_t place() const { return place_; }
  std::uint64_t remaining() const { return file_.bytes().size() - place_; }
  std::span<const std::byte> since(std::size_t begin) const {
    return file_.bytes().subspan(begin, place_ - begin);
  }

  std::span<const std::byte> take(std::uint64_t size, const std::string& what) {
    if (size > remaining()) {
      refuse(what + " needs " + std::to_string(size) + " bytes at byte " + std::to_string(place_) +
             ", but the file ends after " + std::to_string(remaining()));
    }
    const std::span<const std::byte> bytes = file_.bytes().subspan(place_, size);
    place_ += size;
    return bytes;
  }

  template <class T>
  T number(const std::string& what) {
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  std::string string(const std::string& what) {
    const auto length = number<std::uint64_t>(what + " length");
    const std::span<const std::byte> bytes = take(length, what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  // A count of things of at least `least` bytes each, which the rest of the file has room for.
  std::uint64_t count(const std::string& what, std::uint64_t least) {
    const auto count = number<std::uint64_t>(what);
    check_room(what, count, least);
    return count;
  }

  void check_room(const std::string& what, std::uint64_t count, std::uint64_t least) const {
    if (count <= remaining() / least) return;
    refuse(what + " " + std::to_string(count) + " is larger than the file has room for (" +
           std::to_string(remaining()) + " bytes left)");
  }

 private:
  const MappedFile& file_;
  std::size_t place_ = 0;
};

// Moves past one value of that type, or past `count` of them in an array.
void skip_array(Cursor& cursor, const std::string& what, int depth);

void skip_values(Cursor& cursor, std::uint32_t type, std::uint64_t count, const std::string& what,
                 int depth) {
  const std::size_t bytes = gguf_value_bytes(type);
  if (bytes > 0) {
    cursor.check_room(what + " count", count, bytes);
    cursor.take(count * bytes, what);
  } else if (type == gguf::string) {
    cursor.check_room(what + " count", count, sizeof(std::uint64_t));
    for (std::uint64_t i = 0; i < count; ++i) {
      cursor.take(cursor.number<std::uint64_t>(what + " length"), what);
    }
  } else if (type == gguf::array) {
    cursor.check_room(what + " count", count, sizeof(std::uint32_t) + sizeof(std::uint64_t));
    for (std::uint64_t i = 0; i < count; ++i) skip_array(cursor, what, depth + 1);
  } else {
    cursor.refuse(what + " has type " + std::to_string(type) + ", expected 0 to 12");
  }
}

void skip_array(Cursor& cursor, const std::string& what, int depth) {
  if (depth > kDeepestArray) {
    cursor.refuse(what + " nests arrays deeper than " + std::to_string(kDeepestArray));
  }
  const auto type = cursor.number<std::uint32_t>(what + " element type");
  const auto count = cursor.number<std::uint64_t>(what + " count");
  skip_values(cursor, type, count, what, depth);
}

GgufValue read_value(Cursor& cursor, const std::string& what) {
  GgufValue value{.type = cursor.number<std::uint32_t>(what + " type")};
  value.array = value.type == gguf::array;
  if (value.array) {
    value.type = cursor.number<std::uint32_t>(what + " element type");
    value.count = cursor.number<std::uint64_t>(what + " count");
  }
  const std::size_t begin = cursor.place();
  skip_values(cursor, value.type, value.count, what, 1);
  value.data = cursor.since(begin);
  return value;
}

// A tensor as declared; where its data lie is known once the header has ended.
struct Declared {
  GgufTensor tensor;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

std::uint64_t bytes_of(const Cursor& cursor, const std::string& what, const GgufTensor& tensor) {
  const auto row = tensor.shape.empty() ? 1 : static_cast<std::uint64_t>(tensor.shape.back());
  if (row % tensor.type->elements != 0) {
    cursor.refuse(what + " has rows of " + std::to_string(row) +
                  " elements, expected a multiple of " + std::to_string(tensor.type->elements) +
                  " for " + std::string(tensor.type->name));
  }
  std::uint64_t bytes = 0;
  const std::uint64_t blocks = tensor.elements / tensor.type->elements;
  if (__builtin_mul_overflow(blocks, tensor.type->bytes, &bytes)) {
    cursor.refuse(what + " has a size that does not fit in 64 bits");
  }
  return bytes;
}

void read_shape(Cursor& cursor, const std::string& what, GgufTensor& tensor) {
  const auto dimensions = cursor.number<std::uint32_t>(what + " dimension count");
  if (dimensions > kMostDimensions) {
    cursor.refuse(what + " has " + std::to_string(dimensions) + " dimensions, expected at most 4");
  }
  tensor.elements = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const auto extent = cursor.number<std::uint64_t>(what + " dimension");
    const bool overflows = __builtin_mul_overflow(tensor.elements, extent, &tensor.elements);
    if (overflows || extent > std::numeric_limits<std::int64_t>::max()) {
      cursor.refuse(what + " has dimensions whose product does not fit in 64 bits");
    }
    tensor.shape.push_back(static_cast<std::int64_t>(extent));
  }
  std::reverse(tensor.shape.begin(), tensor.shape.end());
}

Declared read_tensor(Cursor& cursor) {
  Declared declared;
  GgufTensor& tensor = declared.tensor;
  tensor.name = cursor.string("tensor name");
  const std::string what = "tensor " + quote_name(tensor.name);
  if (tensor.name.size() > kLongestName) {
    cursor.refuse(what + " has a name of " + std::to_string(tensor.name.size()) +
                  " bytes, expected at most 64");
  }
  read_shape(cursor, what, tensor);
  const auto type = cursor.number<std::uint32_t>(what + " type");
  tensor.type = gguf_type(type);
  if (tensor.type == nullptr) cursor.refuse(what + " has unknown type " + std::to_string(type));
  declared.offset = cursor.number<std::uint64_t>(what + " offset");
  declared.bytes = bytes_of(cursor, what, tensor);
  return declared;
}

std::uint64_t alignment_of(const Cursor& cursor, const GgufContents& contents) {
  const auto found = contents.values.find("general.alignment");
  if (found == contents.values.end()) return 32;
  std::uint32_t alignment = 0;
  const bool number = found->second.type == gguf::u32 && !found->second.array;
  if (number) std::memcpy(&alignment, found->second.data.data(), sizeof alignment);
  if (!std::has_single_bit(alignment)) {
    cursor.refuse("general.alignment: expected a power of two of type u32");
  }
  return alignment;
}

// Gives every tensor its bytes, and checks that no two share any.
void place_data(const Cursor& cursor, const MappedFile& file, std::vector<Declared>& declared,
                std::uint64_t alignment) {
  const std::uint64_t past = alignment - 1;  // a power of two: remainders are masks
  const std::uint64_t padding = (alignment - (cursor.place() & past)) & past;
  const std::uint64_t begin =
      std::min<std::uint64_t>(cursor.place() + padding, file.bytes().size());
  const std::span<const std::byte> data = file.bytes().subspan(begin);
  std::vector<const Declared*> ordered;
  for (Declared& d : declared) {
    const std::string what = "tensor " + quote_name(d.tensor.name);
    if ((d.offset & past) != 0) {
      cursor.refuse(what + " has offset " + std::to_string(d.offset) + ", expected a multiple of " +
                    std::to_string(alignment));
    }
    if (d.offset > data.size() || d.bytes > data.size() - d.offset) {
      cursor.refuse(what + " needs " + std::to_string(d.bytes) + " bytes at offset " +
                    std::to_string(d.offset) + " of the data, which has " +
                    std::to_string(data.size()));
    }
    d.tensor.data = data.subspan(d.offset, d.bytes);
    if (d.bytes > 0) ordered.push_back(&d);
  }
  const auto before = [](const Declared* a, const Declared* b) { return a->offset < b->offset; };
  std::sort(ordered.begin(), ordered.end(), before);
  const auto overlap = [](const Declared* a, const Declared* b) {
    return b->offset < a->offset + a->bytes;
  };
  const auto found = std::adjacent_find(ordered.begin(), ordered.end(), overlap);
  if (found == ordered.end()) return;
  cursor.refuse("tensors " + quote_name(found[0]->tensor.name) + " and " +
                quote_name(found[1]->tensor.name) + " overlap");
}

void check_version(const Cursor& cursor, std::uint32_t version) {
  if (version == 2 || version == 3) return;
  const bool swapped = version == 0x02000000 || version == 0x03000000;
  const std::string why = swapped ? "the file is big-endian, expected little-endian"
                                  : "version " + std::to_string(version) + ", expected 2 or 3";
  cursor.refuse(why);
}

void read_values(Cursor& cursor, std::uint64_t count, GgufContents& contents) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string key = cursor.string("metadata key");
    const GgufValue value = read_value(cursor, "metadata " + quote_name(key));
    const bool fresh = contents.values.emplace(key, value).second;
    if (!fresh) cursor.refuse("metadata " + quote_name(key) + " occurs twice");
  }
}

}  // namespace

std::size_t gguf_value_bytes(std::uint32_t type) {
  static constexpr std::size_t kBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

GgufContents parse_gguf(const MappedFile& file) {
  Cursor cursor(file);
  const std::span<const std::byte> magic = cursor.take(4, "magic");
  if (std::memcmp(magic.data(), "GGUF", 4) != 0) cursor.refuse("expected \"GGUF\" in bytes 0 to 3");
  GgufContents contents;
  contents.version = cursor.number<std::uint32_t>("version");
  check_version(cursor, contents.version);
  const std::uint64_t tensors = cursor.count("tensor count", kShortestTensor);
  const std::uint64_t values = cursor.count("metadata count", kShortestValue);
  read_values(cursor, values, contents);
  std::vector<Declared> declared;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    declared.push_back(read_tensor(cursor));
    const std::string& name = declared.back().tensor.name;
    const bool fresh = contents.places.emplace(name, i).second;
    if (!fresh) cursor.refuse("tensor " + quote_name(name) + " occurs twice");
  }
  place_data(cursor, file, declared, alignment_of(cursor, contents));
  for (Declared& d : declared) contents.tensors.push_back(std::move(d.tensor));
  return contents;
}

}  // namespace plumb
