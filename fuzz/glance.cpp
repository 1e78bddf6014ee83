#include "fuzz/glance.hpp"

#include <algorithm>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/question.hpp"
#include "harness/raised.hpp"
#include "harness/result_traits.hpp"

namespace plumb {
namespace {

bool is_double(const Output& output) {
  return real_type(output.tensor.scalar_type()) == at::kDouble;
}

double kappa_of(Conditioning& conditioning, std::size_t output, const Truth& truth) {
  const at::Tensor kappa = conditioning.sensitivity(output) / truth.hi.abs();
  return kappa.nan_to_num(0.0, 0.0, 0.0).max().item<double>();
}

/// Judges the outputs; false where one has to be left open unseen.
bool judge_all(const Subject& subject, Question& question, const Truths& truths, Glance& seen) {
  const ResultTraits results = result_traits_of(subject.program.name);
  bool any = false;
  for (std::size_t i = 0; i < seen.outputs.size(); ++i) {
    const Output& output = seen.outputs[i];
    if (!truths[i].hi.defined() || results.is_bookkeeping(output, i)) continue;
    const Contract contract = question.contract_of(output, subject.program.traits, /*given=*/false);
    const Judgement judged = judge(output, truths[i], contract,
                                   {.conditioning = [&] { return question.conditioning(); },
                                    .output = i,
                                    .is_gradient = is_gradient(output),
                                    .first_input = nullptr,
                                    .check_vacuity = false});
    const bool is_worst = !any || worse(judged.verdict, seen.worst.verdict);
    any = true;
    if (!is_worst) continue;
    seen.worst = judged;
    seen.kappa.reset();
    if (judged.probed && judged.numeric) {
      seen.kappa = kappa_of(*question.conditioning(), i, truths[i]);
    }
  }
  return any;
}

/// Whether the same call runs in double.
bool runs_in_double(const Subject& subject) {
  try {
    evaluate_widened(subject.program, subject.inputs, at::kDouble);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

Glance glance(const Subject& subject, std::uint64_t seed) {
  Glance seen;
  if (subject.program.traits.random) return seen;
  try {
    seen.outputs = execute(subject.program, private_copy(subject.inputs));
  } catch (const InputError&) {
    seen.kind = Glance::Kind::refused;
    return seen;
  } catch (const std::exception& error) {
    seen.raised = !is_missing_kernel(error) && runs_in_double(subject);
    seen.kind = seen.raised ? Glance::Kind::open : Glance::Kind::refused;
    return seen;
  }
  if (std::any_of(seen.outputs.begin(), seen.outputs.end(), is_double)) return seen;
  Question question(subject, seed);
  std::string ignored;
  const Truths truths = question.answer("fp64", /*judges_float64=*/false, ignored);
  if (truths.size() != seen.outputs.size()) return seen;
  const bool judged = judge_all(subject, question, truths, seen);
  if (judged && ok_unless_expected(seen.worst.verdict)) seen.kind = Glance::Kind::settled;
  return seen;
}

}  // namespace plumb
