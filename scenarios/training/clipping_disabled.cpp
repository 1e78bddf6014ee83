// Gradient clipping switched off. A recurrent net whose recurrent gain exceeds 1 has gradients that
// grow with gain^length. One unclipped step throws the weights out of range, the next forward pass
// overflows, inf - inf makes a NaN, and one backward pass writes it into every parameter.
// The net is the identity-initialised ReLU net of Le, Jaitly and Hinton (arXiv:1504.00941) on its
// "adding problem", with its learning rate 0.01; at gain 1, their own start, it dies just as soon.

#include <cmath>

#include <torch/csrc/autograd/autograd.h>

#include "harness/scenario.hpp"
#include "scenarios/draws.hpp"
#include "scenarios/params.hpp"
#include "scenarios/plot.hpp"
#include "scenarios/training/clip_grad_norm.hpp"
#include "scenarios/words.hpp"

namespace plumb {
namespace {

using Tensors = std::vector<at::Tensor>;

enum class Clipping { off, norm_in_float64, norm_in_gradient_dtype };

constexpr std::int64_t kBatch = 16;
constexpr std::int64_t kHidden = 32;

/// Remembers the first tensor of training that held inf or NaN. Values are seen in forward order,
/// gradients by hooks in the order backward reaches them, so the first one found is the cause.
class Watch {
 public:
  void next_step() { ++step_; }

  at::Tensor node(const std::string& name, const at::Tensor& value) {
    inspect(name, value);
    if (first_bad_.empty() && value.requires_grad()) {
      value.register_hook(
          [this, name](const at::Tensor& gradient) { inspect("gradient of " + name, gradient); });
    }
    return value;
  }

  /// What a step gave back: all that is seen of one that ran as a recorded graph.
  void results(const Outputs& outputs) {
    for (const Output& output : outputs) inspect(output.name, output.tensor);
  }

  bool clean() const { return first_bad_.empty(); }
  std::string first_bad() const {
    return "FIRST_BAD(" + first_bad_ + ", step " + std::to_string(first_step_) + ")";
  }

 private:
  void inspect(const std::string& name, const at::Tensor& value) {
    if (!first_bad_.empty() || value.isfinite().all().item<bool>()) return;
    first_bad_ = name;
    first_step_ = step_;
  }

  int step_ = -1;
  int first_step_ = -1;
  std::string first_bad_;
};

struct Net {
  at::Tensor recurrent, input, readout;
  Tensors weights() const { return {recurrent, input, readout}; }
};

Net make_net(Draws& draws, double gain, at::TensorOptions options) {
  return {(gain * at::eye(kHidden, options)).requires_grad_(),
          (0.1 * draws.normal({2, kHidden})).requires_grad_(),
          (draws.normal({kHidden, 1}) / std::sqrt(double(kHidden))).requires_grad_()};
}

/// The adding problem: add the two numbers that carry a mark, one in each half of the sequence.
struct Batch {
  at::Tensor x;  // [length, batch, (number, mark)]
  at::Tensor sum;
};

Batch make_batch(Draws& draws, std::int64_t length) {
  const at::Tensor numbers = draws.uniform({length, kBatch});
  const at::Tensor first = draws.integers(0, length / 2, {1, kBatch});
  const at::Tensor second = draws.integers(length / 2, length, {1, kBatch});
  const at::Tensor marks = at::zeros_like(numbers).scatter(0, first, 1.0).scatter(0, second, 1.0);
  return {at::stack({numbers, marks}, -1), (numbers * marks).sum(0)};
}

at::Tensor loss_of(const Net& net, const Batch& batch, Watch& watch) {
  at::Tensor h = at::zeros({kBatch, kHidden}, batch.x.options());
  const at::Tensor driven = batch.x.matmul(net.input);
  for (std::int64_t t = 0; t < batch.x.size(0); ++t) {
    h = watch.node("h[" + std::to_string(t) + "]", (h.matmul(net.recurrent) + driven[t]).relu());
  }
  const at::Tensor sum = watch.node("readout", h.matmul(net.readout).squeeze(1));
  return watch.node("loss", at::mse_loss(sum, batch.sum));
}

Inputs inputs_of(const Net& net, const Batch& batch) {
  return {{"recurrent", net.recurrent},
          {"input", net.input},
          {"readout", net.readout},
          {"x", batch.x},
          {"sum", batch.sum}};
}

/// One step forward and back: the loss, and the gradients of the weights. A recorded graph runs
/// without the code that watches from inside.
Program training_step(Watch& watch) {
  return {.name = "training step",
          .forward =
              [&watch](const Inputs& in, Widening) {
                const Net net{in["recurrent"], in["input"], in["readout"]};
                return Outputs{{"loss", loss_of(net, {in["x"], in["sum"]}, watch)}};
              },
          .traits = {.promise = Promise::composite, .why = "a recurrent net"},
          .grad = {"recurrent", "input", "readout"},
          .cotangent = {}};
}

double nan_share(const Tensors& tensors) {
  double nan = 0;
  double all = 0;
  for (const at::Tensor& tensor : tensors) {
    nan += tensor.isnan().sum().item<double>();
    all += double(tensor.numel());
  }
  return nan / all;
}

bool all_zero(const Tensors& tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (tensor.ne(0).any().item<bool>()) return false;
  }
  return true;
}

struct Run {
  Watch watch;
  Net net;
  std::vector<double> loss, norm, nan_share;  // norm: in float64, before clipping
  int zeroed = 0;                             // steps whose gradients clipping made exactly zero
  double norm_error = 0;  // greatest relative error of the norm that clipping used
};

/// Clips as the arm says, and notes what clipping did to gradients that were sound.
void clip(Run& run, const Tensors& gradients, Clipping clipping, double max_norm) {
  const double norm = run.norm.back();
  if (clipping == Clipping::off || !std::isfinite(norm)) return;
  const double used = clip_grad_norm_(
      gradients, max_norm,
      clipping == Clipping::norm_in_float64 ? NormIn::float64 : NormIn::gradient_dtype);
  run.zeroed += norm > 0 && all_zero(gradients);
  run.norm_error = std::max(run.norm_error, std::abs(used - norm) / norm);
}

Run train(Trial& trial, Clipping clipping) {
  const auto options = at::TensorOptions(trial.dtype()).device(trial.device());
  const std::int64_t length = count_param(trial, "length", 1000);
  Draws draws(trial.seed(), options);
  Run run;
  run.net = make_net(draws, trial.param("gain"), options);
  std::function<Outputs(const Inputs&)> take_step;
  for (std::int64_t step = count_param(trial, "steps"); step > 0; --step) {
    run.watch.next_step();
    const Batch batch = make_batch(draws, length);
    const Inputs inputs = inputs_of(run.net, batch);
    if (!take_step) take_step = trial.prepare(training_step(run.watch), inputs);
    const Outputs outputs = take_step(inputs);
    run.watch.results(outputs);
    const Tensors gradients = {outputs[1].tensor, outputs[2].tensor, outputs[3].tensor};
    run.loss.push_back(outputs[0].tensor.item<double>());
    run.norm.push_back(grad_norm(gradients, NormIn::float64));
    clip(run, gradients, clipping, trial.param("max_norm"));
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      run.net.weights()[i].sub_(gradients[i], trial.param("lr"));
    }
    run.nan_share.push_back(nan_share(run.net.weights()));
  }
  return run;
}

