#include "harness/io/gguf_parse.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/errors.hpp"
#include "tests/harness/io/gguf_file_builder.hpp"

namespace plumb {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint32_t kF32 = 0;
constexpr std::uint32_t kQ40 = 2;

std::string complaint(const std::string& content) {
  const TemporaryFile file(content, "model.gguf");
  try {
    parse_gguf(MappedFile::open(file.path()));
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), StartsWith(file.path().string() + ": "));
    return std::string(error.what()).substr(file.path().string().size() + 2);
  }
  return "";
}

std::string complaint(const GgufBuilder& builder) { return complaint(builder.file()); }

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST(GgufParse, HonoursTheDeclaredAlignment) {
  GgufBuilder builder;
  builder.alignment = 64;
  builder.value("general.alignment", 4, bytes_of<std::uint32_t>(64));
  builder.tensor("a", {1}, kF32, 0).tensor("b", {1}, kF32, 64);
  builder.with_data(floats(std::vector<float>(17, 2.0F)));
  EXPECT_EQ(complaint(builder), "");
  builder.tensors.pop_back();
  builder.tensor("b", {1}, kF32, 32);
  EXPECT_EQ(complaint(builder), "tensor \"b\" has offset 32, expected a multiple of 64");
}

TEST(GgufParse, RefusesAWrongAlignment) {
  for (const std::uint32_t alignment : {0U, 3U, 33U}) {
    const GgufBuilder builder =
        GgufBuilder().value("general.alignment", 4, bytes_of<std::uint32_t>(alignment));
    EXPECT_EQ(complaint(builder), "general.alignment: expected a power of two of type u32");
  }
  EXPECT_THAT(complaint(GgufBuilder().value("general.alignment", 8, gguf_string("32"))),
              HasSubstr("expected a power of two"));
  EXPECT_THAT(complaint(GgufBuilder().array("general.alignment", 4, 0, "")),
              HasSubstr("expected a power of two"));
}

TEST(GgufParse, RefusesWrongMagicAndVersions) {
  GgufBuilder builder;
  builder.magic = "GGML";
  EXPECT_EQ(complaint(builder), "expected \"GGUF\" in bytes 0 to 3");
  builder.magic = "GGUF";
  builder.version = 1;
  EXPECT_EQ(complaint(builder), "version 1, expected 2 or 3");
  builder.version = 0x03000000;
  EXPECT_EQ(complaint(builder), "the file is big-endian, expected little-endian");
  builder.version = 2;
  EXPECT_EQ(complaint(builder), "");
  EXPECT_THAT(complaint("GG"), HasSubstr("magic needs 4 bytes at byte 0"));
  EXPECT_THAT(complaint(""), HasSubstr("the file ends after 0"));
}

TEST(GgufParse, RefusesCountsTheFileHasNoRoomForBeforeItTakesMemory) {
  GgufBuilder builder;
  builder.extra_tensors = std::int64_t{1} << 60;
  EXPECT_EQ(
      complaint(builder),
      "tensor count 1152921504606846976 is larger than the file has room for (16 bytes left)");
  builder.extra_tensors = 0;
  builder.extra_values = -1;
  EXPECT_THAT(complaint(builder), StartsWith("metadata count 18446744073709551615 is larger"));
  EXPECT_THAT(complaint(GgufBuilder().array("a", 4, std::uint64_t{1} << 62U, "")),
              StartsWith("metadata \"a\" count 4611686018427387904 is larger"));
  EXPECT_THAT(complaint(GgufBuilder().array("a", 8, std::uint64_t{1} << 61U, "")),
              StartsWith("metadata \"a\" count 2305843009213693952 is larger"));
}

TEST(GgufParse, RefusesStringsThatEndBeyondTheFile) {
  const std::string long_string = bytes_of(~std::uint64_t{0}) + "abc";
  EXPECT_THAT(complaint(GgufBuilder().value("k", 8, long_string)),
              StartsWith("metadata \"k\" needs 18446744073709551615 bytes at byte"));
  GgufBuilder builder;
  builder.values.push_back(long_string + std::string(64, 'x'));
  EXPECT_THAT(complaint(builder), StartsWith("metadata key needs 18446744073709551615 bytes"));
}

TEST(GgufParse, RefusesUnknownTypes) {
  EXPECT_EQ(complaint(GgufBuilder().value("k", 13, "xxxx")),
            "metadata \"k\" has type 13, expected 0 to 12");
  EXPECT_EQ(complaint(GgufBuilder().array("k", 77, 1, "xxxx")),
            "metadata \"k\" has type 77, expected 0 to 12");
  EXPECT_EQ(complaint(GgufBuilder().tensor("t", {1}, 4, 0)), "tensor \"t\" has unknown type 4");
}

