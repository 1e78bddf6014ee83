// A replay line alone, in a fresh process, gives the same verdict, digest and id.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json results_of(const ScratchFolder& folder, const std::string& command) {
  const Finished run = run_in(folder.path(), command);
  EXPECT_LE(run.status, 1) << command << "\n" << run.err;
  return json::parse(run.out)["results"];
}

/// Runs the replay line of a row of `plumb run` and compares.
void expect_replays(const ScratchFolder& folder, const json& row) {
  const std::string line = row["replay"];
  const json again = results_of(folder, line + " --json --out again");
  ASSERT_EQ(again.size(), 1u) << line;
  for (const char* field : {"verdict", "digest", "id", "seed", "threads", "oracle", "message"}) {
    EXPECT_EQ(again[0][field], row[field]) << line;
  }
  EXPECT_EQ(again[0]["replay"], line);
}

TEST(Replay, EveryLineOfTheCatalogueGivesTheSameVerdictAndDigest) {
  const ScratchFolder folder;
  const Finished all = run_in(folder.path(), "plumb run --json --timeout 600s");
  EXPECT_EQ(all.status, 0) << all.err;
  const json rows = json::parse(all.out)["results"];
  EXPECT_GE(rows.size(), 10u);
  for (const json& row : rows) {
    expect_replays(folder, row);
    EXPECT_NE(row["digest"], "") << row["replay"];
  }
}

TEST(Replay, TheLineOfAScenarioCarriesEveryFlagThatIsNoDefault) {
  const ScratchFolder folder;
  const std::string base = "plumb run misaligned-sequence --json ";
  const json plain = results_of(folder, base);
  const std::string flags =
      "--arm fixed --seed 7 --threads 2 --repeat 2 --oracle fp64 --contract composite "
      "--relations layout --timeout 90s --memory 2048MiB";
  const json rows = results_of(folder, base + flags);
  ASSERT_FALSE(rows.empty());
  for (const json& row : rows) {
    for (const char* flag :
         {"--seed 7", "--threads 2", "--repeat 2", "--oracle fp64", "--contract composite",
          "--relations layout", "--timeout 90s", "--memory 2GiB"}) {
      EXPECT_THAT(std::string(row["replay"]), HasSubstr(flag));
    }
    EXPECT_EQ(row["seed"], 7);
    expect_replays(folder, row);
  }
}

TEST(Replay, TheSeedChangesWhatAScenarioComputes) {
  const ScratchFolder folder;
  const std::string base = "plumb run misaligned-sequence --arm faulty --json";
  const json zero = results_of(folder, base)[0];
  const json seven = results_of(folder, base + " --seed 7")[0];
  EXPECT_EQ(results_of(folder, base + " --seed 0")[0]["digest"], zero["digest"]);
  EXPECT_EQ(seven["seed"], 7);
  EXPECT_NE(seven["digest"], zero["digest"]);
  EXPECT_NE(seven["id"], zero["id"]);
}

TEST(Replay, AWorkerThatGivesNoAnswerHasAWholeLineToo) {
  const ScratchFolder folder;
  const json row = results_of(folder,
                              "plumb run misaligned-sequence --arm faulty --seed 3 --timeout 0.01s "
                              "--json")[0];
  EXPECT_EQ(row["verdict"], "hung");
  EXPECT_EQ(row["replay"], "plumb run misaligned-sequence --arm faulty --seed 3 --timeout 0.01s");
}

TEST(Replay, TheLineOfACaseCarriesItsOverrides) {
  const ScratchFolder folder;
  folder.write("x.json", R"({"schema":"plumb.case/1","op":"aten::exp",
                             "args":{"self":{"shape":[64],"fill":"normal"}}})");
  const json row = results_of(folder,
                              "plumb check x.json --json --dtype bf16 --seed 5 --repeat 2 "
                              "--relations layout --contract composite")[0];
  EXPECT_EQ(row["dtype"], "bfloat16");
  EXPECT_EQ(row["replay"],
            "plumb replay x.json --dtype bfloat16 --seed 5 --repeat 2 --contract composite "
            "--relations layout");
  const json again = json::parse(run_in(folder.path(), std::string(row["replay"]) + " --json").out);
  EXPECT_TRUE(again["same"]);
  for (const char* field : {"verdict", "digest", "id", "seed"}) {
    EXPECT_EQ(again["result"][field], row[field]);
  }
}

/// The model lies beside its case, not where plumb runs.
TEST(Replay, ACaseOfAModelFileReplaysFromAnywhere) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "nets");
  torch::jit::Module module("Net");
  module.register_parameter("weight", at::arange(16, at::kFloat).reshape({4, 4}) / 7 - 1, false);
  module.define(
      "def forward(self, x):\n    return torch.log(torch.softmax(x @ self.weight, -1))\n");
  module.save(folder / "nets/net.pt");
  folder.write("nets/x.json", R"({"schema":"plumb.case/1","model":"net.pt",
                                  "inputs":{"x":{"data":[[999,0,0,1]]}}})");
  for (const std::string variant : {"eager", "jit"}) {
    const json row = results_of(folder, "plumb check nets/x.json --json --variant " + variant)[0];
    EXPECT_EQ(row["verdict"], "nonfinite") << row;
    const std::string line = row["replay"];
    EXPECT_THAT(line, HasSubstr("nets/x.json"));
    const json again = json::parse(run_in(folder.path(), line + " --json").out);
    EXPECT_TRUE(again["same"]) << line;
    for (const char* field : {"verdict", "digest", "id", "variant"}) {
      EXPECT_EQ(again["result"][field], row[field]) << line;
    }
  }
}

TEST(Replay, ACaseWithoutAnAnswerIsTheSameRow) {
  const ScratchFolder folder;
  folder.write("x.json", R"({"schema":"plumb.case/1","op":"aten::exp","seed":4,
                             "args":{"self":{"shape":[4000000],"fill":"normal"}}})");
  for (const char* flags : {"", " --seed 9 --threads 2"}) {
    const std::string command = std::string("plumb check x.json --json") + flags;
    const json answered = results_of(folder, command)[0];
    const json hung = results_of(folder, command + " --timeout 0.001s")[0];
    EXPECT_EQ(hung["verdict"], "hung");
    for (const char* field : {"id", "seed", "threads", "device", "op"}) {
      EXPECT_EQ(hung[field], answered[field]) << field;
    }
  }
}

TEST(Replay, OffersOnlyFlagsThatItHeeds) {
  const ScratchFolder folder;
  folder.write("x.json",
               R"({"schema":"plumb.case/1","op":"aten::exp","args":{"self":{"data":[1]}}})");
  EXPECT_EQ(run_in(folder.path(), "plumb replay x.json --out there").status, 2);
  const Finished quiet = run_in(folder.path(), "plumb replay x.json --quiet");
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out, "");
  const Finished two = run_in(folder.path(), "plumb replay x.json --dtype f32,bf16");
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasSubstr("one dtype"));
}

}  // namespace
}  // namespace plumb
