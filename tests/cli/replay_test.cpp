// Every scenario's replay line, in a fresh process, gives the same verdict and digest.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;

TEST(Replay, EveryLineOfTheCatalogueGivesTheSameVerdictAndDigest) {
  const ScratchFolder folder;
  const Finished all = run_in(folder.path(), "plumb run --json --timeout 600s");
  EXPECT_EQ(all.status, 0) << all.err;
  const json rows = json::parse(all.out)["results"];
  EXPECT_GE(rows.size(), 10u);
  for (const json& row : rows) {
    const Finished again = run_in(
        folder.path(), row["replay"].get<std::string>() + " --json --timeout 600s --out again");
    const json replayed = json::parse(again.out)["results"];
    ASSERT_EQ(replayed.size(), 1u) << row["replay"];
    EXPECT_EQ(replayed[0]["verdict"], row["verdict"]) << row["replay"];
    EXPECT_EQ(replayed[0]["digest"], row["digest"]) << row["replay"];
    EXPECT_EQ(replayed[0]["id"], row["id"]) << row["replay"];
    EXPECT_NE(row["digest"], "") << row["replay"];
  }
}

}  // namespace
}  // namespace plumb
