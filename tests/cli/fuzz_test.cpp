#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;
using testing::HasSubstr;

namespace fs = std::filesystem;

json results_in(const ScratchFolder& folder, const std::string& out = "out") {
  return json::parse(slurp(folder / (out + "/results.json")))["results"];
}

std::vector<std::string> ids(const json& results) {
  std::vector<std::string> all;
  for (const json& row : results)
    all.push_back(row["id"].get<std::string>() + row["digest"].dump());
  return all;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

/// Whether no two of these failures, a line each, look the same.
bool are_distinct(const std::string& failures) {
  std::set<std::string> distinct;
  std::istringstream lines(failures);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json row = json::parse(line)["row"];
    std::string what;
    for (const char* field : {"dtype", "verdict", "where", "path"}) what += row[field].dump();
    distinct.insert(what);
  }
  return count > 0 && distinct.size() == count;
}

TEST(Fuzz, FindsWhatIsNotFiniteFromAnEmptyCorpusAndItsProgramShowsIt) {
  const ScratchFolder folder;
  const Finished run = run_in(folder.path(),
                              "plumb fuzz layer_norm softmax.int --goal nonfinite --runs 2000 "
                              "--seed 1 --dtype f32 --forward-only");
  EXPECT_EQ(run.status, 1) << run.err;
  const json results = results_in(folder);
  ASSERT_GE(results.size(), 2u) << run.out;
  EXPECT_EQ(results[0]["verdict"], "nonfinite");
  EXPECT_EQ(results[0]["op"], "aten::layer_norm");
  EXPECT_THAT(run.out, HasSubstr("plumb replay "));
  for (const auto& found : fs::directory_iterator(folder / "out/findings")) {
    const Finished shown =
        run_in(folder.path(), PLUMB_PYTHON " " + (found.path() / "repro.py").string());
    EXPECT_EQ(shown.status, 1) << found.path() << shown.out << shown.err;
    const Finished again = run_in(folder.path(), "plumb replay " + found.path().string());
    EXPECT_EQ(again.status, 0) << again.out << again.err;
  }
}

TEST(Fuzz, FindsWhereAttentionLeavesFlashAndWhy) {
  const ScratchFolder folder;
  const Finished run = run_in(folder.path(),
                              "plumb fuzz scaled_dot_product_attention --goal fallback --runs 400 "
                              "--seed 1 --dtype f32 --forward-only");
  EXPECT_EQ(run.status, 1) << run.err;
  const json results = results_in(folder);
  EXPECT_EQ(results[0]["verdict"], "fallback") << run.out;
  std::vector<std::string> conditions;
  for (const json& table : results.back()["tables"]) {
    if (table["name"] != "boundary") continue;
    for (const json& row : table["rows"]) conditions.push_back(row[2]);
  }
  EXPECT_THAT(conditions, testing::Contains("every second key"));
  EXPECT_THAT(run.out, HasSubstr("scaled_dot_product_attention leaves its fused kernel with\n"));
  EXPECT_THAT(run.out, testing::ContainsRegex("\n  every second key +float32\n"));
  EXPECT_THAT(conditions, testing::Not(testing::Contains("values")));
  for (const auto& found : fs::directory_iterator(folder / "out/findings")) {
    const Finished shown =
        run_in(folder.path(), PLUMB_PYTHON " " + (found.path() / "repro.py").string());
    EXPECT_EQ(shown.status, 1) << shown.out << shown.err;
    EXPECT_THAT(shown.out, HasSubstr("did not run: ['aten::_scaled_dot_product_flash"));
  }
}

/// The log's reproduce string alone leads to the same case in one execution.
TEST(Fuzz, RapidCheckMakesAFailureSimplerAndSaysHowToSeeItAgain) {
  const ScratchFolder folder;
  const std::string search =
      "plumb fuzz layer_norm --driver rapidcheck --goal nonfinite --seed 1 --dtype f32 "
      "--forward-only --no-minimize";
  const Finished run = run_in(folder.path(), search + " --runs 2000");
  EXPECT_EQ(run.status, 1) << run.err;
  const std::string log = slurp(folder / "out/campaign/log-0-0");
  EXPECT_THAT(log, HasSubstr(" shrinks"));
  EXPECT_THAT(log, HasSubstr(R"("fill":"near-overflow")"));
  const std::size_t at = log.find("RC_PARAMS='");
  ASSERT_NE(at, std::string::npos) << log;
  const std::string parameters = log.substr(at, log.find('\n', at) - at);
  const Finished again = run_in(folder.path(), parameters + " " + search + " --runs 1 --out again");
  EXPECT_EQ(again.status, 1) << again.err;
  EXPECT_EQ(results_in(folder, "again")[0]["message"], results_in(folder)[0]["message"]);
}

