#include "fuzz/gene_values.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sweep/values.hpp"

namespace plumb {
namespace {

using Format = const FormatTraits&;
using Byte = std::uint8_t;

Json fill(const char* name, Json params = Json::object()) {
  return {{"fill", name}, {"params", std::move(params)}};
}

/// A parameter as a power of two: 128 is 1, every 8 steps double it.
double scale(Byte parameter) { return std::exp2((parameter - 128) / 8.0); }

/// A parameter as an exponent of the format: 0 its least subnormal, 255 its greatest number.
double exponent(Format format, Byte parameter) {
  const double low = std::log2(format.min_subnormal);
  const double high = std::floor(std::log2(format.max_finite));
  return std::round(low + (high - low) * parameter / 255);
}

/// From 0 to 1.
double share(Byte parameter) { return parameter / 255.0; }

Json exponents(double low, double high) {
  return fill("log-uniform", {{"min_exponent", low}, {"max_exponent", high}});
}

/// 2^j around an offset: few bits of the offset's mantissa are left to what differs.
Json offset(double centre, double spread) {
  return fill("offset", {{"offset", centre}, {"std", spread}});
}

/// The numbers of the palettes of a sweep but infinities and NaN.
const std::vector<Json>& known_numbers(Format format) {
  static std::map<std::string_view, std::vector<Json>> by_format;
  std::vector<Json>& known = by_format[format.name];
  if (!known.empty()) return known;
  for (const ValueProgram& program : value_programs()) {
    if (program.name != "limits" && program.name != "ends") continue;
    const Json made = program.fill(format, 0);
    for (const Json& number : made["params"]["values"]) known.push_back(number);
  }
  return known;
}

/// Two of them alone.
Json two_numbers(Format format, Byte a, Byte b) {
  const std::vector<Json>& known = known_numbers(format);
  return fill("palette", {{"values", {known[a % known.size()], known[b % known.size()]}}});
}

Json one_number(Format format, Byte a) {
  const std::vector<Json>& known = known_numbers(format);
  return fill("constant", {{"value", known[a % known.size()]}});
}

std::vector<GeneValues> of_sweep() {
  std::vector<GeneValues> all;
  for (const ValueProgram& program : value_programs()) {
    all.push_back({program.name, [&program](Format f, Byte a, Byte) { return program.fill(f, a); },
                   program.finite});
  }
  return all;
}

const std::vector<GeneValues>& with_parameters() {
  static const std::vector<GeneValues> all = {
      {"scaled",
       [](Format, Byte a, Byte b) {
         return fill("normal", {{"mean", b < 192 ? 0.0 : scale(a)}, {"std", scale(a)}});
       }},
      {"range",
       [](Format, Byte a, Byte b) {
         return fill("uniform", {{"low", -scale(a) * share(b)}, {"high", scale(a)}});
       }},
      {"exponents",
       [](Format f, Byte a, Byte b) {
         const auto [low, high] = std::minmax({exponent(f, a), exponent(f, b)});
         return exponents(low, high);
       }},
      {"exponent",
       [](Format f, Byte a, Byte) { return exponents(exponent(f, a), exponent(f, a) + 1); }},
      {"around",
       [](Format, Byte a, Byte b) {
         return offset((b % 2 == 0 ? 1 : -1) * scale(a), scale(a) * std::exp2(-(b / 8.0)));
       }},
      {"ulps",  // a few units in the last place wide
       [](Format f, Byte a, Byte b) {
         return offset(scale(a), scale(a) * f.unit_roundoff * (1 + b % 64));
       }},
      {"pairs",
       [](Format, Byte, Byte b) {
         return fill("cancel", {{"spread", std::exp2(-(b / 8.0))}});
       }},
      {"top",
       [](Format, Byte a, Byte) {
         return fill("near-overflow", {{"fraction", std::exp2(-(a / 8.0))}});
       }},
      {"whole",
       [](Format, Byte a, Byte b) {
         return fill("integers", {{"low", -static_cast<int>(a)}, {"high", 1 + b}});
       }},
      {"tied",
       [](Format, Byte a, Byte b) {
         return fill("ties", {{"std", scale(a)}, {"fraction", share(b)}});
       }},
      {"ramp",
       [](Format, Byte a, Byte b) {
         return fill("ramp", {{"start", b < 128 ? 0.0 : -scale(b)}, {"step", scale(a)}});
       }},
      {"outliers",
       [](Format, Byte a, Byte b) {
         return fill("outliers", {{"fraction", share(b)}, {"exponent", (a - 128) / 4}});
       }},
      {"two", two_numbers},
      {"one", [](Format f, Byte a, Byte) { return one_number(f, a); }},
      {"masks",
       [](Format, Byte a, Byte b) {
         return fill("masked", {{"fraction", share(a)}, {"rows", share(b)}});
       },
       /*finite=*/false},
      {"bits", [](Format, Byte, Byte) { return fill("bits"); }, /*finite=*/false},
  };
  return all;
}

}  // namespace

const std::vector<GeneValues>& gene_values() {
  static const std::vector<GeneValues> all = [] {
    std::vector<GeneValues> both = of_sweep();
    both.insert(both.end(), with_parameters().begin(), with_parameters().end());
    return both;
  }();
  return all;
}

}  // namespace plumb
