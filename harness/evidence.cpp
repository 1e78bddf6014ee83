#include "harness/evidence.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "harness/text.hpp"

namespace plumb {
namespace {

/// "1.5", "(nan, 0)" of a complex number.
std::string number_text(const at::Tensor& element) {
  if (!element.is_complex()) return shortest(element.item<double>());
  const auto value = element.item<c10::complex<double>>();
  return "(" + shortest(value.real()) + ", " + shortest(value.imag()) + ")";
}

/// A finite number that the type of the output cannot hold is infinite there.
std::string right_text(const at::Tensor& element, const at::Tensor& output) {
  const std::string text = number_text(element);
  if (element.is_complex() || !output.is_floating_point()) return text;
  const double there = element.to(output.scalar_type()).item<double>();
  if (std::isfinite(there) || !std::isfinite(element.item<double>())) return text;
  return shortest(there) + " (" + text + " is beyond the type)";
}

}  // namespace

void copy_distances(const Judgement& judged, Result& row) {
  row.scope = judged.scope;
  row.worst_index = judged.worst_index;
  if (!judged.numeric) return;
  const Distances& d = judged.distances;
  // Where an element is of the wrong class, r covers the others alone and says nothing.
  if (judged.verdict != Verdict::nonfinite && judged.verdict != Verdict::masked) {
    row.r = d.r;
    row.rho = d.rho;
    if (d.r > 1) row.severity = std::log2(d.r);
    row.lost_bits = judged.lost_bits;
  }
  row.max_abs = d.max_abs;
  row.max_rel = d.max_rel;
  row.max_ulp = d.max_ulp;
  if (d.sum_sq_expected > 0) row.nmse = static_cast<double>(d.sum_sq_error / d.sum_sq_expected);
  row.nan = static_cast<std::int64_t>(d.nan);
  row.inf = static_cast<std::int64_t>(d.inf);
}

at::Tensor element_at(at::Tensor tensor, const std::vector<std::int64_t>& index) {
  if (tensor.is_quantized()) tensor = tensor.dequantize();
  for (const std::int64_t k : index) tensor = tensor[k];
  return tensor;
}

std::vector<std::int64_t> first_place(const at::Tensor& mask) {
  const at::Tensor place = mask.nonzero()[0].to(at::kLong).contiguous();
  return {place.const_data_ptr<std::int64_t>(), place.const_data_ptr<std::int64_t>() + mask.dim()};
}

std::string index_text(const std::vector<std::int64_t>& index) {
  std::vector<std::string> words;
  for (const std::int64_t k : index) words.push_back(std::to_string(k));
  return words.empty() ? "" : "[" + joined(words, ", ") + "]";
}

std::string evidence(const Judgement& judged, const Outputs& outputs, const Truths& truths) {
  if (judged.verdict >= Verdict::ill_conditioned) return "";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].name != judged.where) continue;
    const auto at = [&](const at::Tensor& tensor) {
      return number_text(element_at(tensor, judged.worst_index));
    };
    return judged.where + " is " + at(outputs[i].tensor) + ", the right value is " +
           right_text(element_at(truths[i].hi, judged.worst_index), outputs[i].tensor);
  }
  return "";
}

}  // namespace plumb
