// Shards of a search joined into one.

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;
using testing::HasSubstr;

namespace fs = std::filesystem;

class Merge : public testing::Test {
 protected:
  /// A shard of a search of two operators with findings each, in the folder SHARD.
  void search(const std::string& shard) const {
    const Finished run =
        run_in(folder_.path(), "SLURM_ARRAY_TASK_ID=" + shard +
                                   " SLURM_ARRAY_TASK_COUNT=2 plumb fuzz gelu sinc --shard auto "
                                   "--runs 1500 --seed 5 --no-minimize --out " +
                                   shard);
    ASSERT_LE(run.status, 1) << run.err;
    ASSERT_GE(results(shard).size(), 2U) << run.out;
  }

  json results(const std::string& out) const {
    return json::parse(slurp(folder_ / (out + "/results.json")))["results"];
  }

  Finished merge(const std::string& arguments) const {
    return run_in(folder_.path(), "plumb merge " + arguments);
  }

  /// Names in a folder.
  std::set<std::string> names(const std::string& place) const {
    std::set<std::string> all;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_ / place, ignored)) {
      all.insert(entry.path().filename());
    }
    return all;
  }

  std::set<std::string> ids(const std::string& out) const {
    std::set<std::string> all;
    for (const json& row : results(out)) {
      if (row["name"] == "merge") continue;
      EXPECT_TRUE(all.insert(row["id"]).second) << row["id"];
    }
    return all;
  }

  static std::set<std::string> joined(std::set<std::string> a, const std::set<std::string>& b) {
    a.insert(b.begin(), b.end());
    return a;
  }

  ScratchFolder folder_;
};

TEST_F(Merge, JoinsRowsFindingsAndInputs) {
  search("0");
  search("1");
  EXPECT_EQ(merge("0 1 --out all").status, 1);
  EXPECT_EQ(ids("all"), joined(ids("0"), ids("1")));
  EXPECT_EQ(names("all/findings"), joined(names("0/findings"), names("1/findings")));
  const std::size_t inputs = names("all/campaign/inputs").size();
  EXPECT_GT(inputs, 0U);
  EXPECT_LE(inputs, names("0/campaign/inputs").size() + names("1/campaign/inputs").size());
  EXPECT_THAT(results("all").back()["message"].get<std::string>(), HasSubstr("joined 2 folders"));
  const std::string once = slurp(folder_ / "all/results.json");
  merge("0 1 --out all");
  EXPECT_EQ(slurp(folder_ / "all/results.json"), once);
  EXPECT_EQ(names("all/campaign/inputs").size(), inputs);
  const std::set<std::string> before = ids("all");
  merge("all 1 --out all");
  EXPECT_EQ(ids("all"), before);
  EXPECT_EQ(names("all/campaign/inputs").size(), inputs);
  for (const json& row : results("all")) {
    const std::string replay = row["replay"];
    if (replay.empty()) continue;
    EXPECT_THAT(replay, HasSubstr("plumb replay all/findings/"));
    EXPECT_EQ(run_in(folder_.path(), replay).status, 0) << replay;
  }
}

/// Planted: a shard that was killed when it had searched and not filed.
TEST_F(Merge, AShardThatDiedLosesNothing) {
  search("0");
  search("1");
  const std::set<std::string> findings = joined(names("0/findings"), names("1/findings"));
  fs::remove_all(folder_ / "1/findings");
  for (const char* file : {"results.json", "report.html", "junit.xml", "summary.md"}) {
    fs::remove(folder_ / (std::string("1/") + file));
  }
  const Finished run = merge("0 1 --no-minimize --out all");
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_EQ(names("all/findings"), findings);
  EXPECT_THAT(results("all").back()["message"].get<std::string>(), HasSubstr("no results in 1"));
  merge("all 0 1 --no-minimize --out all");
  EXPECT_EQ(names("all/findings"), findings);
}

TEST_F(Merge, SaysWhichFindingsItCannotRead) {
  search("0");
  const std::set<std::string> findings = names("0/findings");
  ASSERT_GE(findings.size(), 2U);
  folder_.write("0/findings/" + *findings.begin() + "/finding.json", "{\"schema\":");
  folder_.write("0/findings/" + *findings.rbegin() + "/case.json", "");
  merge("0 --no-minimize --out all");
  EXPECT_EQ(names("all/findings").size(), findings.size() - 2);
  EXPECT_THAT(results("all").back()["message"].get<std::string>(),
              testing::AllOf(HasSubstr("cannot be read"), HasSubstr(*findings.begin()),
                             HasSubstr(*findings.rbegin())));
}

/// An input that adds nothing is left out.
TEST_F(Merge, KeepsOnlyInputsThatLightAFeature) {
  search("0");
  const std::set<std::string> inputs = names("0/campaign/inputs");
  const std::string longest = *inputs.rbegin();
  // The same case in more bytes: what is left over at the end means nothing.
  folder_.write("0/campaign/inputs/longer",
                slurp(folder_ / ("0/campaign/inputs/" + longest)) + std::string(9, '\0'));
  merge("0 --out alone");
  const std::size_t kept = names("alone/campaign/inputs").size();
  EXPECT_GT(kept, 0U);
  EXPECT_LE(kept, inputs.size());
}

TEST_F(Merge, RefusesWhatCannotBeJoined) {
  expect_refused(folder_, "plumb merge nosuch", {"nosuch", "expected a folder"});
  fs::create_directories(folder_ / "a");
  expect_refused(folder_, "plumb merge a", {"a: expected a folder"});
  folder_.write("x.json",
                R"({"schema":"plumb.case/1","op":"aten::exp","args":{"self":{"data":[1]}}})");
  run_in(folder_.path(), "plumb check x.json --out a; plumb check x.json --out b");
  EXPECT_EQ(merge("a b --out ab").status, 0);
  EXPECT_EQ(results("ab").size(), 2U);  // the same row once, and what was joined
  json other = json::parse(slurp(folder_ / "b/results.json"));
  other["environment"]["torch"] = "1.0";
  folder_.write("b/results.json", other.dump());
  expect_refused(folder_, "plumb merge a b", {"b/results.json: environment: torch 1.0"});
  folder_.write("b/results.json", "{}");
  expect_refused(folder_, "plumb merge a b", {"b/results.json"});
}

}  // namespace
}  // namespace plumb
