#include "findings/observation.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "findings/repro.hpp"
#include "harness/dtype.hpp"
#include "harness/evidence.hpp"
#include "harness/relation.hpp"
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

/// As far apart as two answers may be that no longer break the relation.
double half_apart(const at::Tensor& got, const at::Tensor& again) {
  if (!got.is_floating_point() && !got.is_complex()) return 0;
  const auto wide = [](const at::Tensor& t) { return t.to(at::kComplexDouble); };
  const auto size = [&](const at::Tensor& t) { return wide(t).abs().item<double>(); };
  const double apart = size(wide(got) - wide(again));
  if (std::isfinite(apart)) return apart / 2;
  for (const at::Tensor& side : {got, again}) {
    if (std::isfinite(size(side))) return size(side) / 2;
  }
  return 0;
}

Json sketch_json(const Sketch& sketch) {
  return {{"runs", sketch.runs},   {"answer", sketch.answer}, {"threads", sketch.threads},
          {"tries", sketch.tries}, {"op", sketch.op},         {"buffers", sketch.buffers}};
}

std::optional<Outputs> second_answer_of(const Relation& relation, const Asked& asked) {
  try {
    return relation.again(asked);
  } catch (const c10::Error&) {  // it did answer when it was judged
    return std::nullopt;
  }
}

/// Both answers of a broken relation.
Json both_answers(const Case& stored, const Outputs& outputs, const Result& row) {
  const auto comma = row.where.find(", ");
  if (comma == std::string::npos) return Json();
  const Relation& relation = relation_or_usage_error(row.where.substr(comma + 2));
  const Asked asked{variant_or_usage_error(stored.settings.variant), stored.subject.program,
                    stored.subject.inputs, stored.settings.device, outputs};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].name != row.where.substr(0, comma)) continue;
    const auto second = second_answer_of(relation, asked);
    if (!second || !relation.sketch || i >= second->size()) return Json();
    const at::Tensor& first = outputs[i].tensor;
    const at::Tensor& again = (*second)[i].tensor;
    const bool has_place = static_cast<std::int64_t>(row.worst_index.size()) == first.dim();
    Json seen = {{"output", row.where},
                 {"about", relation.about},
                 {"sketch", sketch_json(relation.sketch(asked, i, row.worst_index))}};
    if (relation.same_bits) return seen;
    if (!has_place || !again.defined() || first.sizes() != again.sizes()) return Json();
    const at::Tensor one = element_at(first, row.worst_index);
    const at::Tensor other = element_at(again, row.worst_index);
    seen["index"] = row.worst_index;
    seen["got"] = value_json(one);
    seen["again"] = value_json(other);
    seen["bound"] = half_apart(one, other);
    return seen;
  }
  return Json();
}

/// The element of row.worst_index, which `row` is about.
Json element_json(const at::Tensor& y, const at::Tensor& g, const Result& row) {
  const bool has_place = static_cast<std::int64_t>(row.worst_index.size()) == y.dim();
  if (!has_place || y.numel() == 0 || y.sizes() != g.sizes()) return Json();
  const at::Tensor got = element_at(y, row.worst_index);
  const at::Tensor right = element_at(g, row.worst_index);
  return {{"output", row.where},
          {"index", row.worst_index},
          {"dtype", dtype_name(y.scalar_type())},
          {"got", value_json(got)},
          {"right", value_json(right, format_of(real_type(y.scalar_type())))},
          {"bound", number_to_json(bound_of(got, right, row))}};
}

/// What a kernel gave that a variant put in the place of a part of the program.
Json of_kernel(const Case& stored, const Result& row) {
  if (row.verdict == Verdict::invariant_broken) return Json();  // the quantiser, not the kernel
  const Execution execution =
      variant_or_usage_error(stored.settings.variant)
          .execute(stored.subject.program, private_copy(stored.subject.inputs),
                   stored.settings.device);
  for (const Part& part : execution.parts) {
    if (part.name != row.where) continue;
    Inputs operands;
    for (const auto& [name, rounding] : part.operands()) operands.set(name, rounding.rounded);
    const Truths truths = evaluate_widened(part.program, operands, at::kDouble);
    return element_json(part.outputs.front().tensor, truths.front().hi, row);
  }
  return Json();
}

}  // namespace

Json observed(const Case& stored, const Result& row) {
  Settings settings = stored.settings;
  settings.relations.clear();
  const Expectation* expect = stored.expect ? &*stored.expect : nullptr;
  const Evaluation seen = evaluate(stored.subject, settings, expect, stored.file);
  if (is_about_two_answers(row)) {
    return both_answers(stored, seen.outputs, row);
  }
  for (std::size_t i = 0; i < seen.outputs.size() && i < seen.truths.size(); ++i) {
    const at::Tensor& g = seen.truths[i].hi;
    if (seen.outputs[i].name != row.where || !g.defined()) continue;
    return element_json(seen.outputs[i].tensor, g, row);
  }
  const bool has_kernels =
      stored.settings.variant != "eager" && !row.where.empty() && row.verdict > Verdict::error;
  return has_kernels ? of_kernel(stored, row) : Json();
}

}  // namespace plumb
