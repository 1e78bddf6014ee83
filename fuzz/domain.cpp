#include "fuzz/domain.hpp"

#include <algorithm>

#include "fuzz/features.hpp"
#include "harness/argument_type.hpp"
#include "harness/call.hpp"
#include "harness/overloads.hpp"
#include "sweep/planner.hpp"
#include "sweep/values.hpp"

namespace plumb {
namespace {

constexpr const char* kFloat32 = "float32";

bool is_attribute(const c10::Argument& argument) {
  switch (inside_optional(argument.real_type())->kind()) {  // to `type` a dtype is an integer
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::NumberType:
    case c10::TypeKind::BoolType:
      return argument.name() != "deterministic" && argument.name() != "stable";
    default: return false;
  }
}

/// Whether its first plan can be run backward.
bool runs_backward(const c10::OperatorHandle& handle, const Plan& plan) {
  Program program = operator_program(handle);
  program.grad = plan.floating();
  if (program.grad.empty()) return false;
  const auto fill = [](const PlannedArgument& argument) {
    return argument.domain.empty()
               ? Json{{"fill", "uniform"}, {"params", {{"low", 0.1}, {"high", 0.9}}}}
               : fill_in_domain(argument.domain, traits(Format::f32), 0);
  };
  try {
    const Json args =
        arguments_of(plan, {.sizes = sizes_with(4), .dtype = at::kFloat, .fill = fill});
    const TensorSource source{.folder = {}, .seed = 0, .round_to = at::kFloat};
    execute(program, call_inputs(handle, args, source, "args"));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

Domain::Domain(std::vector<std::string> ops, std::vector<std::string> dtypes,
               const std::vector<std::string>& references)
    : ops_(std::move(ops)),
      dtypes_(std::move(dtypes)),
      references_(rules_of(references)),
      ready_(ops_.size()),
      tried_(ops_.size()) {
  for (std::size_t i = 0; i < ops_.size(); ++i) by_hash_.emplace(op_hash(ops_[i]), i);
}

const SearchedOperator* Domain::made_ready(std::size_t number) {
  if (tried_[number]) return ready_[number].get();
  tried_[number] = true;
  const auto handle = operator_named(ops_[number]);
  if (!handle) return nullptr;
  const auto reference = reference_of(*handle, references_);
  std::string ignored;
  std::vector<Plan> plans =
      plans_for({*handle, reference ? &*reference : nullptr, dtypes_.front()}, ignored);
  if (!judges_complex()) std::erase_if(plans, [](const Plan& plan) { return plan.has_complex(); });
  if (plans.empty()) return nullptr;
  // Of many operators some share their cells, and shall go on to where one is left out.
  const bool are_few = ops_.size() <= Features::kOperators;
  ready_[number] = std::make_unique<SearchedOperator>(SearchedOperator{
      ops_[number], are_few ? number : op_hash(ops_[number]), *handle, std::move(plans)});
  ready_[number]->program = operator_program(*handle);
  ready_[number]->has_reference = reference.has_value();
  ready_[number]->has_gradient = runs_backward(*handle, ready_[number]->plans.front());
  for (const c10::Argument& argument : handle->schema().arguments()) {
    if (is_attribute(argument)) ready_[number]->attributes.push_back(argument);
  }
  return ready_[number].get();
}

const SearchedOperator* Domain::find(std::uint32_t op) {
  const auto named = by_hash_.find(op);
  const std::size_t first = named != by_hash_.end() ? named->second : op % ops_.size();
  for (std::size_t step = 0; step < ops_.size(); ++step) {
    if (const auto* found = made_ready((first + step) % ops_.size())) return found;
  }
  return nullptr;
}

bool Domain::judges_complex() const {
  return std::find(dtypes_.begin(), dtypes_.end(), kFloat32) != dtypes_.end();
}

std::string Domain::dtype(const Genome& genome, const Plan& plan) const {
  return plan.has_complex() ? std::string(kFloat32) : dtypes_[genome.dtype % dtypes_.size()];
}

}  // namespace plumb
