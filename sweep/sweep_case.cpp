#include "sweep/sweep_case.hpp"

#include <array>
#include <cmath>

#include "harness/dtype.hpp"

namespace plumb {
namespace {

/// A value program: the keys of a generated tensor, by what the type can hold.
struct ValueProgram {
  std::string name;
  std::function<Json(const FormatTraits& format, int round)> fill;
};

Json fill(const char* name, Json params = Json::object()) {
  return {{"fill", name}, {"params", std::move(params)}};
}

Json exponents(double low, double high) {
  return fill("log-uniform", {{"min_exponent", low}, {"max_exponent", high}});
}

double top_exponent(const FormatTraits& format) { return std::floor(std::log2(format.max_finite)); }

/// Numbers at which formulas change or break: limits of exp, saturation tails, integer stalls.
constexpr std::array kPalette = {1.0,    0.5,   -1.0,  0.0,        88.73,  -103.97, 11.09, -5.5,
                                 17.0,   -9.0,  1e-3,  256.0,      2048.0, 1e4,     1e-7,  -0.5,
                                 1000.0, 1e-20, -1e18, 16777216.0, 3e38,   1e-40,   89.41, -17.0};

const std::vector<ValueProgram>& programs() {
  static const std::vector<ValueProgram> all = {
      {"normal", [](const FormatTraits&, int) { return fill("normal"); }},
      {"unit", [](const FormatTraits&, int) { return fill("uniform"); }},
      {"wide", [](const FormatTraits& f,
                  int) { return exponents(-0.4 * top_exponent(f), 0.4 * top_exponent(f)); }},
      {"palette",
       [](const FormatTraits&, int round) {
         return fill("constant",
                     {{"value", kPalette[static_cast<std::size_t>(round) % kPalette.size()]}});
       }},
      {"offset", [](const FormatTraits&, int) { return fill("offset"); }},
      {"tails",
       [](const FormatTraits&, int) {
         return fill("uniform", {{"low", -20}, {"high", 20}});
       }},
      {"cancelling", [](const FormatTraits&, int) { return fill("cancel"); }},
      {"huge",  // squares overflow
       [](const FormatTraits& f, int) {
         return exponents(0.5 * top_exponent(f), 0.5 * top_exponent(f) + 3);
       }},
      {"near-overflow", [](const FormatTraits&, int) { return fill("near-overflow"); }},
      {"tiny",  // squares vanish
       [](const FormatTraits& f, int) {
         return exponents(-0.6 * top_exponent(f), -0.5 * top_exponent(f));
       }},
      {"subnormal", [](const FormatTraits&, int) { return fill("subnormal"); }},
      {"ties",
       [](const FormatTraits&, int) {
         return fill("integers", {{"low", -2}, {"high", 3}});
       }},
      {"positive", [](const FormatTraits&, int) { return exponents(-3, 8); }},
  };
  return all;
}

/// One vector of AVX-512, one less, one more, two, and what dispatch changes at.
constexpr std::array<std::int64_t, 11> kLengths = {17, 64, 1, 33, 8, 100, 16, 257, 3, 32, 65};

/// Every second element of a storage twice as long.
Json spread_strides(const Json& shape) {
  Json strides = Json::array();
  std::int64_t stride = 2;
  for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
    strides.insert(strides.begin(), stride);
    stride *= std::max<std::int64_t>(1, size->get<std::int64_t>());
  }
  return strides;
}

/// Spreads the first floating tensor over twice its storage.
void spread_first(const Plan& plan, Json& args) {
  for (const std::string& name : plan.floating()) {
    Json& tensor = args[name];
    if (tensor["shape"].empty()) continue;
    tensor["strides"] = spread_strides(tensor["shape"]);
    return;
  }
}

}  // namespace

std::vector<std::string> value_programs() {
  std::vector<std::string> names;
  for (const ValueProgram& program : programs()) names.push_back(program.name);
  return names;
}

Json sweep_case(const CaseSource& source, const std::vector<Plan>& plans, int index) {
  const auto at = static_cast<std::size_t>(index);
  const std::size_t round = at / programs().size();
  const ValueProgram& program = programs()[at % programs().size()];
  const Plan& plan = plans[(at + round) % plans.size()];
  const FormatTraits& format = traits(*format_of(*dtype_from(source.dtype)));
  const std::int64_t length = kLengths[at % kLengths.size()];
  // In every second round the other arguments are ordinary, so that one alone is extreme.
  bool is_first = true;
  Json args = arguments_of(plan, sizes_with(length), [&](const std::string&) {
    const bool ordinary = !is_first && round % 2 == 1;
    is_first = false;
    return ordinary ? fill("normal") : program.fill(format, static_cast<int>(round));
  });
  if (at % 5 == 4) spread_first(plan, args);
  Json json{{"schema", "plumb.case/1"},
            {"name", source.op.substr(source.op.find("::") + 2) + " " + program.name + " " +
                         std::to_string(index)},
            {"op", source.op},
            {"args", std::move(args)},
            {"dtype", source.dtype},
            {"seed", source.seed * 1000003 + at}};
  if (source.gradient) json["grad"] = plan.floating();
  return json;
}

}  // namespace plumb