TEST(GgufParse, AllowsNestedArraysOnlySoDeep) {
  const auto nested = [](int levels) {
    std::string bytes;
    for (int i = 1; i < levels; ++i) {
      bytes += bytes_of<std::uint32_t>(9) + bytes_of<std::uint64_t>(1);
    }
    bytes += bytes_of<std::uint32_t>(0) + bytes_of<std::uint64_t>(1) + "x";
    return GgufBuilder().value("deep", 9, bytes);
  };
  EXPECT_EQ(complaint(nested(1)), "");
  EXPECT_EQ(complaint(nested(3)), "");
  EXPECT_EQ(complaint(nested(4)), "metadata \"deep\" nests arrays deeper than 3");
  EXPECT_EQ(complaint(nested(100000)), "metadata \"deep\" nests arrays deeper than 3");
}

TEST(GgufParse, RefusesDuplicates) {
  EXPECT_EQ(complaint(GgufBuilder().value("k", 0, "x").value("k", 0, "x")),
            "metadata \"k\" occurs twice");
  EXPECT_EQ(complaint(GgufBuilder().tensor("t", {0}, kF32, 0).tensor("t", {0}, kF32, 0)),
            "tensor \"t\" occurs twice");
}

TEST(GgufParse, RefusesTensorsThatOverlapOrLeaveTheData) {
  const std::string data = floats(std::vector<float>(32));
  EXPECT_EQ(
      complaint(GgufBuilder().tensor("a", {8}, kF32, 0).tensor("b", {8}, kF32, 32).with_data(data)),
      "");
  EXPECT_EQ(
      complaint(GgufBuilder().tensor("a", {9}, kF32, 0).tensor("b", {8}, kF32, 32).with_data(data)),
      "tensors \"a\" and \"b\" overlap");
  EXPECT_EQ(
      complaint(GgufBuilder().tensor("a", {8}, kF32, 0).tensor("b", {8}, kF32, 0).with_data(data)),
      "tensors \"a\" and \"b\" overlap");
  EXPECT_EQ(complaint(GgufBuilder().tensor("a", {33}, kF32, 0).with_data(data)),
            "tensor \"a\" needs 132 bytes at offset 0 of the data, which has 128");
  EXPECT_EQ(complaint(GgufBuilder().tensor("a", {1}, kF32, ~std::uint64_t{31}).with_data(data)),
            "tensor \"a\" needs 4 bytes at offset 18446744073709551584 of the data, which has 128");
  EXPECT_EQ(complaint(GgufBuilder().tensor("a", {1}, kF32, 4).with_data(data)),
            "tensor \"a\" has offset 4, expected a multiple of 32");
}

TEST(GgufParse, RefusesShapesThatOverflowOrDoNotFillBlocks) {
  const std::uint64_t large = std::uint64_t{1} << 32U;
  EXPECT_EQ(complaint(GgufBuilder().tensor("a", {large, large}, kF32, 0)),
            "tensor \"a\" has dimensions whose product does not fit in 64 bits");
  EXPECT_EQ(complaint(GgufBuilder().tensor("a", {std::uint64_t{1} << 63U}, kF32, 0)),
            "tensor \"a\" has dimensions whose product does not fit in 64 bits");
  EXPECT_EQ(complaint(GgufBuilder().tensor("a", {std::uint64_t{1} << 62U}, kF32, 0)),
            "tensor \"a\" has a size that does not fit in 64 bits");
  EXPECT_EQ(complaint(GgufBuilder().tensor("a", {1, 1, 1, 1, 1}, kF32, 0)),
            "tensor \"a\" has 5 dimensions, expected at most 4");
  EXPECT_EQ(complaint(GgufBuilder().tensor("a", {33}, kQ40, 0)),
            "tensor \"a\" has rows of 33 elements, expected a multiple of 32 for Q4_0");
  EXPECT_EQ(complaint(GgufBuilder().tensor(std::string(65, 'n'), {1}, kF32, 0)),
            "tensor \"" + std::string(65, 'n') + "\" has a name of 65 bytes, expected at most 64");
}

TEST(GgufParse, EveryTruncationIsRefused) {
  const std::string whole = GgufBuilder()
                                .value("name", 8, gguf_string("x"))
                                .array("list", 4, 2, std::string(8, 'l'))
                                .tensor("t", {2, 2}, kF32, 0)
                                .with_data(floats({1, 2, 3, 4}))
                                .file();
  EXPECT_EQ(complaint(whole), "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(complaint(whole.substr(0, size)), "") << size;
  }
}

}  // namespace
}  // namespace plumb
