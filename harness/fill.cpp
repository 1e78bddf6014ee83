#include "harness/fill.hpp"

#include <cmath>
#include <functional>
#include <limits>
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
  const std::vector<double>& list;  // the parameter "values"
  at::IntArrayRef shape;
  Format storage;
  const FormatTraits& format;
  at::Generator generator;
  const std::string& where;

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
  bool has_list = false;  // takes a list of numbers, "values"
};

/// Neighbours (a, -a(1+d)): sums lose almost everything.
at::Tensor cancelling(Draw& draw) {
  at::Tensor values = draw.normal().flatten();
  const std::int64_t pairs = values.numel() / 2;
  const at::Tensor first = values.slice(0, 0, 2 * pairs, 2);
  values.slice(0, 1, 2 * pairs, 2).mul_(draw["spread"]).add_(1.0).mul_(first).neg_();
  return values.reshape(draw.shape);
}

/// Each element one of the list.
at::Tensor from_list(Draw& draw) {
  const at::Tensor choice =
      draw.uniform(0, static_cast<double>(draw.list.size())).floor_().to(at::kLong);
  return at::tensor(draw.list, at::kDouble).index_select(0, choice.flatten()).reshape(draw.shape);
}

/// Normal numbers of which some are -inf, as masked scores are, and here and there a whole row.
at::Tensor masked(Draw& draw) {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  at::Tensor values = draw.normal();
  values.masked_fill_(draw.uniform(0, 1).lt(draw["fraction"]), kHidden);
  if (values.dim() == 0 || values.numel() == 0) return values;
  const at::Tensor rows = values.view({-1, values.size(-1)});
  const at::Tensor hidden = at::rand({rows.size(0)}, draw.generator, at::kDouble).lt(draw["rows"]);
  rows.masked_fill_(hidden.unsqueeze(1), kHidden);
  return values;
}

/// Square matrices G·Gᵀ/n + shift·I, symmetric and positive definite.
at::Tensor definite(Draw& draw) {
  const auto rank = draw.shape.size();
  if (rank < 2 || draw.shape[rank - 1] != draw.shape[rank - 2]) {
    throw InputError(draw.where + ".shape: expected square matrices for the fill 'definite'");
  }
  const std::int64_t n = draw.shape.back();
  const at::Tensor root = draw.normal();
  const at::Tensor product = root.matmul(root.transpose(-1, -2)).div_(std::max<std::int64_t>(n, 1));
  // Symmetric to the last bit, whatever order the product was added up in.
  const at::Tensor lower = product.tril();
  const at::Tensor symmetric = lower.add(product.tril(-1).transpose(-1, -2));
  return symmetric.add_(at::eye(n, at::kDouble), draw["shift"]).mul_(draw["scale"]);
}

/// Normal numbers of which a fraction, and at least one, equals the greatest of its row.
at::Tensor tied(Draw& draw) {
  at::Tensor values = draw.normal().mul_(draw["std"]);
  if (values.dim() == 0 || values.numel() == 0) return values;
  const at::Tensor most = values.amax({-1}, /*keepdim=*/true).expand_as(values);
  return at::where(draw.uniform(0, 1).lt(draw["fraction"]), most, values);
}

/// Numbers with random bits, all of them equally likely: NaN and infinity too.
at::Tensor random_bits(Draw& draw) {
  const at::Tensor bits = at::empty(draw.shape, at::kLong).random_(draw.generator);
  at::Tensor values = draw.signs();  // random_ leaves the sign of int64 alone
  const auto* from = bits.const_data_ptr<std::int64_t>();
  auto* to = values.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    to[i] *= load(draw.storage, from, static_cast<std::size_t>(i) * 8 / draw.format.bytes);
  }
  return values;
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
      {"palette", {{}, from_list, /*has_list=*/true}},
      {"masked", {{{"fraction", 0.25}, {"rows", 0.25}}, masked}},
      {"ramp",
       {{{"start", 0}, {"step", 1}},
        [](Draw& d) {
          const at::Tensor steps = at::arange(c10::multiply_integers(d.shape), at::kDouble);
          return steps.mul_(d["step"]).add_(d["start"]).reshape(d.shape);
        }}},
      {"ties", {{{"std", 1}, {"fraction", 0.25}}, tied}},
      {"outliers",
       {{{"fraction", 0.1}, {"exponent", 10}},
        [](Draw& d) {
          const at::Tensor chosen = d.uniform(0, 1).lt(d["fraction"]);
          const at::Tensor values = d.normal();
          return at::where(chosen, values * std::exp2(d["exponent"]), values);
        }}},
      {"bits", {{}, random_bits}},
      {"definite", {{{"shift", 1}, {"scale", 1}}, definite}},
  };
  return all;
}

std::vector<double> numbers(const Json& json, const std::string& where) {
  if (!json.is_array() || json.empty()) {
    throw InputError(where + ": expected a list of at least one number");
  }
  std::vector<double> list;
  for (const Json& item : json) list.push_back(parse_number(item, where));
  return list;
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
  std::vector<double> list = {0};
  if (!params.is_null()) {
    std::vector<std::string> allowed;
    for (const auto& [name, value] : values) allowed.push_back(name);
    if (found->second.has_list) allowed.emplace_back("values");
    check_object(params, where + ".params", allowed);
    for (const auto& [name, value] : params.items()) {
      const std::string field = where + ".params." + name;
      if (name == "values") {
        list = numbers(value, field);
      } else {
        values[name] = parse_number(value, field);
      }
    }
  }
  const Format format = format_of(real_type(dtype)).value_or(Format::f32);
  Draw draw{values, list,           shape,
            format, traits(format), at::make_generator<at::CPUGeneratorImpl>(seed),
            where};
  return found->second.values(draw);
}

}  // namespace plumb
