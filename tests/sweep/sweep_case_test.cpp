#include "sweep/sweep_case.hpp"

#include <set>

#include <gtest/gtest.h>

#include "harness/case.hpp"
#include "sweep/planner.hpp"
#include "sweep/targets.hpp"
#include "sweep/values.hpp"

namespace plumb {
namespace {

std::vector<Plan> plans_of(const char* name) {
  std::string ignored;
  return plans_for({targets({name}).front().handle}, ignored);
}

TEST(SweepCase, IsTheSameForTheSameSeedAndIndexAndAnotherForAnother) {
  const auto plans = plans_of("aten::exp");
  const CaseSource source{.op = "aten::exp", .dtype = "float32", .seed = 3};
  CaseSource other = source;
  other.seed = 4;
  EXPECT_EQ(sweep_case(source, plans, 5), sweep_case(source, plans, 5));
  EXPECT_NE(sweep_case(source, plans, 5), sweep_case(source, plans, 6));
  EXPECT_NE(sweep_case(source, plans, 5), sweep_case(other, plans, 5));
}

TEST(SweepCase, EveryOneIsACaseThatPlumbReads) {
  for (const char* op : {"aten::exp", "aten::linear", "aten::gather", "aten::cat"}) {
    const auto plans = plans_of(op);
    ASSERT_FALSE(plans.empty()) << op;
    for (const char* dtype : {"float32", "float16", "bfloat16", "float64"}) {
      for (int i = 0; i < 30; ++i) {
        const Json json = sweep_case({.op = op, .dtype = dtype}, plans, i);
        EXPECT_NO_THROW(case_from_json(json, "sweep")) << json;
      }
    }
  }
}

TEST(SweepCase, GoesThroughAllProgramsLengthsAndLayouts) {
  const auto plans = plans_of("aten::exp2");
  std::set<std::string> fills;
  std::set<std::int64_t> lengths;
  std::set<std::string> layouts;
  for (int i = 0; i < 60; ++i) {
    const Json self =
        sweep_case({.op = "aten::exp2", .dtype = "float32"}, plans, i)["args"]["self"];
    fills.insert(self["fill"].dump() + self["params"].dump());
    lengths.insert(self["shape"].back().get<std::int64_t>());
    for (const char* key : {"strides", "offset", "view"}) {
      if (self.contains(key)) layouts.insert(key);
    }
  }
  EXPECT_GE(fills.size(), value_programs().size());
  EXPECT_EQ(layouts.size(), 3u);
  for (const std::int64_t length : {0, 1, 15 + 1, 17, 1025}) {
    EXPECT_TRUE(lengths.contains(length)) << length;
  }
}

/// Of three plans, each also where both tensors have the values of the program.
TEST(SweepCase, EveryPlanMeetsEveryProgramInAnyCompany) {
  const auto plans = plans_of("aten::mm");
  ASSERT_EQ(plans.size(), 3u);
  std::set<std::string> met;
  for (int i = 0; i < 19 * 9; ++i) {
    const Json args = sweep_case({.op = "aten::mm", .dtype = "float32"}, plans, i)["args"];
    const Json& last = args["mat2"];
    const bool alike =
        args["self"]["fill"] == last["fill"] && args["self"]["params"] == last["params"];
    met.insert(last["shape"][1].dump() + last.value("dtype", "") + std::to_string(i % 19) +
               (alike ? "both" : "one"));
  }
  EXPECT_EQ(met.size(), 3u * (2 * 19 - 1));  // beside ordinary values they are always alike
}

TEST(SweepCase, TheFirstTwoAreOrdinaryInValuesAndLayout) {
  const auto plans = plans_of("aten::linear");
  for (const int i : {0, 1}) {
    const Json json = sweep_case({.op = "aten::linear", .dtype = "float32"}, plans, i);
    for (const auto& [name, tensor] : json["args"].items()) {
      if (!tensor.is_object()) continue;
      EXPECT_EQ(tensor["fill"], i == 0 ? "normal" : "uniform");
      EXPECT_FALSE(tensor.contains("strides") || tensor.contains("view")) << tensor;
    }
  }
}

TEST(SweepCase, WhatReadsTheStorageItselfKeepsItsLayout) {
  const auto plans = plans_of("aten::as_strided_scatter");
  for (int i = 0; i < 14; ++i) {
    const Json self = sweep_case({.op = "aten::as_strided_scatter", .dtype = "float32"}, plans,
                                 i)["args"]["self"];
    EXPECT_FALSE(self.contains("strides") || self.contains("view") || self.contains("offset"));
  }
}

/// The layouts of a tensor of rank 4 as ATen sees them.
// as_strided spreads gradients over elements that share memory, as its documentation says.
TEST(SweepCase, NoGradientOfFramesIsAskedOfAnExpandedLeaf) {
  const auto plans = plans_of("aten::stft");
  const auto is_expanded = [&](bool gradient, int i) {
    const CaseSource source{.op = "aten::stft", .dtype = "float32", .gradient = gradient};
    const Json self = sweep_case(source, plans, i)["args"]["self"];
    return self.contains("strides") && self["strides"][0] == 0;
  };
  int forward = 0;
  for (int i = 0; i < 14; ++i) {
    forward += static_cast<int>(is_expanded(false, i));
    EXPECT_FALSE(is_expanded(true, i)) << i;
  }
  EXPECT_EQ(forward, 2);
}

// Of a zero of padding times NaN nothing is said anywhere; without padding NaN is a value like any.
TEST(SweepCase, WeightsBesidePaddingAreFinite) {
  const auto plans = plans_of("aten::conv1d");
  const auto can_be_special = [&](bool padded) {
    bool found = false;
    for (int i = 0; i < 19 * 12; ++i) {
      const Json args = sweep_case({.op = "aten::conv1d", .dtype = "float32"}, plans, i)["args"];
      const std::string values = args["weight"]["fill"].dump() + args["weight"]["params"].dump();
      const bool special =
          values.find("inf") != std::string::npos || values.find("masked") != std::string::npos;
      found |= special && args.contains("padding") == padded;
    }
    return found;
  };
  EXPECT_TRUE(can_be_special(false));
  EXPECT_FALSE(can_be_special(true));
}

// "All elements must be greater than (p-1)/2, otherwise the behavior is undefined."
TEST(SweepCase, TheMultivariateGammaFunctionIsAskedInItsDomain) {
  for (const char* op : {"aten::mvlgamma", "aten::special_multigammaln"}) {
    for (int i = 0; i < 57; ++i) {
      const Json args = sweep_case({.op = op, .dtype = "bfloat16"}, plans_of(op), i)["args"];
      const Json& params = args["self"]["params"];
      const double low = params.contains("low") ? params["low"].get<double>()
                                                : params["values"].front().get<double>();
      EXPECT_GT(low, (args["p"].get<double>() - 1) / 2) << args;
    }
  }
}

TEST(SweepCase, LayoutsAreWhatTheySay) {
  const auto plans = plans_of("aten::avg_pool2d");
  std::set<std::string> seen;
  for (int i = 0; i < 28; ++i) {
    const Json json = sweep_case({.op = "aten::avg_pool2d", .dtype = "float32"}, plans, i);
    const Case made = case_from_json(json, "sweep");
    const at::Tensor self = made.subject.inputs["self"];
    if (self.numel() == 0 || self.size(3) == 1) continue;
    if (self.is_neg()) seen.insert("neg");
    if (self.storage_offset() == 1) seen.insert("offset");
    if (self.stride(0) == 0) seen.insert("expanded");
    if (self.stride(3) == 2) seen.insert("spread");
    if (self.is_contiguous(at::MemoryFormat::ChannelsLast)) seen.insert("channels last");
    if (self.is_contiguous()) seen.insert("contiguous");
  }
  EXPECT_EQ(seen, (std::set<std::string>{"neg", "offset", "expanded", "spread", "channels last",
                                         "contiguous"}));
}

TEST(SweepCase, LongLengthsAreForOperatorsThatStayCheap) {
  const auto mm = plans_of("aten::mm");
  const auto square = plans_of("aten::det");  // n by n
  const auto longest = [](const char* op, const std::vector<Plan>& plans) {
    std::int64_t length = 0;
    for (int i = 0; i < 100; ++i) {
      const Json json = sweep_case({.op = op, .dtype = "float32"}, plans, i);
      length = std::max(length, json["args"]["self"]["shape"].back().get<std::int64_t>());
    }
    return length;
  };
  EXPECT_EQ(longest("aten::mm", mm), 2048);
  EXPECT_EQ(longest("aten::det", square), 257);
}

TEST(SweepCase, ComplexNumbersAreForFloat32) {
  const auto plans = plans_of("aten::exp");
  const auto any_complex = [&](const char* dtype) {
    for (int i = 0; i < 10; ++i) {
      const Json json = sweep_case({.op = "aten::exp", .dtype = dtype}, plans, i);
      if (json["args"]["self"].value("dtype", "") == "complex64") return true;
    }
    return false;
  };
  EXPECT_TRUE(any_complex("float32"));
  EXPECT_FALSE(any_complex("bfloat16") || any_complex("float64"));
}

}  // namespace
}  // namespace plumb
