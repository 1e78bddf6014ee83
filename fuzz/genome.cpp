#include "fuzz/genome.hpp"

#include <algorithm>

namespace plumb {
namespace {

/// The fields of a genome in the order of their bytes, for reading and writing alike. `Bytes` has
/// `number(field)` for unsigned fields, least byte first, and `count(list, most)`.
template <typename Bytes, typename G>
void each_field(Bytes& bytes, G& genome) {
  bytes.number(genome.op);
  bytes.number(genome.plan);
  bytes.number(genome.dtype);
  bytes.flag(genome.gradient);
  bytes.number(genome.length);
  bytes.number(genome.batch);
  bytes.number(genome.rows);
  bytes.number(genome.seed);
  for (auto& tensor : genome.tensors) {
    bytes.number(tensor.layout);
    bytes.number(tensor.values);
    bytes.number(tensor.a);
    bytes.number(tensor.b);
  }
  bytes.count(genome.attributes, Genome::kMostAttributes);
  for (auto& attribute : genome.attributes) {
    bytes.number(attribute.which);
    bytes.number(attribute.value);
  }
  bytes.count(genome.patches, Genome::kMostPatches);
  for (auto& patch : genome.patches) {
    bytes.number(patch.tensor);
    bytes.number(patch.element);
    bytes.number(patch.bits);
  }
}

class Writer {
 public:
  template <typename T>
  void number(const T& value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
  }
  void flag(const bool& value) { bytes.push_back(value ? 1 : 0); }
  template <typename T>
  void count(const std::vector<T>& list, std::size_t) {
    bytes.push_back(static_cast<std::uint8_t>(list.size()));
  }

  std::vector<std::uint8_t> bytes;
};

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <typename T>
  void number(T& value) {
    std::uint64_t read = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) read |= std::uint64_t{next()} << (8 * i);
    value = static_cast<T>(read);
  }
  void flag(bool& value) { value = next() % 2 == 1; }
  template <typename T>
  void count(std::vector<T>& list, std::size_t most) {
    list.resize(next() % (most + 1));
  }

 private:
  std::uint8_t next() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::uint32_t op_hash(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

std::vector<std::uint8_t> encode(const Genome& genome) {
  Writer writer;
  writer.number(Genome::kVersion);
  each_field(writer, genome);
  return std::move(writer.bytes);
}

Genome decode(std::span<const std::uint8_t> bytes) {
  Reader reader(bytes);
  std::uint8_t version = 0;  // there is one format so far, so any other byte means that too
  reader.number(version);
  Genome genome;
  each_field(reader, genome);
  return genome;
}

}  // namespace plumb
