#include "harness/case.hpp"

#include <array>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/digest.hpp"
#include "harness/errors.hpp"
#include "harness/fill.hpp"
#include "harness/relation.hpp"
#include "harness/run.hpp"

namespace plumb {
namespace {

Case parsed(const std::string& body) {
  return case_from_json(Json::parse(R"({"schema":"plumb.case/1",)" + body + "}"), "x.json");
}

at::Tensor self_of(const std::string& spec, const std::string& more = "") {
  return parsed(R"("op":"aten::neg","args":{"self":)" + spec + "}" + more).subject.inputs["self"];
}

TEST(TensorSpec, InlineNumbersSurviveBitForBit) {
  const at::Tensor x = self_of(R"({"dtype":"float64","data":[0.1,-0.0,"nan","-inf","0x1.8p-1074",
                                   5e-324,1.7976931348623157e308]})");
  EXPECT_EQ(x[0].item<double>(), 0.1);
  EXPECT_TRUE(std::signbit(x[1].item<double>()));
  EXPECT_TRUE(std::isnan(x[2].item<double>()));
  EXPECT_EQ(x[3].item<double>(), -INFINITY);
  EXPECT_EQ(x[5].item<double>(), 5e-324);
  EXPECT_EQ(x[6].item<double>(), 1.7976931348623157e308);
  const at::Tensor i = self_of(R"({"dtype":"int64","data":[9223372036854775807]})");
  EXPECT_EQ(i[0].item<std::int64_t>(), 9223372036854775807);
}

TEST(TensorSpec, RoundsToHalfOnce) {
  // 1 + 2^-11 + 2^-40 lies above the middle of two halves; by way of float it would look like a
  // tie.
  const double x = 1 + 0x1p-11 + 0x1p-40;
  const at::Tensor half =
      self_of("{\"dtype\":\"float16\",\"data\":[" + std::string("\"0x1.00200000010p+0\"") + "]}");
  EXPECT_GT(x, 1 + 0x1p-11);
  EXPECT_EQ(half[0].item<double>(), 1 + 0x1p-10);
}

TEST(TensorSpec, ComplexNumbersArePairs) {
  const at::Tensor z = self_of(R"({"dtype":"complex64","data":[[1,2],[3,-4]]})");
  EXPECT_EQ(z.sizes(), at::IntArrayRef({2}));
  EXPECT_EQ(z[1].item<c10::complex<double>>(), c10::complex<double>(3, -4));
}

TEST(TensorSpec, TheCasesDtypeRoundsFloatingTensorsAlone) {
  EXPECT_EQ(self_of(R"({"dtype":"float64","data":[1]})", R"(,"dtype":"bf16")").scalar_type(),
            at::kBFloat16);
  EXPECT_EQ(self_of(R"({"dtype":"int32","data":[1]})", R"(,"dtype":"bf16")").scalar_type(),
            at::kInt);
}

TEST(TensorSpec, FillsAreWhatTheySay) {
  const auto fill = [](const std::string& name) {
    return self_of(R"({"shape":[64,64],"fill":")" + name + "\"}").to(at::kDouble);
  };
  for (const std::string& name : fill_names()) {
    EXPECT_EQ(fill(name).sizes(), at::IntArrayRef({64, 64})) << name;
    const bool is_finite = name != "masked" && name != "bits";
    EXPECT_EQ(fill(name).isfinite().all().item<bool>(), is_finite) << name;
    EXPECT_TRUE(fill(name).view(at::kLong).equal(fill(name).view(at::kLong))) << name;
  }
  EXPECT_LT(fill("normal").mean().abs().item<double>(), 0.1);
  EXPECT_GT(fill("near-overflow").abs().min().item<double>(), 1.7e38);
  EXPECT_LT(fill("subnormal").abs().max().item<double>(), 1.18e-38);
  EXPECT_NEAR(fill("offset").mean().item<double>(), 1000, 1);
  const at::Tensor exponents = fill("log-uniform").abs().log2();
  EXPECT_LT(exponents.min().item<double>(), -15);
  EXPECT_GT(exponents.max().item<double>(), 15);
  EXPECT_LT(fill("cancel").sum().abs().item<double>(), 1);
  EXPECT_TRUE(fill("integers").equal(fill("integers").round()));
  EXPECT_TRUE(fill("definite").equal(fill("definite").mT()));
  EXPECT_EQ(fill("palette").abs().max().item<double>(), 0);
}

