#include <gtest/gtest.h>

#include "findings/passes.hpp"
#include "tests/findings/fake_case.hpp"

namespace plumb {
namespace {

TEST(DropExtras, LeavesWhatTheFailureNeeds) {
  Json stored = fake_case({{"self", {{"data", {1}}}}, {"needed", 1}, {"other", 2}});
  stored["grad"] = {"self", "other"};
  stored["relations"] = {"layout", "threads"};
  stored["seed"] = 7;
  Search search(stored, 100, [](const Json& candidate) {
    const Json relations = candidate.value("relations", Json::array());
    return candidate["args"].contains("needed") && relations.size() > 0 &&
           relations.back() == "threads";
  });
  drop_extras(search);
  EXPECT_EQ(search.best()["args"], (Json{{"needed", 1}}));
  EXPECT_EQ(search.best()["relations"], (Json::array({"threads"})));
  EXPECT_FALSE(search.best().contains("grad"));
  EXPECT_FALSE(search.best().contains("seed"));
}

TEST(DropExtras, TakesItemsFromAListOfTensors) {
  const Json tensor = {{"data", {1}}};
  const Json wanted = {{"data", {"nan"}}};
  Search search(fake_case({{"tensors", {tensor, wanted, tensor}}}), 100,
                [&](const Json& candidate) {
                  if (!candidate["args"].contains("tensors")) return false;
                  const Json& list = candidate["args"]["tensors"];
                  return std::find(list.begin(), list.end(), wanted) != list.end();
                });
  drop_extras(search);
  EXPECT_EQ(search.best()["args"]["tensors"], Json::array({wanted}));
}

/// gelu by tanh and gelu by erf are two formulas, and one may fail where the other does too.
TEST(DropExtras, AFormulaThatIsNamedStays) {
  struct {
    const char* op;
    const char* argument;
    const char* value;
    bool stays;
  } const table[] = {{"aten::gelu", "approximate", "tanh", true},
                     {"aten::gelu", "approximate", "none", false},
                     {"aten::div", "rounding_mode", "floor", true},
                     {"aten::add", "alpha", "inf", false}};
  for (const auto& [op, argument, value, stays] : table) {
    const Json args = {{"self", {{"data", {-5.5}}}}, {argument, value}};
    Json alone = fake_case(args);
    alone["op"] = op;
    const Json program = {{"schema", "plumb.case/1"}, {"steps", {{{"op", op}, {"args", args}}}}};
    const auto always = [](const Json&) { return true; };
    Search of_call(alone, 100, always), of_program(program, 100, always);
    drop_extras(of_call);
    drop_extras(of_program);
    EXPECT_EQ(of_call.best()["args"].contains(argument), stays) << op << " " << value;
    EXPECT_EQ(of_program.best()["steps"][0]["args"].contains(argument), stays) << op;
  }
}

TEST(DropExtras, TheVariantAndTheDeviceStay) {
  Json stored = fake_case({{"self", {{"data", {1}}}}});
  stored["variant"] = "eager";
  stored["device"] = "cpu";
  Search search(stored, 100, [](const Json&) { return true; });
  drop_extras(search);
  EXPECT_TRUE(search.best().contains("variant") && search.best().contains("device"));
}

}  // namespace
}  // namespace plumb
