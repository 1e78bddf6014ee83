#include "harness/io/safetensors.hpp"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/errors.hpp"
#include "tests/harness/io/temporary_file.hpp"

namespace plumb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string file_of(const std::string& header, const std::string& buffer) {
  return bytes_of<std::uint64_t>(header.size()) + header + buffer;
}

// What opening a file with that content complains about; "" if it opens.
std::string complaint(const std::string& content) {
  const TemporaryFile file(content, "model.safetensors");
  try {
    SafetensorsFile::open(file.path());
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), StartsWith(file.path().string() + ": "));
    return std::string(error.what()).substr(file.path().string().size() + 2);
  }
  return "";
}

std::string complaint(const std::string& header, const std::string& buffer) {
  return complaint(file_of(header, buffer));
}

TEST(Safetensors, ReadsTensorsWhereverTheyLieInTheBuffer) {
  const TemporaryFile file(
      file_of(R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[2,10]},"__metadata__":{"k":"v"},)"
              R"("a":{"dtype":"I8","shape":[1,2],"data_offsets":[0,2]}}   )",
              std::string("\x01\x02", 2) + bytes_of(1.5F) + bytes_of(-2.0F)));
  const SafetensorsFile opened = SafetensorsFile::open(file.path());
  EXPECT_THAT(opened.names(), ElementsAre("a", "b"));
  EXPECT_EQ(opened.metadata().at("k"), "v");
  const SafetensorsTensor& b = opened.at("b");
  EXPECT_EQ(b.dtype, "F32");
  EXPECT_THAT(b.shape, ElementsAre(2));
  float values[2];
  ASSERT_EQ(b.data.size(), sizeof values);
  std::memcpy(values, b.data.data(), sizeof values);
  EXPECT_EQ(values[0], 1.5F);
  EXPECT_EQ(values[1], -2.0F);
  EXPECT_EQ(opened.find("c"), nullptr);
}

TEST(Safetensors, AllowsScalarsEmptyTensorsAndNoTensors) {
  EXPECT_EQ(complaint("{}", ""), "");
  EXPECT_EQ(complaint(R"({"s":{"dtype":"U8","shape":[],"data_offsets":[0,1]},)"
                      R"("e":{"dtype":"F64","shape":[0,3],"data_offsets":[1,1]}})",
                      "x"),
            "");
  EXPECT_EQ(complaint(R"({"p":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}})", "x"), "");
}

TEST(Safetensors, RefusesAFileTooShortForItsLength) {
  EXPECT_EQ(complaint("abc"), "expected at least 8 bytes of header length (3 bytes)");
  EXPECT_EQ(complaint(""), "expected at least 8 bytes of header length (0 bytes)");
}

TEST(Safetensors, RefusesAHeaderLengthBeyondTheFile) {
  const std::string lying = bytes_of<std::uint64_t>(9999) + "{}";
  EXPECT_EQ(complaint(lying), "header length 9999 is larger than the file (10 bytes)");
}

TEST(Safetensors, RefusesAHeaderLengthBeyondTheLimit) {
  const std::string huge = bytes_of<std::uint64_t>(~std::uint64_t{0}) + "{}";
  EXPECT_THAT(complaint(huge), HasSubstr("larger than the limit of 100000000 bytes"));
}

TEST(Safetensors, RefusesAHeaderThatIsNotAJsonObject) {
  EXPECT_EQ(complaint("[]", ""), "header: expected JSON that starts with '{'");
  EXPECT_EQ(complaint("", ""), "header: expected JSON that starts with '{'");
  EXPECT_EQ(complaint(R"({"a" 1})", ""), "header is not valid JSON at byte 6");
  EXPECT_THAT(complaint("{\"\xff\":1}", ""), HasSubstr("header is not valid JSON at byte"));
  EXPECT_THAT(complaint("{}x", ""), HasSubstr("header is not valid JSON at byte 3"));
}

