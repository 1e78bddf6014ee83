#include "harness/relation.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <ATen/ATen.h>

#include "harness/digest.hpp"
#include "harness/errors.hpp"
#include "harness/evidence.hpp"
#include "harness/raised.hpp"
#include "harness/result_traits.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 3> kSeveral = {"all", "usual", "none"};

/// The element of a tensor in words; empty for what is no real number.
std::string element_text(const at::Tensor& tensor, const std::vector<std::int64_t>& index) {
  if (tensor.is_complex()) return "";
  const at::Tensor element = element_at(tensor, index);
  return element.numel() == 1 ? shortest(element.item<double>()) : "";
}

/// "{}.neg()" of "self": "{self}.neg()".
std::string with_name(std::string expression, const std::string& name) {
  for (auto at = expression.find("{}"); at != std::string::npos; at = expression.find("{}", at)) {
    expression.insert(at + 1, name);
  }
  return expression;
}

/// Where one answer is +0 and the other -0. That counts where an element is made of one element
/// each: the order of a sum may decide the sign of its zero.
std::optional<std::vector<std::int64_t>> sign_differs(const Asked& asked, const at::Tensor& first,
                                                      const at::Tensor& second) {
  const bool counts = asked.program.traits.reduction == Reduction::pointwise &&
                      asked.program.grad.empty() && first.is_floating_point() &&
                      first.sizes() == second.sizes();
  if (!counts) return std::nullopt;
  const at::Tensor wrong =
      first.eq(0).logical_and(second.eq(0)).logical_and(first.signbit().ne(second.signbit()));
  if (!wrong.any().item<bool>()) return std::nullopt;
  return first_place(wrong);
}

Break broken_at(const Relation& relation, const Output& first, const at::Tensor& second,
                const std::vector<std::int64_t>& index) {
  const std::string one = element_text(first.tensor, index);
  const std::string other =
      first.tensor.sizes() == second.sizes() ? element_text(second, index) : "";
  std::string message = relation.name + ": " + relation.about + "; " + first.name +
                        (index.empty() ? "" : " at " + index_text(index));
  message += one.empty() || other.empty() ? " differs" : " is " + one + ", and then " + other;
  const Verdict verdict = relation.same_bits ? Verdict::nondeterministic : Verdict::relation_broken;
  return {verdict, first.name + ", " + relation.name, std::move(message), index};
}

std::optional<Outputs> ask_again(const Relation& relation, const Asked& asked) {
  try {
    return relation.again(asked);
  } catch (const c10::Error& error) {
    if (is_out_of_memory(error)) throw;
    return std::nullopt;
  } catch (const CannotRun&) {  // the variant takes the first question and not this one
    return std::nullopt;
  }
}

}  // namespace

std::optional<Break> break_of(
    const Relation& relation, const Asked& asked,
    const std::function<Judgement(std::size_t output, const Output& again)>& judge_again) {
  const auto again = ask_again(relation, asked);
  if (!again) return std::nullopt;
  for (std::size_t i = 0; i < again->size() && i < asked.outputs.size(); ++i) {
    const Output& first = asked.outputs[i];
    const at::Tensor& second = (*again)[i].tensor;
    if (!second.defined() || !first.tensor.defined()) continue;
    if (result_traits_of(asked.program.name).is_bookkeeping(first, i)) continue;
    if (same_bits(first.tensor, second)) continue;
    if (relation.same_bits) return broken_at(relation, first, second, {});
    const Judgement judged = judge_again(i, {first.name, second});
    if (judged.verdict < Verdict::overflow) {
      if (is_near_miss(judged) && is_near_miss(judge_again(i, first))) continue;
      Break broken = broken_at(relation, first, second, judged.worst_index);
      broken.is_near_miss = is_near_miss(judged);
      return broken;
    }
    if (relation.is_law) continue;
    if (const auto place = sign_differs(asked, first.tensor, second)) {
      return broken_at(relation, first, second, *place);
    }
  }
  return std::nullopt;
}

Sketch::Run for_each_tensor(const Inputs& inputs,
                            const std::function<std::string(const at::Tensor&)>& expression) {
  Sketch::Run run;
  const auto add = [&](const std::string& name, const at::Tensor& tensor) {
    run[name] = with_name(expression(tensor), name);
  };
  for (const Inputs::Argument& argument : inputs) {
    if (argument.value.isTensor()) add(argument.name, argument.value.toTensor());
    if (!argument.value.isList()) continue;
    const c10::List<c10::IValue> items = argument.value.toList();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const c10::IValue& item = items.get(i);
      if (item.isTensor()) add(argument.name + "[" + std::to_string(i) + "]", item.toTensor());
    }
  }
  return run;
}

const Relation& relation_or_usage_error(const std::string& name) {
  const auto& relations = Registry<Relation>::instance();
  if (const Relation* relation = relations.find(name)) return *relation;
  std::vector<std::string> known = relations.names();
  known.insert(known.end(), kSeveral.begin(), kSeveral.end());
  throw UsageError("unknown relation '" + name + "'" + suggestion(name, known));
}

bool names_several_relations(const std::string& word) {
  return std::ranges::find(kSeveral, word) != kSeveral.end();
}

std::vector<std::string> relations_from(const std::string& word) {
  if (!names_several_relations(word)) return {relation_or_usage_error(word).name};
  std::vector<std::string> names;
  for (const std::string& name : Registry<Relation>::instance().names()) {
    const bool wanted = word == "all" || (word == "usual" && relation_or_usage_error(name).usual);
    if (wanted) names.push_back(name);
  }
  return names;
}

}  // namespace plumb