TEST(Case, TheOverloadIsTheOneThatFits) {
  const auto op = [](const std::string& args) {
    return parsed(R"("op":"aten::add","args":)" + args).op;
  };
  EXPECT_EQ(op(R"({"self":{"data":[1]},"other":{"data":[1]}})"), "aten::add.Tensor");
  EXPECT_EQ(op(R"({"self":{"data":[1]},"other":2})"), "aten::add.Scalar");
  EXPECT_EQ(parsed(R"("op":"aten::sum","args":{"self":{"data":[1]},"dim":[0]})").op,
            "aten::sum.dim_IntList");
}

TEST(Case, StepsReferToInputsAndEarlierResults) {
  const Case stored = parsed(R"("inputs":{"x":{"data":[3,4]}},"steps":[
      {"op":"aten::mul.Tensor","args":{"self":"$x","other":"$x"},"out":"sq"},
      {"op":"aten::sum","args":{"self":"$sq"},"out":"s"},
      {"op":"aten::sqrt","args":{"self":"$s"}}])");
  const Outputs outputs = execute(stored.subject.program, stored.subject.inputs);
  EXPECT_EQ(outputs.at(0).tensor.item<float>(), 5);
}

// 0.1 is no float: torch rounds it beside a float tensor, and the oracle must mean the same number.
TEST(Case, AScalarIsRoundedToTheTypeOfTheTensorsBesideIt) {
  const auto other = [](const std::string& dtype, const std::string& op, const std::string& value) {
    const Case made = parsed(R"("op":")" + op + R"(","dtype":")" + dtype +
                             R"(","args":{"self":{"data":[0.1]},"other":)" + value + "}");
    return made.subject.inputs.find("other")->toDouble();
  };
  EXPECT_EQ(other("f32", "aten::eq.Scalar", "0.1"), double(0.1F));
  EXPECT_EQ(other("bf16", "aten::add.Scalar", "0.1"), 0x1.9ap-4);
  EXPECT_EQ(other("f64", "aten::add.Scalar", "0.1"), 0.1);
  EXPECT_EQ(other("f16", "aten::add.Scalar", "1e6"), 1e6);  // beyond its range
  const Result equal = run_case(
      parsed(R"("op":"aten::eq.Scalar","args":{"self":{"dtype":"f32","data":[0.1]},"other":0.1})"));
  EXPECT_EQ(equal.verdict, Verdict::exact) << equal.message;
}

// Its inputs are named freely, so that no oracle may take them for arguments.
TEST(Case, OneStepIsNotACallOfItsOperator) {
  EXPECT_EQ(parsed(R"("inputs": {"self": {"data": [1]}},
      "steps": [{"op": "aten::gelu", "args": {"self": "$self", "approximate": "tanh"}}])")
                .subject.program.name,
            "steps: aten::gelu");
}

std::string refusal(const std::string& body) {
  try {
    parsed(body);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Case, AResultThatAStepDoesNotHaveIsNamed) {
  const auto reading = [](const std::string& key) {
    return refusal(R"("inputs":{"x":{"data":[[1,2]]}},"steps":[
        {"op":"aten::max.dim","args":{"self":"$x","dim":0},"out":"y"},
        {"op":"aten::neg","args":{"self":")" +
                   key + R"("}}])");
  };
  EXPECT_EQ(reading("$y"), "accepted");
  EXPECT_EQ(reading("$y.1"), "accepted");
  for (const std::string key : {"$y.7", "$y.2", "$y.0", "$y.one", "$y.", "$x.1", "$y.1.1"}) {
    const std::string text = reading(key);
    EXPECT_TRUE(text.starts_with("x.json: steps[1].args.self: there is no "))
        << key << ": " << text;
  }
}

TEST(Case, WordsOutsideTheVocabularyNameFileKeyAndWhatThereIs) {
  const auto with = [](const std::string& key, const std::string& value) {
    return refusal(R"("op":"aten::exp","args":{"self":{"data":[1]}},")" + key + "\":" + value);
  };
  const std::vector<std::array<std::string, 3>> table = {
      {"oracle", "\"fp46\"", "auto, fp32, fp64, quad"},
      {"variant", "\"eagre\"", "eager"},
      {"relations", "[\"layuot\"]", "'layout'; there are batch"},
      {"dtype", "\"floot16\"", "float16"},
      {"dtype", "\"int32\"", "a floating type"},
      {"device", "\"tpuu\"", "cuda:N"},
      {"device", "\"meta\"", "cuda:N"},
      {"name", R"("\u001b[2J")", "control characters"},
      {"name", "\"\"", "1 to 200"},
      {"seed", "-1", "2^64-1"}};
  for (const auto& [key, value, wanted] : table) {
    const std::string text = with(key, value);
    EXPECT_TRUE(text.starts_with("x.json: " + key + ": ")) << text;
    EXPECT_NE(text.find(wanted), std::string::npos) << text;
  }
  EXPECT_EQ(with("seed", "18446744073709551615"), "accepted");
}

