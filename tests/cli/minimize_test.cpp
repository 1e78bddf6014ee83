// The command from end to end: what it prints, what it leaves, and that it can be replayed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kGelu = R"({"schema":"plumb.case/1","op":"aten::gelu","dtype":"float32",
                                  "args":{"self":{"data":[[1,2,-5.5],[3,4,5]]}}})";

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
}

TEST(Minimize, SaysWhatIsLeftAndTheLastLineReplaysIt) {
  const ScratchFolder folder;
  folder.write("x.json", kGelu);
  const Finished run = run_in(folder.path(), "plumb minimize x.json");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("6 → 1 elements"));
  EXPECT_THAT(run.out, HasSubstr("gelu(-5.5)"));
  const std::string line = last_line(run.out);
  ASSERT_TRUE(line.starts_with("replay it: ")) << line;
  EXPECT_EQ(run_in(folder.path(), line.substr(11)).status, 0) << line;
}

TEST(Minimize, JsonIsTheFindingAndQuietIsNothing) {
  const ScratchFolder folder;
  folder.write("x.json", kGelu);
  const json record = json::parse(run_in(folder.path(), "plumb minimize x.json --json").out);
  EXPECT_EQ(record["schema"], "plumb.finding/1");
  const std::string place = "out/findings/" + record["fingerprint"].get<std::string>();
  EXPECT_TRUE(std::filesystem::exists(folder / (place + "/repro.py")));
  EXPECT_EQ(run_in(folder.path(), "plumb minimize x.json --quiet").out, "");
}

TEST(Minimize, TheAlarmsOfASweepAreFoldersThatReplay) {
  const ScratchFolder folder;
  for (const char* flag : {"", " --no-minimize"}) {
    const Finished run = run_in(folder.path(), std::string("plumb sweep aten::gelu --dtype f32 "
                                                           "--cases 13 --json --out there") +
                                                   flag);
    EXPECT_EQ(run.status, 1) << run.err;
    int alarms = 0;
    const json results = json::parse(run.out);
    for (const json& row : results["results"]) {
      if (row["ok"]) continue;
      ++alarms;
      const Finished again = run_in(folder.path(), std::string(row["replay"]) + " --json");
      EXPECT_EQ(again.status, 0) << row["replay"];
      EXPECT_EQ(json::parse(again.out)["result"]["digest"], row["digest"]);
      EXPECT_THAT(std::string(row["message"]), HasSubstr("gelu("));
    }
    EXPECT_GT(alarms, 0);
    const Finished all = run_in(folder.path(), "plumb check there/findings --json --out again");
    EXPECT_EQ(all.status, 1)
        << all.err;  // every case in it fails, and nothing else is taken for one
    EXPECT_EQ(json::parse(all.out)["results"].size(), static_cast<std::size_t>(alarms));
  }
}

}  // namespace
}  // namespace plumb
