// Layer, group, batch, instance and root-mean-square normalisation.

#include <ATen/ATen.h>

#include "oracles/quad/exact.hpp"
#include "oracles/quad/rows.hpp"
#include "oracles/quad/statistics.hpp"

namespace plumb::quad {
namespace {

/// Elements i with the same (i / inner) % count belong together: a group, or a channel.
struct Blocks {
  std::size_t inner = 1;
  std::size_t count = 1;

  std::size_t operator()(std::size_t i) const { return i / inner % count; }
};

/// Weight and bias of each channel; either may be absent.
class Affine {
 public:
  Affine(const Arguments& a, Blocks channels)
      : channels_(channels), weight_(values(a, "weight")), bias_(values(a, "bias")) {}

  Quad operator()(std::size_t i, Quad x) const {
    if (weight_.defined()) x *= Quad(weight_.const_data_ptr<double>()[channels_(i)]);
    if (bias_.defined()) x += Quad(bias_.const_data_ptr<double>()[channels_(i)]);
    return x;
  }

 private:
  static at::Tensor values(const Arguments& a, const std::string& name) {
    return a.has(name) ? a.doubles(name) : at::Tensor();
  }

  Blocks channels_;
  at::Tensor weight_;
  at::Tensor bias_;
};

/// Mean and 1/√(variance + eps) of each group.
struct Scales {
  std::vector<Mean> mean;
  std::vector<Quad> inverse;

  std::vector<Quad> means() const {
    std::vector<Quad> values;
    for (const Mean& each : mean) values.push_back(each.value());
    return values;
  }
};

Scales scales(const at::Tensor& groups, Quad eps) {
  Scales result;
  const Rows all = rows(groups, {1}, false);
  for (std::size_t i = 0; i < all.count; ++i) {
    result.mean.push_back(mean(all[i]));
    const Quad squares = squared_distances(all[i], result.mean.back());
    result.inverse.push_back(1 / sqrtq(squares / Quad(all.length) + eps));
  }
  return result;
}

Scales running_scales(const Arguments& a, Quad eps) {
  Scales result;
  const at::Tensor mean = a.doubles("running_mean");
  const at::Tensor variance = a.doubles("running_var");
  for (std::int64_t c = 0; c < mean.numel(); ++c) {
    result.mean.push_back({Quad(mean.const_data_ptr<double>()[c]), 0});
    result.inverse.push_back(1 / sqrtq(Quad(variance.const_data_ptr<double>()[c]) + eps));
  }
  return result;
}

QuadTensor normalised(const at::Tensor& input, const Scales& scales, Blocks groups,
                      const Affine& affine) {
  QuadTensor result{input.sizes().vec(), std::vector<Quad>(std::size_t(input.numel()))};
  const double* data = input.const_data_ptr<double>();
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const std::size_t g = groups(i);
    result.data[i] = affine(i, scales.mean[g].distance(data[i]) * scales.inverse[g]);
  }
  return result;
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) product *= size;
  return product;
}

QuadTensors layer_norm(const Arguments& a) {
  const at::Tensor input = a.doubles("input");
  const auto normal_shape = a.integers("normalized_shape");
  const std::int64_t length = product(normal_shape);
  const std::int64_t count = length == 0 ? 0 : input.numel() / length;
  const Scales found = scales(input.reshape({count, length}), a.number("eps"));
  const Affine affine(a, {1, std::size_t(length)});
  auto shape = input.sizes().vec();
  for (std::size_t d = shape.size() - normal_shape.size(); d < shape.size(); ++d) shape[d] = 1;
  return {normalised(input, found, {std::size_t(length), std::size_t(count)}, affine),
          {shape, found.means()},
          {shape, found.inverse}};
}

