// `--device cuda` where there is none: every command says why, in one sentence, and exits 77.

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/device_plugin.hpp"
#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kExp =
    R"({"schema":"plumb.case/1","op":"aten::exp","args":{"self":{"data":[1]}}})";

/// What a machine with a driver has, as far as the program can tell without asking it.
void put_driver(const ScratchFolder& folder) {
  fs::copy(PLUMB_TEST_LIBRARIES "/registers_nothing.so", folder / "libcuda.so.1");
}

Finished run_with_driver(const ScratchFolder& folder, const std::string& command) {
  return run_in(folder.path(), "LD_LIBRARY_PATH=. " + command);
}

/// All rows are skipped for the same reason.
std::string only_reason(const Finished& run) {
  EXPECT_EQ(run.status, 77) << run.out << run.err;
  const json rows = json::parse(run.out)["results"];
  EXPECT_FALSE(rows.empty());
  for (const json& row : rows) {
    EXPECT_EQ(row["verdict"], "skipped");
    EXPECT_EQ(row["device"], "cuda");
    EXPECT_EQ(row["message"], rows[0]["message"]);
  }
  return rows[0]["message"];
}

TEST(Device, WithoutADriverEveryCommandSaysSo) {
  if (!cuda_missing()) GTEST_SKIP() << "this machine has a driver";
  const ScratchFolder folder;
  folder.write("x.json", kExp);
  for (const char* command :
       {"plumb check x.json", "plumb run misaligned-sequence",
        "plumb run misaligned-sequence --variant cudagraph", "plumb sweep exp --dtype f32",
        "plumb sweep exp --dtype f32 --variant cudagraph", "plumb check x.json --variant jit"}) {
    SCOPED_TRACE(command);
    const std::string line = std::string(command) + " --device cuda";
    EXPECT_EQ(only_reason(run_in(folder.path(), line + " --json")), *cuda_missing());
    const Finished shown = run_in(folder.path(), line);
    EXPECT_EQ(shown.status, 77);
    EXPECT_THAT(shown.out, HasSubstr(*cuda_missing()));
    EXPECT_EQ(shown.err, "");
  }
}

TEST(Device, ACaseThatNamesItsDeviceIsSkippedToo) {
  if (!cuda_missing()) GTEST_SKIP() << "this machine has a driver";
  const ScratchFolder folder;
  folder.write("x.json", R"({"schema":"plumb.case/1","op":"aten::exp","device":"cuda",
                             "args":{"self":{"data":[1]}}})");
  EXPECT_EQ(only_reason(run_in(folder.path(), "plumb check x.json --json")), *cuda_missing());
}

TEST(Device, TheVariantListSaysWhatIsNotHere) {
  if (!cuda_missing()) GTEST_SKIP() << "this machine has a driver";
  const ScratchFolder folder;
  const Finished run = run_in(folder.path(), "plumb list variants");
  EXPECT_THAT(run.out, HasSubstr("cudagraph"));
  EXPECT_THAT(
      run.out,
      HasSubstr("(not here: it captures what runs on a CUDA device: " + *cuda_missing() + ")"));
}

/// The real plugin where this build has one: it is loaded, and the driver is asked.
TEST(Device, ADriverWithoutADeviceIsSaidInItsWords) {
  const ScratchFolder folder;
  folder.write("x.json", kExp);
  put_driver(folder);
  const std::string why =
      only_reason(run_with_driver(folder, "plumb check x.json --device cuda --json"));
  EXPECT_TRUE(why.starts_with("the driver sees no device") ||
              why.starts_with("this build has no CUDA plugin: "))
      << why;
}

TEST(Device, ThePluginIsLookedForWhereItIsSaidToBe) {
  const ScratchFolder folder;
  folder.write("x.json", kExp);
  put_driver(folder);
  fs::create_directory(folder / "plugins");
  const std::string check = "PLUMB_PLUGINS=plugins plumb check x.json --device cuda --json";
  EXPECT_THAT(only_reason(run_with_driver(folder, check)), HasSubstr("plumb_cuda.so"));
  folder.write("plugins/plumb_cuda.so", "no library");
  EXPECT_THAT(only_reason(run_with_driver(folder, check)), HasSubstr("plugins/plumb_cuda.so"));
  fs::copy(PLUMB_TEST_LIBRARIES "/registers_nothing.so", folder / "plugins/plumb_cuda.so",
           fs::copy_options::overwrite_existing);
  EXPECT_THAT(only_reason(run_with_driver(folder, check)), HasSubstr("plumb_cuda_plugin"));
  fs::copy(PLUMB_TEST_LIBRARIES "/another_torch.so", folder / "plugins/plumb_cuda.so",
           fs::copy_options::overwrite_existing);
  EXPECT_EQ(only_reason(run_with_driver(folder, check)),
            "the CUDA plugin was built for another torch");
}

TEST(Device, TheCpuIsJudgedBesideIt) {
  if (!cuda_missing()) GTEST_SKIP() << "this machine has a driver";
  const ScratchFolder folder;
  folder.write("x.json", kExp);
  const Finished run = run_in(folder.path(), "plumb check x.json --device all --json");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(json::parse(run.out)["results"].size(), 2U);
}

}  // namespace
}  // namespace plumb
