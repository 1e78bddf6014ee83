#include "sweep/values.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "harness/text.hpp"

namespace plumb {
namespace {

Json fill(const char* name, Json params = Json::object()) {
  return {{"fill", name}, {"params", std::move(params)}};
}

Json exponents(double low, double high) {
  return fill("log-uniform", {{"min_exponent", low}, {"max_exponent", high}});
}

Json palette(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number_to_json(value));
  return fill("palette", {{"values", std::move(list)}});
}

double top_exponent(const FormatTraits& format) { return std::floor(std::log2(format.max_finite)); }

/// Numbers at which formulas change or break: limits of exp, saturation tails, integer stalls.
constexpr std::array kConstants = {1.0,    0.5,   -1.0,  0.0,        88.73,  -103.97, 11.09, -5.5,
                                   17.0,   -9.0,  1e-3,  256.0,      2048.0, 1e4,     1e-7,  -0.5,
                                   1000.0, 1e-20, -1e18, 16777216.0, 3e38,   1e-40,   89.41, -17.0};

/// Numbers of ordinary size at which formulas change: ends of what exp can do, saturation tails,
/// where whole numbers stall, what is lost beside 1, the usual epsilons.
std::vector<double> limits(const FormatTraits& f) {
  const double u = f.unit_roundoff;
  const double stall = 1 / u;
  return {0,
          -0.0,
          1,
          -1,
          u,
          -u,
          1 - u,
          1 + 2 * u,
          -1 + u,
          stall,
          stall + 2,
          std::log(f.max_finite),
          -std::log(f.max_finite),
          std::log(f.min_subnormal),
          std::log(f.max_finite) + 0.4,  // cosh and sinh still hold
          1e-12,
          1e-8,
          1e-5,
          -5.5,
          17,
          -9,
          0.5,
          -0.5,
          2};
}

/// The ends of the format, and whole numbers where fp8 ends.
std::vector<double> ends(const FormatTraits& f) {
  return {f.min_subnormal,
          -f.min_subnormal,
          f.min_normal - f.min_subnormal,
          f.min_normal,
          std::sqrt(f.max_finite),
          -2 * std::sqrt(f.max_finite),
          f.max_finite / 2,
          -f.max_finite,
          f.max_finite,
          std::sqrt(f.min_normal),
          0,
          1,
          448,
          -464,
          std::min(57344.0, f.max_finite)};
}

std::vector<double> specials(const FormatTraits& f) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  return {kInf, -kInf, std::nan(""), 0, -0.0, 1, -1, 0.5, -2, 3, f.max_finite, f.min_subnormal};
}

}  // namespace

const std::vector<ValueProgram>& value_programs() {
  using Format = const FormatTraits&;
  static const std::vector<ValueProgram> all = {
      {"normal", [](Format, int) { return fill("normal"); }},
      {"unit", [](Format, int) { return fill("uniform"); }},
      {"wide",
       [](Format f, int) { return exponents(-0.4 * top_exponent(f), 0.4 * top_exponent(f)); }},
      {"ends", [](Format f, int) { return palette(ends(f)); }},
      {"offset", [](Format, int) { return fill("offset"); }},
      {"tails",
       [](Format, int) {
         return fill("uniform", {{"low", -20}, {"high", 20}});
       }},
      {"cancelling", [](Format, int) { return fill("cancel"); }},
      {"huge",  // squares overflow
       [](Format f, int) { return exponents(0.5 * top_exponent(f), 0.5 * top_exponent(f) + 3); }},
      {"near-overflow", [](Format, int) { return fill("near-overflow"); }},
      {"tiny",  // squares vanish
       [](Format f, int) { return exponents(-0.6 * top_exponent(f), -0.5 * top_exponent(f)); }},
      {"subnormal", [](Format, int) { return fill("subnormal"); }},
      {"ties",
       [](Format, int) {
         return fill("integers", {{"low", -2}, {"high", 3}});
       }},
      {"positive", [](Format, int) { return exponents(-3, 8); }},
      {"masked", [](Format, int) { return fill("masked"); }, /*finite=*/false},
      {"special", [](Format f, int) { return palette(specials(f)); }, /*finite=*/false},
      {"constant",
       [](Format, int round) {
         return fill("constant",
                     {{"value", kConstants[static_cast<std::size_t>(round) % kConstants.size()]}});
       }},
      {"limits", [](Format f, int) { return palette(limits(f)); }},
      {"one-exponent", [](Format, int) { return exponents(0, 1); }},
      {"cluster",  // a few units in the last place around a number
       [](Format f, int round) {
         return fill("offset", {{"offset", round % 2 == 0 ? 1 : 100},
                                {"std", (round % 2 == 0 ? 4 : 400) * f.unit_roundoff}});
       }},
  };
  return all;
}

Json fill_in_domain(const std::string& domain, const FormatTraits& format, int variation) {
  if (domain.find('/') != std::string::npos) {
    std::vector<double> values;
    for (const std::string& value : split(domain, '/')) values.push_back(std::stod(value));
    return palette(values);
  }
  const std::size_t dots = domain.find("..");
  if (dots == std::string::npos) {
    const double step = std::exp2(0.3 * top_exponent(format));
    const double scale = variation < 2 ? 1 : variation % 2 == 0 ? step : 1 / step;
    return fill(domain.c_str(), {{"scale", scale}});
  }
  const double low = std::stod(domain.substr(0, dots));
  const double high = std::stod(domain.substr(dots + 2));
  if (variation < 2 || variation % 2 == 0) {
    return fill("uniform", {{"low", low}, {"high", high}});
  }
  const double near = (high - low) * format.unit_roundoff;
  return palette({low, low + near, low + (high - low) * 1e-3, (low + high) / 2, high - near, high});
}

}  // namespace plumb
