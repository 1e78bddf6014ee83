// fp16 training without a loss scaler. The gradient of a small loss is smaller than half the least
// fp16 subnormal (2^-25 = 2.98e-8), so it rounds to exactly zero. Nothing explodes and nothing is
// NaN: the loss curve is flat. A dynamic loss scaler lifts the same gradients into range.

#include <cmath>
#include <numeric>

#include <torch/csrc/autograd/autograd.h>

#include "harness/scenario.hpp"
#include "scenarios/draws.hpp"
#include "scenarios/params.hpp"
#include "scenarios/plot.hpp"
#include "scenarios/training/grad_scaler.hpp"
#include "scenarios/words.hpp"

namespace plumb {
namespace {

using Tensors = std::vector<at::Tensor>;

enum class Scaling { none, dynamic, pinned_at_one };

struct Task {
  at::Tensor x, target;
  Tensors weights;  // of four layers: matrix, bias, matrix, bias … in fp32
};

Task make_task(const Trial& trial) {
  Draws draws(trial.seed(), at::TensorOptions(at::kFloat).device(trial.device()));
  Task task;
  task.x = draws.normal({512, 16});
  task.target = (task.x.matmul(draws.normal({16, 8})) / 4).tanh();
  const std::vector<std::int64_t> widths = {16, 64, 64, 64, 8};
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const at::Tensor matrix = draws.normal({widths[i + 1], widths[i]});
    task.weights.push_back((matrix / std::sqrt(widths[i])).requires_grad_());
    task.weights.push_back(at::zeros({widths[i + 1]}, task.x.options()).requires_grad_());
  }
  return task;
}

std::string weight_name(std::size_t i) { return "weight " + std::to_string(i); }

/// Autocast written out: fp32 weights and loss, everything between them in `compute`.
at::Tensor loss_of(const Task& task, c10::ScalarType compute) {
  at::Tensor h = task.x.to(compute);
  for (std::size_t i = 0; i < task.weights.size(); i += 2) {
    h = at::linear(h, task.weights[i].to(compute), task.weights[i + 1].to(compute));
    if (i + 2 < task.weights.size()) h = h.tanh();
  }
  return at::mse_loss(h.to(at::kFloat), task.target);
}

/// One step forward and back. Inputs: the weights, and what the loss is multiplied by. Outputs: the
/// loss times that, the loss, and the gradients of the first.
Program training_step(const Task& task, c10::ScalarType compute) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < task.weights.size(); ++i) names.push_back(weight_name(i));
  return {.name = "training step",
          .forward =
              [task, compute](const Inputs& in, Widening) {
                Task now = task;
                for (std::size_t i = 0; i < now.weights.size(); ++i) {
                  now.weights[i] = in[weight_name(i)];
                }
                const at::Tensor loss = loss_of(now, compute);
                return Outputs{{"scaled loss", loss * in["factor"]}, {"loss", loss.detach()}};
              },
          .traits = {.promise = Promise::composite, .why = "a network of four layers"},
          .grad = names,
          .cotangent = {}};
}

class Adam {
 public:
  explicit Adam(const Tensors& weights) {
    for (const at::Tensor& w : weights) {
      mean_.push_back(at::zeros_like(w));
      square_.push_back(at::zeros_like(w));
      steps_.push_back(at::zeros({}, w.options().requires_grad(false)));
    }
  }

  void step(const Tensors& weights, const Tensors& gradients) {
    const at::NoGradGuard no_grad;
    at::_foreach_add_(steps_, 1);
    at::_fused_adam_(weights, gradients, mean_, square_, {}, steps_, /*lr=*/1e-3, /*beta1=*/0.9,
                     /*beta2=*/0.999, /*weight_decay=*/0, /*eps=*/1e-8, /*amsgrad=*/false,
                     /*maximize=*/false);
  }

 private:
  Tensors mean_, square_, steps_;
};

/// Share of gradient entries that are exactly zero although the same step in fp32 gives a number.
double flushed_share(const Task& task, const Tensors& gradients, double factor) {
  const Tensors truth = torch::autograd::grad({loss_of(task, at::kFloat) * factor}, task.weights);
  double alive = 0;
  double flushed = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const at::Tensor nonzero = truth[i].ne(0);
    alive += nonzero.sum().item<double>();
    flushed += nonzero.logical_and(gradients[i].eq(0)).sum().item<double>();
  }
  return flushed / alive;
}

struct Run {
  std::vector<double> loss;
  std::vector<double> flushed;  // per step, for half types
  Tensors weights;
  int frozen = 0;  // weight tensors in which no bit changed

  double mean_flushed() const {
    return std::accumulate(flushed.begin(), flushed.end(), 0.0) / double(flushed.size());
  }
};

GradScaler make_scaler(const Trial& trial, Scaling scaling) {
  GradScaler::Rules rules;
  if (scaling == Scaling::pinned_at_one) rules = {.initial_scale = 1, .growth_interval = 1 << 30};
  return GradScaler(rules, trial.device());
}

