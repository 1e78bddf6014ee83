#include <algorithm>
#include <string>
#include <vector>

#include "findings/passes.hpp"
#include "harness/argument_type.hpp"
#include "harness/overloads.hpp"

namespace plumb {
namespace {

void try_without(Search& search, const Json::json_pointer& parent, const std::string& key) {
  Json candidate = search.best();
  if (!candidate.contains(parent) || !candidate[parent].contains(key)) return;
  candidate[parent].erase(key);
  search.attempt(std::move(candidate));
}

/// The list, or each of its items where all of it cannot go.
void try_fewer(Search& search, const Json::json_pointer& parent, const std::string& key) {
  const Json::json_pointer at = parent / key;
  if (!search.best().contains(at) || !search.best()[at].is_array()) return;
  try_without(search, parent, key);
  if (!search.best().contains(at)) return;
  for (std::size_t i = search.best()[at].size(); i-- > 0;) {
    Json candidate = search.best();
    if (candidate[at].size() < 2) return;
    candidate[at].erase(i);
    search.attempt(std::move(candidate));
  }
}

/// Whether the argument names a formula that is not the default one: "tanh" of gelu, "floor" of
/// div. Without it another formula is computed, and a failure of that one would be taken for this
/// one.
bool names_a_formula(const std::string& op, const std::string& argument, const Json& value) {
  if (!value.is_string()) return false;
  const std::vector<c10::OperatorHandle> overloads = overloads_of(op.substr(0, op.find('.')));
  return std::ranges::any_of(overloads, [&](const c10::OperatorHandle& overload) {
    const auto index = overload.schema().argumentIndexWithName(argument);
    if (!index) return false;
    const c10::Argument& named = overload.schema().arguments()[*index];
    const bool is_text = inside_optional(named.type())->kind() == c10::TypeKind::StringType;
    const auto usual = named.default_value();
    const bool is_usual = usual && usual->isString() && usual->toStringRef() == value;
    return is_text && !is_usual;
  });
}

/// Of a call that has "op" and "args": the case itself, or one of its steps.
void fewer_arguments(Search& search, const Json::json_pointer& call) {
  const Json::json_pointer args = call / "args";
  if (!search.best().contains(args)) return;
  const std::string op = search.best()[call].value("op", "");
  std::vector<std::string> names;
  for (const auto& [name, value] : search.best()[args].items()) {
    if (!names_a_formula(op, name, value)) names.push_back(name);
  }
  for (const std::string& name : names) {
    try_without(search, args, name);
    const Json::json_pointer at = args / name;
    const bool is_list_of_tensors = search.best().contains(at) && search.best()[at].is_array() &&
                                    !search.best()[at].empty() && search.best()[at][0].is_object();
    if (is_list_of_tensors) try_fewer(search, args, name);
  }
}

}  // namespace

void drop_extras(Search& search) {
  const Json::json_pointer root;
  try_without(search, root, "expect");
  try_without(search, root, "cotangent");
  try_fewer(search, root, "grad");
  try_fewer(search, root, "relations");
  fewer_arguments(search, root);
  if (search.best().contains("steps")) {
    for (std::size_t i = 0; i < search.best()["steps"].size(); ++i) {
      fewer_arguments(search, root / "steps" / i);
    }
  }
  for (const char* key : {"oracle", "seed"}) try_without(search, root, key);
}

}  // namespace plumb
