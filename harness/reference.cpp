#include "harness/reference.hpp"

#include <algorithm>

#include <ATen/core/dispatch/Dispatcher.h>

#include "harness/argument_type.hpp"
#include "harness/errors.hpp"
#include "harness/overloads.hpp"
#include "harness/steps.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

using c10::TypeKind;

std::string with_namespace(const std::string& name) {
  return name.find("::") == std::string::npos ? "aten::" + name : name;
}

/// The operator of that full name, or every overload that has no `out` argument.
std::vector<c10::OperatorHandle> overloads(const std::string& name) {
  if (name.find('.') == std::string::npos) return overloads_of(name);
  const auto handle = operator_named(name);
  return handle ? std::vector{*handle} : std::vector<c10::OperatorHandle>{};
}

[[noreturn]] void refuse(const std::string& why) { throw UsageError("--reference: " + why); }

// --- kinds

TypeKind plain(TypeKind kind) {
  switch (kind) {
    case TypeKind::SymIntType: return TypeKind::IntType;
    case TypeKind::SymFloatType: return TypeKind::FloatType;
    case TypeKind::SymBoolType: return TypeKind::BoolType;
    default: return kind;
  }
}

c10::TypePtr element_of(const c10::TypePtr& list) {
  return list->castRaw<c10::ListType>()->getElementType();
}

/// Whether a value of the first type may be handed over as one of the second.
bool agrees(const c10::TypePtr& from, const c10::TypePtr& to) {
  if (from->kind() == TypeKind::OptionalType && to->kind() != TypeKind::OptionalType) return false;
  const c10::TypePtr a = inside_optional(from);
  const c10::TypePtr b = inside_optional(to);
  const TypeKind kind = plain(a->kind());
  const TypeKind wanted = plain(b->kind());
  const bool is_number = kind == TypeKind::IntType || kind == TypeKind::FloatType;
  if (wanted == TypeKind::ListType) {
    if (kind == TypeKind::ListType) {
      return plain(element_of(a)->kind()) == plain(element_of(b)->kind());
    }
    return is_number && plain(element_of(b)->kind()) == kind;  // int[1] takes one number
  }
  if (wanted == TypeKind::NumberType) return is_number || kind == TypeKind::NumberType;
  if (wanted == TypeKind::FloatType) return is_number || kind == TypeKind::NumberType;
  return kind == wanted;
}

c10::IValue handed_over(const c10::IValue& value, const c10::TypePtr& type) {
  const c10::TypePtr to = inside_optional(type);
  const bool is_list = to->kind() == TypeKind::ListType;
  const bool is_float = plain(to->kind()) == TypeKind::FloatType;
  if (is_list && value.isInt()) return c10::List<std::int64_t>({value.toInt()});
  if (is_list && value.isDouble()) return c10::List<double>({value.toDouble()});
  if (is_float && value.isInt()) return static_cast<double>(value.toInt());
  return value;
}

std::string argument_text(const c10::Argument& argument) {
  return argument.real_type()->str() + " " + argument.name();
}

bool can_be_absent(const c10::Argument& argument) {
  return argument.default_value().has_value() || argument.type()->kind() == TypeKind::OptionalType;
}

// --- the mapping

/// Pairs up the arguments of two schemas; says why not in one sentence.
class Mapping {
 public:
  Mapping(const c10::OperatorHandle& judged, const c10::OperatorHandle& reference)
      : judged_(judged), reference_(reference) {}

  /// Empty when it succeeded.
  std::string why_not() {
    const auto& own = judged_.schema().arguments();
    for (std::size_t i = 0; i < own.size(); ++i) {
      const c10::Argument* other = own[i].kwarg_only() ? by_name(own[i].name()) : by_position(i);
      std::string why =
          other == nullptr ? unpaired(judged_, reference_, own[i]) : pair(own[i], *other);
      if (!why.empty()) return why;
    }
    for (const c10::Argument& other : reference_.schema().arguments()) {
      if (!is_taken(other.name()) && !can_be_absent(other)) {
        return unpaired(reference_, judged_, other);
      }
    }
    return results();
  }

  std::vector<std::pair<std::string, std::string>> names() && { return std::move(names_); }

 private:
  bool is_taken(const std::string& name) const {
    return std::any_of(names_.begin(), names_.end(),
                       [&](const auto& pair) { return pair.second == name; });
  }

  /// Positional ones come first, so what is taken by position stands there already.
  const c10::Argument* by_name(const std::string& name) const {
    if (is_taken(name)) return nullptr;
    const auto index = reference_.schema().argumentIndexWithName(name);
    return index ? &reference_.schema().arguments()[static_cast<std::size_t>(*index)] : nullptr;
  }

  const c10::Argument* by_position(std::size_t i) const {
    const auto& others = reference_.schema().arguments();
    return i < others.size() && !others[i].kwarg_only() ? &others[i] : nullptr;
  }

  std::string pair(const c10::Argument& own, const c10::Argument& other) {
    if (!agrees(own.real_type(), other.real_type())) {
      return "'" + argument_text(own) + "' of " + full_name(judged_.operator_name()) +
             " stands where " + full_name(reference_.operator_name()) + " has '" +
             argument_text(other) + "'; expected the same kind";
    }
    names_.emplace_back(own.name(), other.name());
    return "";
  }

  static std::string unpaired(const c10::OperatorHandle& of, const c10::OperatorHandle& in,
                              const c10::Argument& argument) {
    if (can_be_absent(argument)) return "";
    return full_name(in.operator_name()) + " has no argument for '" + argument_text(argument) +
           "' of " + full_name(of.operator_name()) + "; expected one there, or a default here";
  }

