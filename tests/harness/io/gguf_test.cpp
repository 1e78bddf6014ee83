#include "harness/io/gguf.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/errors.hpp"
#include "tests/harness/io/gguf_file_builder.hpp"

namespace plumb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint32_t kF32 = 0;

GgufFile opened(const GgufBuilder& builder) {
  // The mapping outlives the file's name.
  const TemporaryFile file(builder.file(), "model.gguf");
  return GgufFile::open(file.path());
}

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST(Gguf, ReadsEveryMetadataType) {
  const GgufFile file = opened(GgufBuilder()
                                   .value("u8", 0, bytes_of<std::uint8_t>(200))
                                   .value("i8", 1, bytes_of<std::int8_t>(-3))
                                   .value("u16", 2, bytes_of<std::uint16_t>(60000))
                                   .value("i16", 3, bytes_of<std::int16_t>(-300))
                                   .value("u32", 4, bytes_of<std::uint32_t>(4000000000))
                                   .value("i32", 5, bytes_of<std::int32_t>(-70000))
                                   .value("f32", 6, bytes_of(1.5F))
                                   .value("bool", 7, bytes_of<std::uint8_t>(1))
                                   .value("string", 8, gguf_string("llama"))
                                   .value("u64", 10, bytes_of<std::uint64_t>(1ULL << 40U))
                                   .value("i64", 11, bytes_of<std::int64_t>(-(1LL << 40)))
                                   .value("f64", 12, bytes_of(0.1)));
  EXPECT_EQ(file.version(), 3U);
  EXPECT_EQ(file.u64("u8"), 200U);
  EXPECT_EQ(file.f64("i8"), -3);
  EXPECT_EQ(file.u64("u16"), 60000U);
  EXPECT_EQ(file.f64("i16"), -300);
  EXPECT_EQ(file.u64("u32"), 4000000000U);
  EXPECT_EQ(file.f64("i32"), -70000);
  EXPECT_EQ(file.f64("f32"), 1.5);
  EXPECT_TRUE(file.boolean("bool"));
  EXPECT_EQ(file.string("string"), "llama");
  EXPECT_EQ(file.u64("u64"), 1ULL << 40U);
  EXPECT_EQ(file.f64("i64"), -1099511627776.0);
  EXPECT_EQ(file.f64("f64"), 0.1);
  EXPECT_EQ(file.keys().size(), 12U);
  EXPECT_TRUE(file.has("f64"));
  EXPECT_FALSE(file.has("f65"));
}

TEST(Gguf, ReadsArraysOfStringsAndNumbers) {
  const GgufFile file =
      opened(GgufBuilder()
                 .array("words", 8, 3, gguf_string("a") + gguf_string("") + gguf_string("bc"))
                 .array("scores", 6, 2, bytes_of(0.5F) + bytes_of(-1.0F))
                 .array("kinds", 5, 2, bytes_of<std::int32_t>(-7) + bytes_of<std::int32_t>(9))
                 .array("none", 8, 0, ""));
  EXPECT_THAT(file.strings("words"), ElementsAre("a", "", "bc"));
  EXPECT_THAT(file.numbers("scores"), ElementsAre(0.5, -1));
  EXPECT_THAT(file.numbers("kinds"), ElementsAre(-7, 9));
  EXPECT_TRUE(file.strings("none").empty());
}

TEST(Gguf, ComplainsAboutTheWrongKindOrAMissingKey) {
  const GgufFile file = opened(GgufBuilder()
                                   .value("general.name", 8, gguf_string("x"))
                                   .value("minus", 5, bytes_of<std::int32_t>(-1))
                                   .array("list", 0, 1, "x"));
  EXPECT_THROW(file.u64("general.name"), InputError);
  EXPECT_THROW(file.u64("minus"), InputError);
  EXPECT_THROW(file.u64("list"), InputError);
  EXPECT_THROW(file.f64("general.name"), InputError);
  EXPECT_THROW(file.boolean("minus"), InputError);
  EXPECT_THROW(file.string("minus"), InputError);
  EXPECT_THROW(file.strings("list"), InputError);
  EXPECT_THROW(file.numbers("minus"), InputError);
  try {
    file.string("general.nmae");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("nearest is \"general.name\""));
  }
}