TEST(Safetensors, RefusesDuplicateKeysOfTensorsAndOfFields) {
  const std::string entry = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_EQ(complaint(R"({"a":)" + entry + R"(,"a":)" + entry + "}", "x"),
            "header: duplicate key \"a\"");
  EXPECT_EQ(complaint(R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"),
            "header: duplicate key \"dtype\"");
}

TEST(Safetensors, RefusesDeepNestingBeforeItTakesMemory) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(complaint("{\"a\":" + deep, ""),
            "header: expected nothing deeper than the arrays of a tensor");
}

TEST(Safetensors, RefusesHolesOverlapsAndBytesLeftOver) {
  const auto two = [](const std::string& a, const std::string& b) {
    return R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + a +
           R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + b + "}}";
  };
  EXPECT_EQ(complaint(two("[0,2]", "[2,4]"), "abcd"), "");
  EXPECT_EQ(complaint(two("[2,4]", "[0,2]"), "abcd"), "");
  EXPECT_EQ(complaint(two("[0,2]", "[1,3]"), "abc"),
            "tensor \"b\": data begins at 1, expected 2: it overlaps another");
  EXPECT_EQ(complaint(two("[0,2]", "[0,2]"), "ab"),
            "tensor \"b\": data begins at 0, expected 2: it overlaps another");
  EXPECT_EQ(complaint(two("[0,2]", "[3,5]"), "abcde"),
            "tensor \"b\": data begins at 3, expected 2: there is a hole before it");
  EXPECT_EQ(complaint(two("[1,3]", "[3,5]"), "abcde"),
            "tensor \"a\": data begins at 1, expected 0: there is a hole before it");
  EXPECT_EQ(complaint(two("[0,2]", "[2,4]"), "abcdef"),
            "the tensors end at byte 4 of the buffer, expected its end at 6");
}

TEST(Safetensors, RefusesOffsetsOutsideTheBuffer) {
  EXPECT_EQ(complaint(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "abc"),
            "tensor \"a\": data_offsets: [0, 4] is not a range within the buffer of 3 bytes");
  EXPECT_THAT(complaint(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[2,1]}})", "abc"),
              HasSubstr("[2, 1] is not a range"));
  EXPECT_EQ(complaint(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1]}})", "abc"),
            "tensor \"a\": data_offsets: expected [begin, end]");
}

TEST(Safetensors, RefusesASizeThatContradictsDtypeAndShape) {
  EXPECT_EQ(complaint(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "abcd"),
            "tensor \"a\": dtype and shape need 8 bytes, data_offsets give 4");
  EXPECT_EQ(complaint(R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}})", "a"),
            "tensor \"a\": shape: its elements do not fill whole bytes");
}

TEST(Safetensors, RefusesShapesThatOverflow) {
  // 2^32 · 2^32 · 8 bits would wrap to zero.
  EXPECT_EQ(
      complaint(R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", ""),
      "tensor \"a\": shape: its size does not fit in 64 bits");
  EXPECT_EQ(
      complaint(R"({"a":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,0]}})", ""),
      "tensor \"a\": shape: 18446744073709551615 is too large");
}

TEST(Safetensors, RefusesFieldsOfTheWrongKind) {
  EXPECT_THAT(complaint(R"({"a":{"dtype":"F33","shape":[],"data_offsets":[0,0]}})", ""),
              HasSubstr("dtype \"F33\" is unknown"));
  EXPECT_THAT(complaint(R"({"a":{"shape":[],"data_offsets":[0,0]}})", ""),
              HasSubstr("dtype: expected a string"));
  for (const char* shape : {"-1", "[-1]", "[1.5]", "[1e30]", "[\"1\"]", "null", "[null]"}) {
    EXPECT_EQ(complaint(std::string(R"({"a":{"dtype":"U8","shape":)") + shape +
                            R"(,"data_offsets":[0,0]}})",
                        ""),
              "tensor \"a\": shape: expected an array of integers that are not negative")
        << shape;
  }
  EXPECT_THAT(complaint(R"({"a":1})", ""), HasSubstr("tensor \"a\": expected an object"));
  EXPECT_THAT(complaint(R"({"__metadata__":1})", ""), HasSubstr("expected an object of strings"));
  EXPECT_THAT(complaint(R"({"__metadata__":{"k":1}})", ""), HasSubstr("\"k\": expected a string"));
}

TEST(Safetensors, NamesFromTheFileAreMadeHarmlessInMessages) {
  EXPECT_THAT(complaint(R"({"\u001b[2J":1})", ""), HasSubstr("tensor \"?[2J\": "));
}

TEST(Safetensors, MissingFilesFoldersAndTensorsAreNamed) {
  EXPECT_THROW(SafetensorsFile::open("/nowhere/x.safetensors"), InputError);
  const TemporaryFile file(
      file_of(R"({"query":{"dtype":"U8","shape":[],"data_offsets":[0,1]}})", "x"));
  EXPECT_THROW(SafetensorsFile::open(file.folder()), InputError);
  try {
    SafetensorsFile::open(file.path()).at("qeury");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no tensor \"qeury\"; the nearest is \"query\""));
  }
}

