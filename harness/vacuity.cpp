// Would a kernel that ignores its task pass? Mutants are tried in small chunks from the end, so
// that a case with evidence in it pays for one or two chunks only.

#include <algorithm>
#include <array>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "harness/judge.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kChunk = 2048;

enum class Mutant { zeros, ones, doubled, first_input, last_eighth_zeroed };

struct Flat {
  at::Tensor y, hi, lo, s, input;
};

at::Tensor mutate(Mutant mutant, const Flat& flat, std::int64_t begin, std::int64_t end) {
  const at::Tensor y = flat.y.slice(0, begin, end);
  switch (mutant) {
    case Mutant::zeros: return at::zeros_like(y);
    case Mutant::ones: return at::ones_like(y);
    case Mutant::doubled: return y + y;
    case Mutant::first_input: return flat.input.slice(0, begin, end).to(y.scalar_type());
    case Mutant::last_eighth_zeroed: {
      at::Tensor cut = y.clone();
      const std::int64_t kept = flat.y.numel() - flat.y.numel() / 8;
      cut.slice(0, std::clamp(kept - begin, std::int64_t{0}, end - begin)).zero_();
      return cut;
    }
  }
  return y;
}

const double* data(const at::Tensor& tensor, std::int64_t begin) {
  return tensor.defined() ? tensor.const_data_ptr<double>() + begin : nullptr;
}

enum class Fate { killed, survived, no_mutant };

Fate fate_of(Mutant mutant, const Flat& flat, const BoundTerms& bound) {
  bool equal = true;
  const Format format = *format_of(flat.y.scalar_type());
  for (std::int64_t end = flat.y.numel(); end > 0; end -= kChunk) {
    const std::int64_t begin = std::max<std::int64_t>(0, end - kChunk);
    const at::Tensor y = mutate(mutant, flat, begin, end);
    const Distances d = compare(format, y.const_data_ptr(),
                                {.hi = data(flat.hi, begin), .lo = data(flat.lo, begin)},
                                data(flat.s, begin), bound, static_cast<std::size_t>(end - begin));
    if (d.wrong_nonfinite > 0 || d.masked > 0 || d.r > 1) return Fate::killed;
    equal = equal && d.exact;
  }
  return equal ? Fate::no_mutant : Fate::survived;
}

}  // namespace

bool is_vacuous(const at::Tensor& y, const Truth& truth, const at::Tensor& spread,
                const BoundTerms& bound, const at::Tensor* first_input) {
  Flat flat{y.flatten(), truth.hi.flatten(), {}, {}, {}};
  if (truth.lo.defined()) flat.lo = truth.lo.flatten();
  if (spread.defined()) flat.s = spread.contiguous().flatten();
  std::vector<Mutant> mutants = {Mutant::zeros, Mutant::doubled, Mutant::ones,
                                 Mutant::last_eighth_zeroed};
  if (first_input != nullptr && first_input->is_floating_point() &&
      first_input->sizes() == y.sizes()) {
    flat.input = first_input->contiguous().flatten();
    mutants.push_back(Mutant::first_input);
  }
  bool counted = false;
  for (const Mutant mutant : mutants) {
    const Fate fate = fate_of(mutant, flat, bound);
    if (fate == Fate::killed) return false;
    counted = counted || fate == Fate::survived;
  }
  return counted;
}

}  // namespace plumb
