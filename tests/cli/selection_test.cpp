// What is selected runs once: a results.json with an id twice is one that no report can be made of.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kExp =
    R"({"schema":"plumb.case/1","op":"aten::exp","args":{"self":{"data":[1]}}})";

std::vector<std::string> ids_of(const ScratchFolder& folder, const std::string& command) {
  const Finished run = run_in(folder.path(), command + " --json");
  EXPECT_EQ(run.status, 0) << command << "\n" << run.err;
  const json rows = json::parse(run.out)["results"];
  std::vector<std::string> ids;
  for (const json& row : rows) ids.push_back(row["id"]);
  EXPECT_EQ(run_in(folder.path(), "plumb report out/results.json --markdown m.md").status, 0)
      << command;
  return ids;
}

TEST(Selection, AFileNamedTwiceRunsOnce) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "cases");
  folder.write("cases/x.json", kExp);
  EXPECT_EQ(ids_of(folder, "plumb check cases/x.json cases/x.json").size(), 1u);
  EXPECT_EQ(ids_of(folder, "plumb check cases/x.json cases ./cases/../cases/x.json").size(), 1u);
}

TEST(Selection, AWordNamedTwiceCountsOnce) {
  const ScratchFolder folder;
  folder.write("x.json", kExp);
  EXPECT_EQ(ids_of(folder,
                   "plumb check x.json --dtype f32,float32 --variant eager,eager "
                   "--device cpu,cpu:0")
                .size(),
            1u);
  EXPECT_EQ(ids_of(folder,
                   "plumb run device-map-mismatch device-map-* --arm faulty "
                   "--variant eager,eager --device cpu,cpu --dtype f32,float32")
                .size(),
            1u);
}

TEST(Selection, TheSameCaseInTwoFilesIsRefusedNamingBoth) {
  const ScratchFolder folder;
  for (const char* name : {"a", "b"}) std::filesystem::create_directory(folder / name);
  folder.write("a/x.json", kExp);
  folder.write("b/x.json", kExp);
  const Finished run = run_in(folder.path(), "plumb check a b");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("a/x.json"));
  EXPECT_THAT(run.err, HasSubstr("b/x.json"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  folder.write("b/y.json", kExp);  // another name is another id
  std::filesystem::remove(folder / "b/x.json");
  EXPECT_EQ(ids_of(folder, "plumb check a b").size(), 2u);
}

TEST(Selection, ACaseRunsInEveryDtypeAskedFor) {
  const ScratchFolder folder;
  folder.write("x.json",
               R"({"schema":"plumb.case/1","op":"aten::gelu","args":{"self":{"data":[-5.5,1]}},
                   "dtype":"float32","expect":{"verdict":["unstable"]}})");
  const Finished run = run_in(folder.path(), "plumb check x.json --dtype f16,f32 --json");
  const json rows = json::parse(run.out)["results"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["dtype"], "float16");
  EXPECT_EQ(rows[0]["expected"], json::array());  // written down for float32
  EXPECT_EQ(rows[1]["dtype"], "float32");
  EXPECT_EQ(rows[1]["expected"], json::array({"unstable"}));
  EXPECT_TRUE(rows[1]["ok"]);
}

TEST(Selection, ADeviceThatIsNotThereIsSkipped) {
  const ScratchFolder folder;
  folder.write("x.json", kExp);
  const Finished run = run_in(folder.path(), "plumb check x.json --device all --json");
  const json rows = json::parse(run.out)["results"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["device"], "cpu");
  EXPECT_EQ(rows[1]["device"], "cuda");
}

TEST(Selection, OneBadFileIsRefusedBeforeAnyWork) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "cases");
  folder.write("cases/a.json", kExp);
  folder.write("cases/z.json", R"({"schema":"plumb.case/1","op":"aten::expp"})");
  const Finished run = run_in(folder.path(), "plumb check cases");
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("cases/z.json"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

}  // namespace
}  // namespace plumb