Run train(Trial& trial, c10::ScalarType compute, Scaling scaling) {
  const double factor = trial.param("factor");
  const Task task = make_task(trial);
  Tensors start;
  for (const at::Tensor& w : task.weights) start.push_back(w.detach().clone());
  Adam adam(task.weights);
  GradScaler scaler = make_scaler(trial, scaling);
  Run run;
  run.weights = task.weights;
  Inputs inputs = {{"factor", at::full({}, factor, task.x.options())}};
  for (std::size_t i = 0; i < task.weights.size(); ++i) inputs.set(weight_name(i), task.weights[i]);
  const Program program = training_step(task, compute);
  // The fp32 twin says what is right: it runs as torch runs it, whatever the variant of the arm.
  const auto take_step = compute == at::kFloat
                             ? [program](const Inputs& in) { return execute(program, in); }
                             : trial.prepare(program, inputs);
  for (std::int64_t step = count_param(trial, "steps"); step > 0; --step) {
    at::Tensor multiplier = at::full({}, factor, task.x.options());
    if (scaling != Scaling::none) multiplier = scaler.scaled(multiplier);
    inputs.set("factor", multiplier);
    const Outputs outputs = take_step(inputs);
    Tensors gradients;
    for (std::size_t i = 2; i < outputs.size(); ++i) gradients.push_back(outputs[i].tensor);
    run.loss.push_back(outputs[1].tensor.item<double>());
    if (compute != at::kFloat) run.flushed.push_back(flushed_share(task, gradients, factor));
    const auto optimize = [&] { adam.step(task.weights, gradients); };
    if (scaling == Scaling::none) {
      optimize();
    } else {
      scaler.step(gradients, optimize);
      scaler.update();
    }
  }
  for (std::size_t i = 0; i < start.size(); ++i) run.frozen += start[i].equal(task.weights[i]);
  return run;
}

void judge(Trial& trial, const Run& run, const Run& twin) {
  const double count = double(run.weights.size());
  const std::string curve = "loss " + brief(run.loss.front()) + " -> " + brief(run.loss.back()) +
                            ", fp32 twin -> " + brief(twin.loss.back());
  trial.require("zero-gradients", run.mean_flushed() <= 0.01,
                percent(run.mean_flushed()) +
                    " of the gradient entries are exactly zero where fp32 has a number; " + curve);
  trial.require("frozen-parameters", run.frozen <= twin.frozen,
                brief(run.frozen) + " of " + brief(count) + " weight tensors never changed a bit");
  const double gap = std::abs(run.loss.back() - twin.loss.back());
  const double learned = twin.loss.front() - twin.loss.back();
  trial.require("loss-curve", gap <= 0.02 * learned, curve);
  trial.table("against the fp32 twin", {"measure", "this arm", "fp32 twin", "limit"},
              {{"zero gradient entries", run.mean_flushed(), "", 0.01},
               {"frozen weight tensors", double(run.frozen), double(twin.frozen), "the twin's"},
               {"first loss", run.loss.front(), twin.loss.front(), ""},
               {"last loss", run.loss.back(), twin.loss.back(), "within 2 % of what it learned"}});
}

std::function<void(Trial&)> arm(Scaling scaling) {
  return [scaling](Trial& trial) {
    const Run run = train(trial, trial.dtype(), scaling);
    const Run twin = train(trial, at::kFloat, Scaling::none);
    judge(trial, run, twin);
    plot(trial, "loss by step: this arm", run.loss);
    plot(trial, "loss by step: fp32 twin", twin.loss);
    if (scaling != Scaling::dynamic) {
      plot(trial, "loss by step: with scaler", train(trial, trial.dtype(), Scaling::dynamic).loss);
    }
    plot(trial, "share of zero gradients by step", run.flushed);
    for (std::size_t i = 0; i < run.weights.size(); ++i) {
      trial.output(weight_name(i), run.weights[i]);
    }
  };
}

const Register<Scenario> registered{{
    .name = "fp16-no-scaler",
    .about = "small losses in fp16 without a loss scaler: gradients round to exactly zero and "
             "training stands still",
    .sources = {"engichang1467/Open-Rig3R#35", "huggingface/transformers#23165",
                "huggingface/peft#1249", "huggingface/diffusers#6442",
                "Lightning-AI/pytorch-lightning#5140"},
    .op = "training step",
    .params = {{"factor", 1e-5, "what the loss is multiplied by (a loss weight, 1/accumulation)"},
               {"steps", 60, "optimizer steps", true}},
    .faulty = {arm(Scaling::none), {Verdict::invariant_broken}, {at::kHalf}},
    .fixed = {arm(Scaling::dynamic), {Verdict::stable}, {at::kHalf}},
    .mutant = {arm(Scaling::pinned_at_one), {Verdict::invariant_broken}, {at::kHalf}},
}};

}  // namespace
}  // namespace plumb
