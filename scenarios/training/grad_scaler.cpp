#include "scenarios/training/grad_scaler.hpp"

#include <ATen/ATen.h>

namespace plumb {

GradScaler::GradScaler(Rules rules, c10::Device device) : rules_(rules) {
  TORCH_CHECK(rules.growth > 1, "The growth factor must be > 1.0.");
  TORCH_CHECK(rules.backoff < 1, "The backoff factor must be < 1.0.");
  scale_ = at::full({}, rules.initial_scale, at::TensorOptions(at::kFloat).device(device));
  good_steps_ = at::zeros({}, at::TensorOptions(at::kInt).device(device));
}

at::Tensor GradScaler::scaled(const at::Tensor& loss) const { return loss * scale_; }

void GradScaler::unscale_(const std::vector<at::Tensor>& gradients) {
  TORCH_CHECK(stage_ != Stage::unscaled,
              "unscale_() has already been called on this optimizer since the last update().");
  TORCH_CHECK(stage_ != Stage::stepped, "unscale_() is being called after step().");
  std::vector<at::Tensor> defined;
  for (const at::Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    TORCH_CHECK_VALUE(gradient.scalar_type() != at::kHalf, "Attempting to unscale FP16 gradients.");
    defined.push_back(gradient);
  }
  if (!defined.empty()) {
    found_inf_ = at::zeros({}, scale_.options());
    const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
    at::_amp_foreach_non_finite_check_and_unscale_(defined, found_inf_, inverse);
  }
  stage_ = Stage::unscaled;
}

bool GradScaler::step(const std::vector<at::Tensor>& gradients,
                      const std::function<void()>& optimizer_step) {
  TORCH_CHECK(stage_ != Stage::stepped, "step() has already been called since the last update().");
  if (stage_ == Stage::ready) unscale_(gradients);
  TORCH_CHECK(found_inf_.defined(), "No inf checks were recorded for this optimizer.");
  stage_ = Stage::stepped;
  if (found_inf_.item<float>() != 0) return false;
  optimizer_step();
  return true;
}

void GradScaler::update() {
  TORCH_CHECK(found_inf_.defined(), "No inf checks were recorded prior to update.");
  at::_amp_update_scale_(scale_, good_steps_, found_inf_, rules_.growth, rules_.backoff,
                         rules_.growth_interval);
  found_inf_.reset();
  stage_ = Stage::ready;
}

double GradScaler::scale() const { return scale_.item<double>(); }
std::int64_t GradScaler::good_steps() const { return good_steps_.item<std::int64_t>(); }

}  // namespace plumb
