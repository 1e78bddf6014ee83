#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb {

/// torch.amp.GradScaler for one optimizer, rule by rule. libtorch has the two operators it is made
/// of, but not the class. Broken rules raise c10::Error with torch's own text.
class GradScaler {
 public:
  struct Rules {
    double initial_scale = 65536;
    double growth = 2;                    // > 1
    double backoff = 0.5;                 // < 1
    std::int64_t growth_interval = 2000;  // steps without inf or NaN before the scale grows
  };

  GradScaler(Rules rules, c10::Device device);

  at::Tensor scaled(const at::Tensor& loss) const;

  /// Divides by the scale in place, and notes whether any scaled gradient was inf or NaN. Raises on
  /// a second call before update(), and on fp16 gradients. Undefined gradients are passed over.
  void unscale_(const std::vector<at::Tensor>& gradients);

  /// Unscales unless that is done, then runs the optimizer unless a gradient was inf or NaN.
  /// Returns whether it ran: only found_inf tells, never what the optimizer returns.
  bool step(const std::vector<at::Tensor>& gradients, const std::function<void()>& optimizer_step);

  /// Shrinks the scale after inf or NaN; grows it after `growth_interval` good steps in a row,
  /// unless the product would be inf.
  void update();

  double scale() const;
  std::int64_t good_steps() const;

 private:
  enum class Stage { ready, unscaled, stepped };

  Rules rules_;
  at::Tensor scale_;       // float32, like torch's: 1/scale overflows below 2^-128
  at::Tensor good_steps_;  // int32
  at::Tensor found_inf_;   // undefined until gradients were checked
  Stage stage_ = Stage::ready;
};

}  // namespace plumb
