#include "findings/observation.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "harness/evidence.hpp"
#include "harness/run.hpp"

namespace plumb {
namespace {

Json value_json(const at::Tensor& element, std::optional<Format> required = std::nullopt) {
  const auto number = [&](double value) {
    const double rounded = required ? round_to(*required, value) : value;
    return number_to_json(std::isfinite(rounded) ? value : rounded);
  };
  if (element.is_complex()) {
    const auto value = element.item<c10::complex<double>>();
    return Json::array({number(value.real()), number(value.imag())});
  }
  if (!element.is_floating_point()) return element.item<std::int64_t>();
  return number(element.item<double>());
}

double bound_of(const at::Tensor& got, const at::Tensor& right, const Result& row) {
  const bool by_size = row.verdict == Verdict::unstable || row.verdict == Verdict::flushed;
  if (!by_size || !row.r || !std::isfinite(*row.r) || *row.r <= 0) return 0;
  const auto wide = [](const at::Tensor& t) { return t.to(at::kComplexDouble); };
  return (wide(got) - wide(right)).abs().item<double>() / *row.r;
}

}  // namespace

Json observed(const Case& stored, const Result& row) {
  Settings settings = stored.settings;
  settings.relations.clear();
  const Expectation* expect = stored.expect ? &*stored.expect : nullptr;
  const Evaluation seen = evaluate(stored.subject, settings, expect, stored.file);
  for (std::size_t i = 0; i < seen.outputs.size() && i < seen.truths.size(); ++i) {
    const at::Tensor& y = seen.outputs[i].tensor;
    const at::Tensor& g = seen.truths[i].hi;
    const bool has_place = static_cast<std::int64_t>(row.worst_index.size()) == y.dim();
    if (seen.outputs[i].name != row.where || !has_place || !g.defined()) continue;
    if (y.numel() == 0 || y.sizes() != g.sizes()) return Json();
    const at::Tensor got = element_at(y, row.worst_index);
    const at::Tensor right = element_at(g, row.worst_index);
    return {{"output", row.where},
            {"index", row.worst_index},
            {"dtype", dtype_name(y.scalar_type())},
            {"got", value_json(got)},
            {"right", value_json(right, format_of(real_type(y.scalar_type())))},
            {"bound", number_to_json(bound_of(got, right, row))}};
  }
  return Json();
}

}  // namespace plumb
