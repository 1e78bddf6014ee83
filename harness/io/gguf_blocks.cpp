#include "harness/io/gguf_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "harness/half.hpp"

namespace plumb {
namespace {

constexpr std::size_t kSmall = 32;   // values in a block of the Qn_0 and Qn_1 types
constexpr std::size_t kSuper = 256;  // values in a block of the Qn_K types

template <class T>
T read(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

float half_at(const std::byte* data) { return float_of_half(read<std::uint16_t>(data)); }
int byte_at(const std::byte* data) { return std::to_integer<int>(*data); }
int signed_at(const std::byte* data) { return read<std::int8_t>(data); }
int low(int byte) { return byte & 15; }
int high(int byte) { return byte >> 4; }

void decode_f32(const std::byte* from, std::size_t count, float* to) {
  std::memcpy(to, from, count * sizeof(float));
}

void decode_f16(const std::byte* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = half_at(from + 2 * i);
}

void decode_bf16(const std::byte* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = float_of_bfloat16(read<std::uint16_t>(from + 2 * i));
  }
}

// One block of 32: x = scale·q + offset, the first half of q in the low nibbles.
void nibbles(const std::byte* q, float scale, float offset, float* to) {
  for (std::size_t j = 0; j < kSmall / 2; ++j) {
    const int byte = byte_at(q + j);
    to[j] = scale * static_cast<float>(low(byte)) + offset;
    to[j + kSmall / 2] = scale * static_cast<float>(high(byte)) + offset;
  }
}

// As above, with a fifth bit of each q in `top`.
void five_bits(const std::byte* q, std::uint32_t top, float scale, float offset, float* to) {
  for (std::size_t j = 0; j < kSmall / 2; ++j) {
    const int byte = byte_at(q + j);
    const int first = static_cast<int>(top >> j & 1U) << 4;
    const int second = static_cast<int>(top >> (j + kSmall / 2) & 1U) << 4;
    to[j] = scale * static_cast<float>(low(byte) | first) + offset;
    to[j + kSmall / 2] = scale * static_cast<float>(high(byte) | second) + offset;
  }
}

void decode_q4_0(const std::byte* block, std::size_t count, float* to) {
  for (; count > 0; --count, block += 18, to += kSmall) {
    const float d = half_at(block);
    nibbles(block + 2, d, -8 * d, to);
  }
}

void decode_q4_1(const std::byte* block, std::size_t count, float* to) {
  for (; count > 0; --count, block += 20, to += kSmall) {
    nibbles(block + 4, half_at(block), half_at(block + 2), to);
  }
}

void decode_q5_0(const std::byte* block, std::size_t count, float* to) {
  for (; count > 0; --count, block += 22, to += kSmall) {
    const float d = half_at(block);
    five_bits(block + 6, read<std::uint32_t>(block + 2), d, -16 * d, to);
  }
}

void decode_q5_1(const std::byte* block, std::size_t count, float* to) {
  for (; count > 0; --count, block += 24, to += kSmall) {
    five_bits(block + 8, read<std::uint32_t>(block + 4), half_at(block), half_at(block + 2), to);
  }
}

void decode_q8_0(const std::byte* block, std::size_t count, float* to) {
  for (; count > 0; --count, block += 34, to += kSmall) {
    const float d = half_at(block);
    for (std::size_t j = 0; j < kSmall; ++j) {
      to[j] = d * static_cast<float>(signed_at(block + 2 + j));
    }
  }
}

struct ScaleAndMin {
  float scale;
  float min;
};

// The 6-bit scale and minimum of sub-block j, from the 12 bytes that hold eight of each.
ScaleAndMin scale_and_min(const std::byte* packed, std::size_t j) {
  int scale = byte_at(packed + j) & 63;
  int min = byte_at(packed + j + 4) & 63;
  if (j >= 4) {
    scale = low(byte_at(packed + j + 4)) | (byte_at(packed + j - 4) >> 6) << 4;
    min = high(byte_at(packed + j + 4)) | (byte_at(packed + j) >> 6) << 4;
  }
  return {static_cast<float>(scale), static_cast<float>(min)};
}

void decode_q4_k(const std::byte* block, std::size_t count, float* to) {
  for (; count > 0; --count, block += 144, to += kSuper) {
    const float d = half_at(block);
    const float dmin = half_at(block + 2);
    for (std::size_t j = 0; j < 8; ++j) {
      const auto [scale, min] = scale_and_min(block + 4, j);
      const std::byte* q = block + 16 + j / 2 * 32;
      const int shift = j % 2 == 0 ? 0 : 4;
      const float step = d * scale;
      const float offset = dmin * min;
      for (std::size_t l = 0; l < 32; ++l) {
        to[32 * j + l] = step * static_cast<float>(byte_at(q + l) >> shift & 15) - offset;
      }
    }
  }
}

void decode_q5_k(const std::byte* block, std::size_t count, float* to) {
  for (; count > 0; --count, block += 176, to += kSuper) {
    const float d = half_at(block);
    const float dmin = half_at(block + 2);
    const std::byte* top = block + 16;
    for (std::size_t j = 0; j < 8; ++j) {
      const auto [scale, min] = scale_and_min(block + 4, j);
      const std::byte* q = block + 48 + j / 2 * 32;
      const int shift = j % 2 == 0 ? 0 : 4;
      const float step = d * scale;
      const float offset = dmin * min;
      for (std::size_t l = 0; l < 32; ++l) {
        const int fifth = (byte_at(top + l) >> j & 1) << 4;
        const int value = (byte_at(q + l) >> shift & 15) | fifth;
        to[32 * j + l] = step * static_cast<float>(value) - offset;
      }
    }
  }
}

void decode_q6_k(const std::byte* block, std::size_t count, float* to) {
  for (; count > 0; --count, block += 210, to += kSuper) {
    const float d = half_at(block + 208);
    for (std::size_t group = 0; group < 8; ++group) {
      const std::size_t half = group / 4;  // 128 values each
      const std::size_t part = group % 4;  // 32 values each
      const std::byte* ql = block + 64 * half + 32 * (part % 2);
      const std::byte* qh = block + 128 + 32 * half;
      const std::byte* scales = block + 192 + 8 * half + 2 * part;
      const int low_shift = part < 2 ? 0 : 4;
      const int high_shift = static_cast<int>(2 * part);
      for (std::size_t l = 0; l < 32; ++l) {
        const int top = (byte_at(qh + l) >> high_shift & 3) << 4;
        const int q = ((byte_at(ql + l) >> low_shift & 15) | top) - 32;
        const float step = d * static_cast<float>(signed_at(scales + l / 16));
        to[32 * group + l] = step * static_cast<float>(q);
      }
    }
  }
}

constexpr std::array kTypes{
    GgufType{0, "F32", 1, 4, decode_f32},        GgufType{1, "F16", 1, 2, decode_f16},
    GgufType{2, "Q4_0", 32, 18, decode_q4_0},    GgufType{3, "Q4_1", 32, 20, decode_q4_1},
    GgufType{6, "Q5_0", 32, 22, decode_q5_0},    GgufType{7, "Q5_1", 32, 24, decode_q5_1},
    GgufType{8, "Q8_0", 32, 34, decode_q8_0},    GgufType{9, "Q8_1", 32, 36, nullptr},
    GgufType{10, "Q2_K", 256, 84, nullptr},      GgufType{11, "Q3_K", 256, 110, nullptr},
    GgufType{12, "Q4_K", 256, 144, decode_q4_k}, GgufType{13, "Q5_K", 256, 176, decode_q5_k},
    GgufType{14, "Q6_K", 256, 210, decode_q6_k}, GgufType{15, "Q8_K", 256, 292, nullptr},
    GgufType{16, "IQ2_XXS", 256, 66, nullptr},   GgufType{17, "IQ2_XS", 256, 74, nullptr},
    GgufType{18, "IQ3_XXS", 256, 98, nullptr},   GgufType{19, "IQ1_S", 256, 50, nullptr},
    GgufType{20, "IQ4_NL", 32, 18, nullptr},     GgufType{21, "IQ3_S", 256, 110, nullptr},
    GgufType{22, "IQ2_S", 256, 82, nullptr},     GgufType{23, "IQ4_XS", 256, 136, nullptr},
    GgufType{24, "I8", 1, 1, nullptr},           GgufType{25, "I16", 1, 2, nullptr},
    GgufType{26, "I32", 1, 4, nullptr},          GgufType{27, "I64", 1, 8, nullptr},
    GgufType{28, "F64", 1, 8, nullptr},          GgufType{29, "IQ1_M", 256, 56, nullptr},
    GgufType{30, "BF16", 1, 2, decode_bf16},     GgufType{34, "TQ1_0", 256, 54, nullptr},
    GgufType{35, "TQ2_0", 256, 66, nullptr},     GgufType{39, "MXFP4", 32, 17, nullptr},
};

}  // namespace

const GgufType* gguf_type(std::uint32_t id) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [id](const GgufType& type) { return type.id == id; });
  return found == kTypes.end() ? nullptr : &*found;
}

}  // namespace plumb