/// As `--relations` of the command line.
TEST(Case, RelationsMayBeAWordForSeveral) {
  const auto relations = [](const std::string& list) {
    return parsed(R"("op":"aten::exp","args":{"self":{"data":[1]}},"relations":)" + list)
        .settings.relations;
  };
  EXPECT_EQ(relations("[\"all\"]"), relations_from("all"));
  EXPECT_EQ(relations("[\"usual\"]"), relations_from("usual"));
  EXPECT_TRUE(relations("[\"none\"]").empty());
  EXPECT_GT(relations("[\"all\"]").size(), relations("[\"usual\"]").size());
}

TEST(Case, IsKnownBeforeATensorIsMade) {
  bool announced = false;
  const Json json = Json::parse(R"({"schema":"plumb.case/1","name":"n","op":"aten::add",
      "args":{"self":{"data":[1]},"other":{"data":"wrong"}},"expect":{"verdict":["crashed"]}})");
  EXPECT_THROW(case_from_json(json, "x.json",
                              [&](const Case& known) {
                                announced = true;
                                EXPECT_EQ(known.op, "aten::add.Tensor");
                                EXPECT_EQ(known.expect->verdicts.front(), "crashed");
                              }),
               InputError);
  EXPECT_TRUE(announced);
}

TEST(Case, IntegersOfArgumentsDoNotWrap) {
  EXPECT_NE(refusal(R"("op":"aten::sum.dim_IntList",
                       "args":{"self":{"data":[1]},"dim":[18446744073709551615]})")
                .find("64 bits"),
            std::string::npos);
  EXPECT_NE(refusal(R"("op":"aten::add.Scalar",
                       "args":{"self":{"data":[1]},"other":18446744073709551615})")
                .find("64 bits"),
            std::string::npos);
}

TEST(Case, GradientsFollowTheOutputs) {
  const Case stored = parsed(
      R"("op":"aten::mul.Tensor","args":{"self":{"data":[2]},"other":{"data":[5]}},
         "grad":["self"],"cotangent":{"data":[10]})");
  const Outputs outputs = execute(stored.subject.program, stored.subject.inputs);
  EXPECT_EQ(outputs.at(1).name, "grad:self");
  EXPECT_EQ(outputs.at(1).tensor.item<float>(), 50);
}

TEST(Case, WrittenArgumentsAreOutputs) {
  const Case stored = parsed(R"("op":"aten::relu_","args":{"self":{"data":[-1,2]}})");
  const Outputs outputs = execute(stored.subject.program, private_copy(stored.subject.inputs));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].tensor[0].item<float>(), 0);
  EXPECT_EQ(stored.subject.inputs["self"][0].item<float>(), -1);
}

TEST(Case, TheIdIgnoresTheExpectation) {
  const std::string body = R"("op":"aten::neg","args":{"self":{"data":[1]}})";
  const Result plain = run_case(parsed(body));
  const Result expecting = run_case(parsed(body + R"(,"expect":{"verdict":["exact"]})"));
  EXPECT_EQ(plain.id, expecting.id);
  EXPECT_TRUE(plain.id.starts_with("x/case/aten::neg/eager/mixed/cpu#")) << plain.id;
}

TEST(Digest, DependsOnDtypeShapeAndBytesButNotOnTheKindOfNaN) {
  const auto of = [](const at::Tensor& t) { return digest({{"output 0", t}}); };
  const at::Tensor x = at::tensor({1.0, NAN}, at::kDouble);
  at::Tensor other_nan = x.clone();
  other_nan.view(at::kLong)[1] = 0x7ff8000000000123;
  EXPECT_EQ(of(x), of(other_nan));
  EXPECT_NE(of(x), of(x.to(at::kFloat)));
  EXPECT_NE(of(x), of(x.unsqueeze(0)));
  const at::Tensor m = at::arange(6, at::kFloat).reshape({2, 3});
  EXPECT_EQ(of(m), of(m.t().contiguous().t()));  // row-major bytes, whatever the strides
}

}  // namespace
}  // namespace plumb