QuadTensors group_norm(const Arguments& a, std::int64_t groups) {
  const at::Tensor input = a.doubles("input");
  const std::int64_t n = input.size(0);
  const std::int64_t channels = input.size(1);
  const std::int64_t length = input.numel() / std::max<std::int64_t>(1, n * groups);
  const auto inner = std::size_t(input.numel() / std::max<std::int64_t>(1, n * channels));
  const Scales found = scales(input.reshape({n * groups, length}), a.number("eps"));
  const Affine affine(a, {inner, std::size_t(channels)});
  return {normalised(input, found, {std::size_t(length), std::size_t(n * groups)}, affine),
          {{n, groups}, found.means()},
          {{n, groups}, found.inverse}};
}

/// Over the batch, or by running statistics: one group for each channel.
QuadTensors batch_norm(const Arguments& a, bool by_input) {
  const at::Tensor input = a.doubles("input");
  const std::int64_t channels = input.size(1);
  const Scales found = by_input ? scales(input.transpose(0, 1).flatten(1), a.number("eps"))
                                : running_scales(a, a.number("eps"));
  const std::int64_t rest = std::max<std::int64_t>(1, input.size(0) * channels);
  const Blocks by_channel{std::size_t(input.numel() / rest), std::size_t(channels)};
  return {normalised(input, found, by_channel, Affine(a, by_channel))};
}

QuadTensors instance_norm(const Arguments& a) {
  if (!a.flag("use_input_stats")) return batch_norm(a, false);
  QuadTensors all = group_norm(a, a.doubles("input").size(1));
  return {all[0]};
}

QuadTensors rms_norm(const Arguments& a) {
  const at::Tensor input = a.doubles("input");
  const std::int64_t length = product(a.integers("normalized_shape"));
  const std::int64_t count = length == 0 ? 0 : input.numel() / length;
  const Rows all = rows(input.reshape({count, length}), {1}, false);
  Scales found;
  for (std::size_t i = 0; i < all.count; ++i) {
    const Quad mean_square = exact_dot(all[i], all[i]) / Quad(all.length);
    found.mean.push_back({});
    found.inverse.push_back(1 / sqrtq(mean_square + a.number("eps", Quad(0x1p-52))));
  }
  const Blocks groups{std::size_t(length), std::size_t(count)};
  return {normalised(input, found, groups, Affine(a, {1, std::size_t(length)}))};
}

/// Without eps it is the epsilon of the input's type, which the oracle's wide inputs do not tell.
std::optional<std::string> no_eps(const Arguments& a) {
  if (a.has("eps") || a.inputs()["input"].scalar_type() == at::kDouble) return std::nullopt;
  return "the default of eps depends on the type of the input";
}

template <typename F>
QuadReference norm(std::string name, std::vector<std::string> options, F evaluate) {
  options.emplace_back("eps");
  return {.name = "aten::" + std::move(name),
          .operands = {"input", "weight", "bias", "running_mean", "running_var"},
          .options = std::move(options),
          .evaluate = evaluate,
          .nanoseconds = per_element(250)};
}

QuadTensors first(QuadTensors all) {
  all.resize(1);
  return all;
}

QuadReference root_mean_square() {
  QuadReference reference = norm("rms_norm", {"normalized_shape"}, rms_norm);
  reference.refuses = no_eps;
  return reference;
}

const QuadReferences normalizations{
    norm("batch_norm", {"training", "momentum", "cudnn_enabled"},
         [](const Arguments& a) { return batch_norm(a, a.flag("training")); }),
    norm("group_norm", {"num_groups", "cudnn_enabled"},
         [](const Arguments& a) { return first(group_norm(a, a.integer("num_groups"))); }),
    norm("instance_norm", {"use_input_stats", "momentum", "cudnn_enabled"}, instance_norm),
    norm("layer_norm", {"normalized_shape", "cudnn_enable"},
         [](const Arguments& a) { return first(layer_norm(a)); }),
    norm("native_group_norm", {"N", "C", "HxW", "group"},
         [](const Arguments& a) { return group_norm(a, a.integer("group")); }),
    norm("native_layer_norm", {"normalized_shape"}, layer_norm),
    root_mean_square(),
};

}  // namespace
}  // namespace plumb::quad