TEST(Safetensors, EveryTruncationIsRefusedOrHarmless) {
  const std::string whole =
      file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", bytes_of(1.0F));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(complaint(whole.substr(0, size)), "") << size;
  }
}

TEST(Safetensors, WhatIsWrittenReadsBack) {
  const TemporaryFile folder("");
  const std::filesystem::path path = folder.folder() / "out.safetensors";
  const std::vector<float> weights{1, 2, 3, 4, 5, 6};
  const std::vector<unsigned char> flags{1, 0, 1};
  const std::vector<SafetensorsEntry> entries{
      {"flags", "BOOL", {3}, std::as_bytes(std::span(flags))},
      {"w\"\n", "F32", {2, 3}, std::as_bytes(std::span(weights))},
      {"none", "F64", {0}, {}}};
  write_safetensors(path, entries);
  const SafetensorsFile opened = SafetensorsFile::open(path);
  EXPECT_THAT(opened.names(), ElementsAre("flags", "none", "w\"\n"));
  for (const SafetensorsEntry& entry : entries) {
    const SafetensorsTensor& tensor = opened.at(entry.name);
    EXPECT_EQ(tensor.dtype, entry.dtype);
    EXPECT_EQ(tensor.shape, entry.shape);
    ASSERT_EQ(tensor.data.size(), entry.bytes.size());
    EXPECT_TRUE(std::equal(tensor.data.begin(), tensor.data.end(), entry.bytes.begin()));
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(opened.at("w\"\n").data.data()) % 4, 0U);
}

TEST(Safetensors, AFailedWriteLeavesNothingBehind) {
  const TemporaryFile folder("old", "kept");
  const std::vector<SafetensorsEntry> contradicting{{"a", "F32", {2}, {}}};
  EXPECT_THROW(write_safetensors(folder.path(), contradicting), InputError);
  const std::vector<SafetensorsEntry> twice{{"a", "F32", {0}, {}}, {"a", "F32", {0}, {}}};
  EXPECT_THROW(write_safetensors(folder.path(), twice), InputError);
  EXPECT_THROW(write_safetensors(folder.path() / "below a file", {}), InputError);
  const std::filesystem::directory_iterator left(folder.folder());
  EXPECT_EQ(std::distance(begin(left), end(left)), 1);
  EXPECT_EQ(std::filesystem::file_size(folder.path()), 3U);
}

TEST(Safetensors, ReadsTheRealMiniLm) {
  const char* path = std::getenv("PLUMB_MINILM");
  if (path == nullptr) GTEST_SKIP() << "PLUMB_MINILM does not name a safetensors file";
  const SafetensorsFile opened = SafetensorsFile::open(path);
  EXPECT_EQ(opened.names().size(), 104U);
  EXPECT_THAT(opened.at("embeddings.word_embeddings.weight").shape, ElementsAre(30522, 384));
}

}  // namespace
}  // namespace plumb
