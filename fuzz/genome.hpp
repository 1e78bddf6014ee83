#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace plumb {

/// What one floating tensor is made of: layout and value program by number, and two parameters of
/// that program.
struct TensorGene {
  std::uint8_t layout = 0;
  std::uint8_t values = 0;
  std::uint8_t a = 128;
  std::uint8_t b = 128;
  bool operator==(const TensorGene&) const = default;
};

/// Another value for an attribute of the operator, both by number.
struct AttributeGene {
  std::uint8_t which = 0;
  std::uint8_t value = 0;
  bool operator==(const AttributeGene&) const = default;
};

/// One element of a tensor set to the number with these bits in the format of the case.
struct PatchGene {
  std::uint8_t tensor = 0;
  std::uint16_t element = 0;
  std::uint64_t bits = 0;
  bool operator==(const PatchGene&) const = default;
};

/// What a search varies: a case in at most 512 bytes, of which every value of every field means
/// something. Numbers stand for choices of a Domain and are taken modulo how many it has, so that
/// bytes mean something in any domain.
struct Genome {
  static constexpr std::uint8_t kVersion = 1;
  static constexpr std::size_t kMostBytes = 512;
  static constexpr std::size_t kTensors = 4;  // further tensors take these again
  static constexpr std::size_t kMostAttributes = 4;
  static constexpr std::size_t kMostPatches = 16;

  std::uint32_t op = 0;  // op_hash of its name
  std::uint8_t plan = 0;
  std::uint8_t dtype = 0;
  bool gradient = false;
  std::uint8_t length = 0;  // of the letter n, by number
  std::uint8_t batch = 0;   // of b, 0 for what the plan is made for
  std::uint8_t rows = 0;    // of r
  std::uint32_t seed = 0;
  std::array<TensorGene, kTensors> tensors = {};
  std::vector<AttributeGene> attributes = {};
  std::vector<PatchGene> patches = {};

  bool operator==(const Genome&) const = default;
};

/// The stable number of an operator's name (FNV-1a).
std::uint32_t op_hash(std::string_view name);

/// Format version 1 (docs/fuzz.md). decode(encode(g)) == g.
std::vector<std::uint8_t> encode(const Genome& genome);

/// Never fails: missing bytes are zeros, surplus ones are ignored, counts are cut to what fits.
Genome decode(std::span<const std::uint8_t> bytes);

}  // namespace plumb
