#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/program.hpp"

namespace c10 {
struct FunctionSchema;
}

namespace plumb {

/// `--reference [GLOB=]OP`: OP, in the wide type, says what is right for the operators that GLOB
/// selects; all without it.
struct ReferenceRule {
  std::string pattern;  // matches a name with or without overload; "" is all
  std::string op;       // "aten::softmax.int"; without overload the one that fits is taken

  std::string text() const { return pattern.empty() ? op : pattern + "=" + op; }
  bool selects(std::string_view operator_name) const;
};

/// UsageError unless the text is [GLOB=]OP; names without a namespace are torch's own.
ReferenceRule reference_rule(const std::string& text);

std::vector<ReferenceRule> rules_of(const std::vector<std::string>& texts);

/// UsageError, with the nearest name, where no operator is called like that of the rule.
void check_known(const ReferenceRule& rule);

/// UsageError for a rule that selects none of these names.
void check_selects(const std::vector<ReferenceRule>& rules, const std::vector<std::string>& names);

/// The rule in effect for an operator: the last that selects it; null where none does.
const ReferenceRule* rule_for(std::string_view operator_name,
                              const std::vector<ReferenceRule>& rules);

/// Another program that says what is right.
struct ReferenceProgram {
  Program program;
  const c10::FunctionSchema* schema = nullptr;  // null where it takes the very same inputs
  const c10::FunctionSchema* judged = nullptr;  // of the operator it stands for
  std::vector<std::pair<std::string, std::string>> names = {};  // argument → its counterpart

  /// "" where the argument has no counterpart.
  std::string counterpart(std::string_view argument) const;

  /// The inputs of the judged operator as those of the reference. What it leaves to its defaults
  /// takes these, not the reference's; arguments without a counterpart are left out.
  Inputs inputs(const Inputs& judged_inputs) const;
};

/// The reference of an operator by the rule in effect. Arguments map by position, keyword-only ones
/// by name; UsageError where kinds disagree, where an argument without counterpart has no default,
/// and where the numbers of results differ.
std::optional<ReferenceProgram> reference_of(const c10::OperatorHandle& op,
                                             const std::vector<ReferenceRule>& rules);

/// The traits of a judged operator: those of its reference, but for what torch's notes say of that.
Traits traits_by(const ReferenceProgram& reference, const Traits& own);

}  // namespace plumb