TEST(Gguf, GivesShapesInRowMajorOrder) {
  const GgufFile file =
      opened(GgufBuilder()
                 .tensor("w", {3, 2}, kF32, 0)
                 .tensor("b", {2}, kF32, 32)
                 .tensor("s", {}, kF32, 64)
                 .with_data(floats({1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0, 0, 0, 0, 0, 9})));
  const GgufTensor& w = file.at("w");
  EXPECT_THAT(w.shape, ElementsAre(2, 3));
  std::vector<float> values(w.elements);
  file.decode_row_major(w, values);
  EXPECT_THAT(values, ElementsAre(1, 2, 3, 4, 5, 6));
  values.resize(2);
  file.decode_row_major(file.at("b"), values);
  EXPECT_THAT(values, ElementsAre(7, 8));
  EXPECT_TRUE(file.at("s").shape.empty());
  EXPECT_EQ(file.at("s").elements, 1U);
  EXPECT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(file.tensors()[1].name, "b");
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_THROW(file.at("c"), InputError);
  EXPECT_THROW(file.decode_row_major(w, values), std::invalid_argument);
}

TEST(Gguf, TypesThatAreNotDecodedAreStillListed) {
  const GgufFile file =
      opened(GgufBuilder().tensor("t", {256}, 10, 0).with_data(std::string(84, 'q')));
  EXPECT_EQ(file.at("t").type->name, "Q2_K");
  std::vector<float> out(256);
  try {
    file.decode_row_major(file.at("t"), out);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tensor \"t\": type Q2_K cannot be decoded"));
  }
}

// Shapes, block counts and the share of each type as the notes give them.
TEST(Gguf, ReadsTheRealSmolLm2) {
  const char* path = std::getenv("PLUMB_SMOLLM2");
  if (path == nullptr) GTEST_SKIP() << "PLUMB_SMOLLM2 does not name a GGUF file";
  const GgufFile file = GgufFile::open(path);
  EXPECT_EQ(file.string("general.architecture"), "llama");
  EXPECT_EQ(file.u64("llama.block_count"), 30U);
  EXPECT_EQ(file.u64("llama.embedding_length"), 576U);
  EXPECT_EQ(file.u64("llama.attention.head_count_kv"), 3U);
  EXPECT_EQ(file.f64("llama.rope.freq_base"), 100000);
  EXPECT_EQ(file.strings("tokenizer.ggml.tokens").size(), 49152U);
  EXPECT_EQ(file.keys().size(), 33U);
  ASSERT_EQ(file.tensors().size(), 272U);
  EXPECT_THAT(file.at("token_embd.weight").shape, ElementsAre(49152, 576));
  std::map<std::string_view, int> types;
  std::vector<float> out;
  double squares = 0;
  std::size_t elements = 0;
  std::chrono::duration<double> decoding{};
  for (const GgufTensor& tensor : file.tensors()) {
    ++types[tensor.type->name];
    out.resize(tensor.elements);
    const auto start = std::chrono::steady_clock::now();
    file.decode_row_major(tensor, out);
    decoding += std::chrono::steady_clock::now() - start;
    elements += tensor.elements;
    squares = std::inner_product(out.begin(), out.end(), out.begin(), squares);
  }
  EXPECT_EQ(types["Q4_1"], 210);
  EXPECT_EQ(types["F32"], 61);
  EXPECT_EQ(types["Q8_0"], 1);
  EXPECT_NEAR(static_cast<double>(elements), 134.5e6, 0.1e6);
  EXPECT_TRUE(std::isfinite(squares));
  RecordProperty("decode_seconds", std::to_string(decoding.count()));
  std::printf("decoded %zu weights in %.3f s, rms %.4f\n", elements, decoding.count(),
              std::sqrt(squares / static_cast<double>(elements)));
}

}  // namespace
}  // namespace plumb
