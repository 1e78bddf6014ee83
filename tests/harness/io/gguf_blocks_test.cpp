#include "harness/io/gguf_blocks.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/io/temporary_file.hpp"

namespace plumb {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Blocks are made of bytes whose scales are simple halves: 0x3c00 is 1, 0xc000 is -2, 0x3800 is
// 0.5.
void put_half(Bytes& block, std::size_t place, std::uint16_t half) {
  block[place] = static_cast<std::uint8_t>(half & 0xffU);
  block[place + 1] = static_cast<std::uint8_t>(half >> 8U);
}

std::vector<float> decoded(std::uint32_t id, const Bytes& blocks) {
  const GgufType* type = gguf_type(id);
  const std::size_t count = blocks.size() / type->bytes;
  std::vector<float> out(count * type->elements);
  type->decode(reinterpret_cast<const std::byte*>(blocks.data()), count, out.data());
  return out;
}

TEST(GgufBlocks, KnowsTheSizeOfTypesAndNothingOfOthers) {
  EXPECT_EQ(gguf_type(12)->bytes, 144U);
  EXPECT_EQ(gguf_type(14)->bytes, 210U);
  EXPECT_EQ(gguf_type(4), nullptr);
  EXPECT_EQ(gguf_type(5), nullptr);
  EXPECT_EQ(gguf_type(1000), nullptr);
}

TEST(GgufBlocks, PlainFormatsAreTheirValues) {
  EXPECT_EQ(decoded(0, {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}), (std::vector<float>{1, -2}));
  EXPECT_EQ(decoded(30, {0x80, 0x3f, 0x00, 0xc0}), (std::vector<float>{1, -2}));
  EXPECT_EQ(decoded(1, {0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b}),
            (std::vector<float>{1, -2, 0x1p-24F, 65504}));
}

TEST(GgufBlocks, Q4_0SubtractsEightAndPutsTheFirstHalfInTheLowNibbles) {
  Bytes block(18);
  put_half(block, 0, 0xc000);
  block[2] = 0x2f;   // elements 0 and 16
  block[17] = 0x08;  // elements 15 and 31
  const std::vector<float> out = decoded(2, block);
  EXPECT_EQ(out[0], -2.0F * (15 - 8));
  EXPECT_EQ(out[16], -2.0F * (2 - 8));
  EXPECT_EQ(out[15], 0);
  EXPECT_EQ(out[31], -2.0F * (0 - 8));
  EXPECT_EQ(out[1], -2.0F * (0 - 8));
}

TEST(GgufBlocks, Q4_1AddsTheMinimum) {
  Bytes block(20);
  put_half(block, 0, 0x3800);
  put_half(block, 2, 0xc000);
  block[4 + 3] = 0xa7;
  const std::vector<float> out = decoded(3, block);
  EXPECT_EQ(out[3], 0.5F * 7 - 2);
  EXPECT_EQ(out[19], 0.5F * 10 - 2);
  EXPECT_EQ(out[0], -2);
}

TEST(GgufBlocks, Q5_0TakesTheFifthBitFromTheMask) {
  Bytes block(22);
  put_half(block, 0, 0x3c00);
  block[2] = 0x02;      // fifth bit of element 1
  block[5] = 0x80;      // fifth bit of element 31
  block[6 + 1] = 0x53;  // elements 1 and 17
  block[6 + 15] = 0xf0;
  const std::vector<float> out = decoded(6, block);
  EXPECT_EQ(out[1], 3 + 16 - 16);
  EXPECT_EQ(out[17], 5 - 16);
  EXPECT_EQ(out[31], 15 + 16 - 16);
  EXPECT_EQ(out[0], -16);
}

TEST(GgufBlocks, Q5_1AddsTheMinimumInstead) {
  Bytes block(24);
  put_half(block, 0, 0x3c00);
  put_half(block, 2, 0x3800);
  block[4] = 0x01;
  block[8] = 0x42;
  const std::vector<float> out = decoded(7, block);
  EXPECT_EQ(out[0], 2 + 16 + 0.5F);
  EXPECT_EQ(out[16], 4 + 0.5F);
}

TEST(GgufBlocks, Q8_0ScalesSignedBytes) {
  Bytes block(34);
  put_half(block, 0, 0x3800);
  block[2] = 0x80;
  block[33] = 0x7f;
  const std::vector<float> out = decoded(8, block);
  EXPECT_EQ(out[0], -64);
  EXPECT_EQ(out[31], 63.5F);
}

TEST(GgufBlocks, Q4_KUnpacksSixBitScalesAndMinima) {
  Bytes block(144);
  put_half(block, 0, 0x3c00);  // d = 1
  put_half(block, 2, 0x3800);  // dmin = 0.5
  Bytes packed(12);
  packed[1] = 0xc0 | 33;  // scale 1 is 33; the top bits belong to scale 5
  packed[5] = 0x40 | 21;  // minimum 1 is 21; the top bits belong to minimum 5
  packed[9] = 0x9e;       // scale 5 = 14 | 3<<4 = 62, minimum 5 = 9 | 1<<4 = 25
  std::copy(packed.begin(), packed.end(), block.begin() + 4);
  block[16 + 7] = 0xb0;            // sub-block 1, element 7, is 11
  block[16 + 2 * 32 + 31] = 0xd0;  // sub-block 5, element 31, is 13
  const std::vector<float> out = decoded(12, block);
  EXPECT_EQ(out[32 + 7], 33 * 11 - 0.5F * 21);
  EXPECT_EQ(out[32], -0.5F * 21);
  EXPECT_EQ(out[5 * 32 + 31], 62 * 13 - 0.5F * 25);
  EXPECT_EQ(out[4 * 32 + 31], 0);
}

TEST(GgufBlocks, Q6_KJoinsLowAndHighBits) {
  Bytes block(210);
  put_half(block, 208, 0x3800);
  block[192 + 0] = 3;         // elements 0 to 15
  block[192 + 8 + 5] = 0xfe;  // -2: second half, group 2, elements 16 to 31
  block[0] = 0x05;
  block[128] = 0x03;            // high bits of element 0: 3
  block[64 + 20] = 0x90;        // second half, groups 0 and 2, element 20
  block[128 + 32 + 20] = 0x20;  // its group 2 has high bits 2
  const std::vector<float> out = decoded(14, block);
  EXPECT_EQ(out[0], 0.5F * 3 * (5 + 48 - 32));
  EXPECT_EQ(out[128 + 64 + 20], 0.5F * -2 * (9 + 32 - 32));
  EXPECT_EQ(out[1], 0.5F * 3 * -32);
}

// The same layouts once more, from the index of an element to its value, exactly: the decoders
// round once, in their last operation.
double half_value(const std::uint8_t* p) {
  const int bits = p[0] | p[1] << 8;
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

double q4_k(const std::uint8_t* b, int i) {
  const int j = i / 32;
  const std::uint8_t* s = b + 4;
  const int scale = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
  const int min = j < 4 ? s[j + 4] & 63 : s[j + 4] >> 4 | (s[j] >> 6) << 4;
  const int byte = b[16 + i / 64 * 32 + i % 32];
  const int q = i / 32 % 2 == 0 ? byte & 15 : byte >> 4;
  return half_value(b) * (scale * q) - half_value(b + 2) * min;
}

double q5_k(const std::uint8_t* b, int i) {
  Bytes four(b, b + 16);
  four.insert(four.end(), b + 48, b + 176);
  const int scale_index = i / 32;
  const std::uint8_t* s = b + 4;
  const int j = scale_index;
  const int scale = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
  const int fifth = b[16 + i % 32] >> j & 1;
  return q4_k(four.data(), i) + half_value(b) * (scale * 16 * fifth);
}

double q6_k(const std::uint8_t* b, int i) {
  const int half = i / 128;
  const int group = i % 128 / 32;
  const int l = i % 32;
  const int byte = b[64 * half + 32 * (group & 1) + l];
  const int low = group < 2 ? byte & 15 : byte >> 4;
  const int high = b[128 + 32 * half + l] >> (2 * group) & 3;
  const int scale = static_cast<std::int8_t>(b[192 + 8 * half + 2 * group + l / 16]);
  return half_value(b + 208) * (scale * ((low | high << 4) - 32));
}

TEST(GgufBlocks, SuperBlocksOfRandomBytesMatchTheFormulaOfEachElement) {
  struct Layout {
    std::uint32_t id;
    std::function<double(const std::uint8_t*, int)> value;
    std::vector<std::size_t> halves;
  };
  const std::vector<Layout> layouts{{12, q4_k, {0, 2}}, {13, q5_k, {0, 2}}, {14, q6_k, {208}}};
  std::mt19937 random(1);
  for (const Layout& layout : layouts) {
    const std::size_t size = gguf_type(layout.id)->bytes;
    Bytes blocks(5 * size);
    for (std::uint8_t& byte : blocks) byte = static_cast<std::uint8_t>(random());
    for (std::size_t k = 0; k < 5; ++k) {
      for (const std::size_t place : layout.halves)
        put_half(blocks, k * size + place, random() % 0x7c00);
    }
    const std::vector<float> out = decoded(layout.id, blocks);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double exact = layout.value(blocks.data() + i / 256 * size, static_cast<int>(i % 256));
      ASSERT_EQ(out[i], static_cast<float>(exact)) << layout.id << " " << i;
    }
  }
}

}  // namespace
}  // namespace plumb
