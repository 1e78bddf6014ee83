#include "harness/fill.hpp"

#include <cmath>
#include <functional>
#include <map>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/json_fields.hpp"

namespace plumb {
namespace {

/// One fill being evaluated: its parameters with their defaults, and its source of randomness.
struct Draw {
  const std::map<std::string, double>& params;
  at::IntArrayRef shape;
  const FormatTraits& format;
  at::Generator generator;

  double operator[](const char* name) const { return params.at(name); }
  at::Tensor normal() { return at::randn(shape, generator, at::kDouble); }
  at::Tensor uniform(double low, double high) {
    return at::rand(shape, generator, at::kDouble).mul_(high - low).add_(low);
  }
  at::Tensor signs() { return at::rand(shape, generator, at::kDouble).sub_(0.5).sign_(); }
};

struct Fill {
  std::map<std::string, double> defaults;
  std::function<at::Tensor(Draw&)> values;
};

/// Neighbours (a, -a(1+d)): sums lose almost everything.
at::Tensor cancelling(Draw& draw) {
  at::Tensor values = draw.normal().flatten();
  const std::int64_t pairs = values.numel() / 2;
  const at::Tensor first = values.slice(0, 0, 2 * pairs, 2);
  values.slice(0, 1, 2 * pairs, 2).mul_(draw["spread"]).add_(1.0).mul_(first).neg_();
  return values.reshape(draw.shape);
}

const std::map<std::string, Fill>& fills() {
  static const std::map<std::string, Fill> all = {
      {"normal",
       {{{"mean", 0}, {"std", 1}},
        [](Draw& d) { return d.normal().mul_(d["std"]).add_(d["mean"]); }}},
      {"uniform",
       {{{"low", 0}, {"high", 1}}, [](Draw& d) { return d.uniform(d["low"], d["high"]); }}},
      {"log-uniform",
       {{{"min_exponent", -20}, {"max_exponent", 20}},
        [](Draw& d) {
          return d.uniform(d["min_exponent"], d["max_exponent"]).exp2_().mul_(d.signs());
        }}},
      {"offset",
       {{{"offset", 1000}, {"std", 1}},
        [](Draw& d) { return d.normal().mul_(d["std"]).add_(d["offset"]); }}},
      {"cancel", {{{"spread", 1e-3}}, cancelling}},
      {"near-overflow",
       {{{"fraction", 1}},
        [](Draw& d) {
          return d.uniform(0.5, 1.0).mul_(d["fraction"] * d.format.max_finite).mul_(d.signs());
        }}},
      {"subnormal", {{}, [](Draw& d) { return d.uniform(-1, 1).mul_(d.format.min_normal); }}},
      {"integers",
       {{{"low", -8}, {"high", 9}},
        [](Draw& d) { return d.uniform(d["low"], d["high"]).floor_(); }}},
      {"constant",
       {{{"value", 1}}, [](Draw& d) { return at::full(d.shape, d["value"], at::kDouble); }}},
  };
  return all;
}

}  // namespace

std::vector<std::string> fill_names() {
  std::vector<std::string> names;
  for (const auto& [name, fill] : fills()) names.push_back(name);
  return names;
}

at::Tensor fill_values(const std::string& fill, const Json& params, at::IntArrayRef shape,
                       c10::ScalarType dtype, std::uint64_t seed, const std::string& where) {
  const auto found = fills().find(fill);
  if (found == fills().end()) {
    throw InputError(where + ".fill: unknown fill '" + fill + "'" + suggestion(fill, fill_names()));
  }
  std::map<std::string, double> values = found->second.defaults;
  if (!params.is_null()) {
    std::vector<std::string> allowed;
    for (const auto& [name, value] : values) allowed.push_back(name);
    check_object(params, where + ".params", allowed);
    for (const auto& [name, value] : params.items()) {
      values[name] = parse_number(value, where + ".params." + name);
    }
  }
  Draw draw{values, shape, traits(format_of(real_type(dtype)).value_or(Format::f32)),
            at::make_generator<at::CPUGeneratorImpl>(seed)};
  return found->second.values(draw);
}

}  // namespace plumb
