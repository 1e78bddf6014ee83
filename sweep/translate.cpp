#include "sweep/translate.hpp"

#include <algorithm>

namespace plumb {
namespace {

/// A default of a schema as a case writes it; empty where a case leaves it out.
std::optional<Json> default_as_json(const c10::Argument& argument) {
  const auto value = argument.default_value();
  if (!value) return std::nullopt;
  if (value->isBool()) return value->toBool();
  if (value->isInt()) return value->toInt();
  if (value->isDouble()) return value->toDouble();
  if (value->isIntList()) return Json(value->toIntVector());
  return std::nullopt;
}

std::optional<Json> default_of_counterpart(const ReferenceProgram& reference,
                                           const std::string& name) {
  const auto index = reference.schema->argumentIndexWithName(name);
  if (!index) return std::nullopt;
  return default_as_json(reference.schema->arguments()[static_cast<std::size_t>(*index)]);
}

/// The same under another name; a list of one is a number where that is asked for.
PlannedArgument renamed(PlannedArgument planned, const c10::Argument& argument) {
  planned.name = argument.name();
  const bool is_list = argument.type()->kind() == c10::TypeKind::ListType;
  if (planned.value.is_array() && planned.value.size() == 1 && !is_list) {
    planned.value = Json(planned.value.front());
  }
  return planned;
}

bool can_be_absent(const c10::Argument& argument) {
  return argument.default_value().has_value() ||
         argument.type()->kind() == c10::TypeKind::OptionalType;
}

}  // namespace

std::optional<Plan> translated(const Plan& plan, const ToPlan& planned) {
  if (planned.reference == nullptr) return plan;
  Plan own;
  for (const c10::Argument& argument : planned.op.schema().arguments()) {
    const std::string counterpart = planned.reference->counterpart(argument.name());
    const auto found =
        std::find_if(plan.arguments.begin(), plan.arguments.end(),
                     [&](const PlannedArgument& other) { return other.name == counterpart; });
    if (found != plan.arguments.end()) {
      own.arguments.push_back(renamed(*found, argument));
    } else if (!can_be_absent(argument)) {
      const auto value = default_of_counterpart(*planned.reference, counterpart);
      if (!value) return std::nullopt;
      own.arguments.push_back({.name = argument.name(), .value = *value});
    }
  }
  return own;
}

}  // namespace plumb