  std::string results() const {
    const auto own = result_count(judged_.schema());
    const auto other = result_count(reference_.schema());
    if (!own || !other || *own == *other) return "";
    return full_name(judged_.operator_name()) + " has " + plural(*own, "result") + ", " +
           full_name(reference_.operator_name()) + " " + std::to_string(*other) +
           "; expected as many";
  }

  const c10::OperatorHandle& judged_;
  const c10::OperatorHandle& reference_;
  std::vector<std::pair<std::string, std::string>> names_;
};

ReferenceProgram made(const c10::OperatorHandle& op, const c10::OperatorHandle& handle,
                      Mapping mapping) {
  return {.program = operator_program(handle),
          .schema = &handle.schema(),
          .judged = &op.schema(),
          .names = std::move(mapping).names()};
}

}  // namespace

bool ReferenceRule::selects(std::string_view operator_name) const {
  const std::string_view base = operator_name.substr(0, operator_name.find('.'));
  return pattern.empty() || glob_matches(pattern, operator_name) || glob_matches(pattern, base);
}

ReferenceRule reference_rule(const std::string& text) {
  const auto equals = text.find('=');
  const std::string pattern = equals == std::string::npos ? "" : text.substr(0, equals);
  const std::string op = equals == std::string::npos ? text : text.substr(equals + 1);
  if (op.empty() || (equals != std::string::npos && pattern.empty())) {
    refuse("expected [GLOB=]OPERATOR such as 'mylib::softmax*=aten::softmax.int', not '" + text +
           "'");
  }
  return {pattern.empty() ? "" : with_namespace(pattern), with_namespace(op)};
}

std::vector<ReferenceRule> rules_of(const std::vector<std::string>& texts) {
  std::vector<ReferenceRule> rules;
  rules.reserve(texts.size());
  for (const std::string& text : texts) rules.push_back(reference_rule(text));
  return rules;
}

void check_known(const ReferenceRule& rule) {
  if (!overloads(rule.op).empty()) return;
  const std::string base = rule.op.substr(0, rule.op.find('.'));
  std::vector<std::string> listing;
  for (const auto& handle : overloads(base)) listing.push_back(full_name(handle.operator_name()));
  if (!listing.empty()) {
    refuse("unknown overload '" + rule.op + "'; expected one of " + joined(listing, ", "));
  }
  for (const auto& key : c10::Dispatcher::singleton().getAllOpNames()) listing.push_back(key.name);
  refuse("unknown operator '" + rule.op + "'" + suggestion(base, listing));
}

void check_selects(const std::vector<ReferenceRule>& rules, const std::vector<std::string>& names) {
  for (const ReferenceRule& rule : rules) {
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return rule.selects(name); })) {
      continue;
    }
    refuse("'" + rule.pattern + "' matches no operator that is selected" +
           suggestion(rule.pattern, names));
  }
}

const ReferenceRule* rule_for(std::string_view operator_name,
                              const std::vector<ReferenceRule>& rules) {
  const auto found = std::find_if(rules.rbegin(), rules.rend(), [&](const ReferenceRule& rule) {
    return rule.selects(operator_name);
  });
  return found == rules.rend() ? nullptr : &*found;
}

std::string ReferenceProgram::counterpart(std::string_view argument) const {
  if (schema == nullptr) return std::string(argument);
  for (const auto& [own, other] : names) {
    if (own == argument) return other;
  }
  return "";
}

Inputs ReferenceProgram::inputs(const Inputs& judged_inputs) const {
  if (schema == nullptr) return judged_inputs;
  Inputs renamed;
  for (const auto& [own, other] : names) {
    const auto argument = [](const c10::FunctionSchema* of, const std::string& name) {
      return of->arguments()[static_cast<std::size_t>(*of->argumentIndexWithName(name))];
    };
    const c10::IValue* given = judged_inputs.find(own);
    std::optional<c10::IValue> value = argument(judged, own).default_value();
    if (given != nullptr) value = *given;
    if (value) renamed.set(other, handed_over(*value, argument(schema, other).type()));
  }
  return renamed;
}

std::optional<ReferenceProgram> reference_of(const c10::OperatorHandle& op,
                                             const std::vector<ReferenceRule>& rules) {
  const ReferenceRule* rule = rule_for(full_name(op.operator_name()), rules);
  if (rule == nullptr) return std::nullopt;
  check_known(*rule);
  std::vector<ReferenceProgram> fitting;
  std::vector<std::string> listing;
  std::string why;
  for (const c10::OperatorHandle& candidate : overloads(rule->op)) {
    listing.push_back(full_name(candidate.operator_name()));
    Mapping mapping(op, candidate);
    const std::string why_not = mapping.why_not();
    if (why_not.empty()) fitting.push_back(made(op, candidate, std::move(mapping)));
    if (why.empty()) why = why_not;
  }
  if (fitting.empty()) refuse(why);
  // Of several the overload without a name is the one that torch itself prefers.
  if (fitting.size() == 1 || fitting.front().program.name == rule->op) return fitting.front();
  refuse("more than one overload of " + rule->op + " takes the arguments of " +
         full_name(op.operator_name()) + "; expected one of " + joined(listing, ", "));
}

Traits traits_by(const ReferenceProgram& reference, const Traits& own) {
  Traits traits = reference.program.traits;
  traits.documented.clear();
  traits.random = traits.random || own.random;
  return traits;
}

}  // namespace plumb