TEST(Fuzz, LibFuzzerSeesTheCounters) {
  const ScratchFolder folder;
  run_in(folder.path(), "plumb fuzz exp --runs 300 --seed 1");
  const std::string log = slurp(folder / "out/campaign/log-0-0");
  EXPECT_THAT(log, HasSubstr("32768 Extra Counters"));
  EXPECT_GT(files_in(folder / "out/campaign/inputs"), 20u);
}

TEST(Fuzz, CountersAreInTheProgramAlone) {
  const std::string bin = fs::path(PLUMB_PROGRAM).parent_path().string();
  const auto has = [&](const std::string& file) {
    return run_in(bin, "grep -q LLVMFuzzerCustomMutator " + file).status == 0;
  };
  EXPECT_TRUE(has("plumb"));
  EXPECT_FALSE(has("libplumbline.so"));
}

TEST(Fuzz, TheSameSeedFindsTheSame) {
  const ScratchFolder folder;
  for (const char* out : {"one", "other"}) {
    run_in(folder.path(), std::string("plumb fuzz gelu sinc --runs 1500 --seed 5 --out ") + out);
  }
  const auto one = ids(results_in(folder, "one"));
  EXPECT_GE(one.size(), 2u);
  EXPECT_EQ(one, ids(results_in(folder, "other")));
}

TEST(Fuzz, GoesOnFromACorpusAndKeepsWhatItFound) {
  const ScratchFolder folder;
  run_in(folder.path(), "plumb fuzz gelu --corpus kept --no-minimize --runs 1500 --seed 5");
  const std::size_t found = results_in(folder).size();
  const std::size_t inputs = files_in(folder / "kept/inputs");
  EXPECT_GE(found, 2u);
  const Finished again =
      run_in(folder.path(), "plumb fuzz gelu --corpus kept --no-minimize --runs 100 --seed 6");
  EXPECT_GE(results_in(folder).size(), found);
  EXPECT_GE(files_in(folder / "kept/inputs"), inputs);
  // What is there is neither an execution of this search nor caught once more.
  EXPECT_THAT(again.out, HasSubstr("\n100 executions, "));
  EXPECT_TRUE(are_distinct(slurp(folder / "kept/failures-0-0")));
  // Failures of what is not searched do not count.
  run_in(folder.path(), "plumb fuzz sinc --corpus kept --no-minimize --runs 50 --seed 7");
  for (const json& row : results_in(folder)) {
    EXPECT_THAT(row["op"].get<std::string>(), HasSubstr("sinc"));
  }
  EXPECT_THAT(slurp(folder / "kept/log-0-0"), HasSubstr("seed corpus: files: "));
}

TEST(Fuzz, AnInterruptedSearchKeepsWhatItHas) {
  const ScratchFolder folder;
  const Finished run =
      run_in(folder.path(),
             "timeout --preserve-status -s INT 8 plumb fuzz gelu sinc --time 300s --no-minimize");
  EXPECT_EQ(run.status, 130) << run.err;
  EXPECT_THAT(run.err, HasSubstr("stopped by SIGINT"));
  EXPECT_GT(files_in(folder / "out/campaign/inputs"), 0u);
  EXPECT_GE(results_in(folder).size(), 2u);
}

TEST(Fuzz, ATerminalShowsHowFarItIs) {
  const ScratchFolder folder;
  const Finished run = run_in(
      folder.path(), "script -qec 'plumb fuzz gelu --time 4s --no-minimize --seed 1' /dev/null");
  EXPECT_THAT(run.out, HasSubstr("searching: "));
  EXPECT_THAT(run.out, HasSubstr(" s left"));
  EXPECT_THAT(run.out, HasSubstr("confirming "));
  const Finished piped =
      run_in(folder.path(), "plumb fuzz gelu --time 2s --no-minimize --seed 1 2>&1");
  EXPECT_THAT(piped.out, testing::Not(HasSubstr("searching: ")));
}

TEST(Fuzz, RefusesWhatItDoesNotUnderstand) {
  const ScratchFolder folder;
  expect_refused(folder, "plumb fuzz exp --shard 2/2", {"--shard", "2/8"});
  expect_refused(folder, "plumb fuzz exp --shard 1", {"--shard"});
  expect_refused(folder, "plumb fuzz exp --goal nonfinit", {"nearest is 'nonfinite'"});
  expect_refused(folder, "plumb fuzz exp --time never", {"--time", "60s"});
  expect_refused(folder, "plumb fuzz exp --dtype float8_e4m3fn", {"--dtype"});
  expect_refused(folder, "plumb fuzz exp --driver centipede", {"--driver"});
  expect_refused(folder, "plumb fuzz no_such_operator", {"no_such_operator"});
  expect_refused(folder, "plumb fuzz exp --variant jit", {"--variant"});
}

}  // namespace
}  // namespace plumb
