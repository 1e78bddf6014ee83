// log(softmax(x)) as written loses every probability below the least subnormal.

#include <ATen/ATen.h>

#include "harness/scenario.hpp"

namespace {

using namespace plumb;

at::Tensor textbook(const Inputs& in) { return at::softmax(in["x"], -1).log(); }
at::Tensor library(const Inputs& in) { return at::log_softmax(in["x"], -1); }

Inputs wide_logits(Trial& trial) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(trial.seed());
  at::Tensor x = at::randn({16, 256}, generator, at::kFloat);
  x.narrow(-1, 0, 2).fill_(150);  // two winners; every other probability underflows
  return {{"x", x}};
}

const Register<Scenario> registered{{
    .name = "log-of-softmax",
    .about = "log(softmax(x)) underflows to -inf where log_softmax is finite",
    .op = "log_softmax",
    .faulty = {.run = judged(textbook, wide_logits), .expect = {Verdict::nonfinite}},
    .fixed = {.run = judged(library, wide_logits), .expect = {Verdict::stable}},
}};

}  // namespace