/// "SPREAD(0.0 % after step 0, 100.0 % after step 1)"
std::string spread(const Run& run) {
  std::string text;
  double last = -1;
  for (std::size_t step = 0; step < run.nan_share.size(); ++step) {
    if (run.nan_share[step] == last) continue;
    last = run.nan_share[step];
    text += (text.empty() ? "" : ", ") + percent(last) + " after step " + std::to_string(step);
  }
  return "SPREAD(" + text + ")";
}

double geometric_mean(const std::vector<double>& loss, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) sum += std::log(loss[i]);
  return std::exp(sum / double(to - from));
}

void judge(Trial& trial, const Run& run) {
  if (!run.watch.clean()) {
    trial.conclude(Verdict::nonfinite, run.watch.first_bad(),
                   run.watch.first_bad() + "; " + spread(run) + " of the parameters are NaN; " +
                       "gradient norm " + brief(run.norm.front()) + " at step 0");
    return;
  }
  const std::size_t quarter = std::max<std::size_t>(1, run.loss.size() / 4);
  const double early = geometric_mean(run.loss, 0, quarter);
  const double late = geometric_mean(run.loss, run.loss.size() - quarter, run.loss.size());
  trial.require("zeroed-gradients", run.zeroed == 0,
                "ZEROED(" + std::to_string(run.zeroed) + " of " + std::to_string(run.loss.size()) +
                    " steps): where clipping makes every gradient exactly zero; norm in float64 " +
                    brief(run.norm.front()) + " at step 0");
  trial.require("norm-in-float64", run.norm_error <= 1e-3,
                "the norm clipping used differs from float64 by " + brief(run.norm_error) +
                    " relative (limit 0.001)");
  trial.require("learns", late < early,
                "mean loss of the first quarter " + brief(early) + ", of the last " + brief(late));
}

std::function<void(Trial&)> arm(Clipping clipping) {
  return [clipping](Trial& trial) {
    const Run run = train(trial, clipping);
    judge(trial, run);
    plot(trial, "gradient norm by step", run.norm);
    plot(trial, "loss by step", run.loss);
    plot(trial, "NaN share of the parameters by step", run.nan_share);
    trial.output("recurrent", run.net.recurrent);
    trial.output("input", run.net.input);
    trial.output("readout", run.net.readout);
  };
}

const Register<Scenario> registered{{
    .name = "clipping-disabled",
    .about = "gradient clipping off: exploding gradients of a recurrent net overflow the next "
             "forward pass and NaN spreads into every parameter",
    .sources = {"keras-team/keras#5127", "thu-ml/tianshou#19", "pytorch/pytorch#46849",
                "deepmodeling/deepmd-kit#5519", "pytorch/pytorch#55169"},
    .op = "training step",
    .params = {{"gain", 1.3, "recurrent weights start as gain times the identity"},
               {"length", 100, "time steps of a sequence", true},
               {"lr", 0.01, "learning rate of SGD"},
               {"max_norm", 1, "what clipping limits the gradient norm to"},
               {"steps", 40, "training steps", true}},
    .faulty = {arm(Clipping::off), {Verdict::nonfinite}},
    .fixed = {arm(Clipping::norm_in_float64), {Verdict::stable}},
    .mutant = {arm(Clipping::norm_in_gradient_dtype), {Verdict::invariant_broken}},
}};

}  // namespace
}  // namespace plumb
