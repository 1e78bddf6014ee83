#include "harness/parts.hpp"

#include <cmath>
#include <iomanip>
#include <sstream>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "harness/evidence.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

/// Scales are found in float and may be rounded to a half type: what a value may lose besides.
constexpr double kSlack = 0x1p-20;

constexpr std::size_t kShown = 20;

std::string three_digits(double value) {
  std::ostringstream text;
  text << std::setprecision(3) << value;
  return text.str();
}

/// sqrt(Σ(y-g)² / Σg²) over the elements where both are finite; 0 where none is off.
double relative_error(const at::Tensor& y, const at::Tensor& g) {
  const at::Tensor both = y.isfinite().logical_and(g.isfinite());
  const double off = (y - g).masked_select(both).norm().item<double>();
  return off == 0 ? 0 : off / g.masked_select(both).norm().item<double>();
}

/// The row of a kernel, with what rounding its operands costs.
struct JudgedPart {
  Result row;
  double rounding_error = 0;  // the worst relative error of an operand
};

/// No grid of integers holds infinities and NaN: what a kernel makes of them shows in the whole.
bool has_no_grid(const Rounding& rounding) {
  return rounding.step.ne(0).any().item<bool>() && !rounding.value.isfinite().all().item<bool>();
}

JudgedPart judged_part(const Part& part, const JudgePart& judge) {
  JudgedPart judged;
  judged.row.verdict = Verdict::stable;
  Inputs operands;
  std::string why;
  for (const auto& [name, rounding] : part.operands()) {
    if (has_no_grid(rounding)) {
      judged.row.message =
          "its operands hold infinities or NaN: the classes of the results are compared";
      return judged;
    }
    operands.set(name, rounding.rounded);
    judged.rounding_error =
        std::fmax(judged.rounding_error, relative_error(rounding.rounded, rounding.value));
    if (!why.empty()) continue;
    why = broken_rounding(rounding);
    if (!why.empty()) why = name + " " + why;
  }
  judged.row = judge(part, operands);
  if (!why.empty() && worse(Verdict::invariant_broken, judged.row.verdict)) {
    judged.row.verdict = Verdict::invariant_broken;
    judged.row.message = "the quantiser: " + why;
  }
  return judged;
}

bool leads(const JudgedPart& a, const JudgedPart& b) {
  if (a.row.verdict != b.row.verdict) return worse(a.row.verdict, b.row.verdict);
  return a.row.r.value_or(0) > b.row.r.value_or(0);
}

Table table_of(const std::vector<JudgedPart>& parts) {
  Table table{"quantised kernels, the worst first",
              {"kernel", "verdict", "r", "relative rounding of its operands"},
              {}};
  for (std::size_t i = 0; i < parts.size() && i < kShown; ++i) {
    const Result& row = parts[i].row;
    table.rows.push_back({row.where, std::string(to_string(row.verdict)),
                          row.r ? Cell(*row.r) : Cell(std::string()), parts[i].rounding_error});
  }
  return table;
}

/// Where y is finite and g is not, or the other way round. A quantised value near the limit of its
/// type may lie on either side of it.
at::Tensor other_class(const at::Tensor& y, const at::Tensor& g, c10::ScalarType dtype) {
  const auto format = format_of(dtype);
  const double limit = format ? traits(*format).max_finite : HUGE_VAL;
  const at::Tensor near_limit = g.abs().gt(limit / 2);
  return y.isfinite().ne(g.isfinite()).logical_and(near_limit.logical_not().logical_or(g.isinf()));
}

}  // namespace

std::string broken_rounding(const Rounding& rounding) {
  if (!rounding.value.isfinite().all().item<bool>()) return "";
  const at::Tensor off = (rounding.value - rounding.rounded).abs();
  const at::Tensor limit = rounding.step * (0.5 + kSlack) + rounding.value.abs() * kSlack;
  const at::Tensor outside = off.le(limit).logical_not();
  if (!outside.any().item<bool>()) return "";
  const auto index = first_place(outside);
  const auto at_index = [&](const at::Tensor& tensor) {
    return shortest(element_at(tensor.expand_as(rounding.value), index).item<double>());
  };
  return index_text(index) + " is " + at_index(rounding.value) + " and was multiplied as " +
         at_index(rounding.rounded) + ", further than half a step of " + at_index(rounding.step);
}

Result judged_parts(const std::vector<Part>& parts, const JudgePart& judge) {
  std::vector<JudgedPart> judged;
  for (const Part& part : parts) {
    judged.push_back(judged_part(part, judge));
    judged.back().row.where = part.name;
  }
  std::stable_sort(judged.begin(), judged.end(), leads);
  Result worst = judged.front().row;
  worst.tables = {table_of(judged)};
  return worst;
}

Result judged_whole(const Outputs& outputs, const Truths& truths) {
  Result row;
  Table table{"quantisation error", {"output", "relative error", "SQNR in dB"}, {}};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const at::Tensor& output = outputs[i].tensor;
    if (!truths[i].hi.defined() || !output.is_floating_point()) continue;
    const at::Tensor y = output.to(at::kDouble);
    const at::Tensor g = truths[i].hi.to(at::kDouble).reshape_as(y);
    const double error = relative_error(y, g);
    table.rows.push_back({outputs[i].name, error, -20 * std::log10(error)});
    const at::Tensor wrong = other_class(y, g, output.scalar_type());
    if (!wrong.any().item<bool>() || worse(row.verdict, Verdict::masked)) continue;
    const auto index = first_place(wrong);
    const double value = element_at(y, index).item<double>();
    row.verdict = std::isfinite(value) ? Verdict::masked : Verdict::nonfinite;
    row.where = outputs[i].name;
    row.worst_index = index;
    row.message = outputs[i].name + " " + index_text(index) + " is " + shortest(value) +
                  ", the program without quantisation gives " +
                  shortest(element_at(g, index).item<double>());
  }
  row.tables = {std::move(table)};
  return row;
}

Result with_whole(Result kernels, const Outputs& outputs, const Truths& truths) {
  const Result whole = judged_whole(outputs, truths);
  kernels.tables.insert(kernels.tables.begin(), whole.tables.front());
  if (kernels.message.empty() && !whole.tables.front().rows.empty()) {
    const auto& first = whole.tables.front().rows.front();
    kernels.message = "quantisation costs " + three_digits(std::get<double>(first[1])) + " of " +
                      std::get<std::string>(first[0]) + ", relative";
  }
  if (!worse(whole.verdict, kernels.verdict)) return kernels;
  kernels.verdict = whole.verdict;
  kernels.message = whole.message;
  kernels.where = whole.where;
  kernels.worst_index = whole.worst_index;
  return kernels;
}

}  // namespace plumb
