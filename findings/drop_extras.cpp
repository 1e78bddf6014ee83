#include <string>
#include <vector>

#include "findings/passes.hpp"

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

void fewer_arguments(Search& search, const Json::json_pointer& args) {
  if (!search.best().contains(args)) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : search.best()[args].items()) names.push_back(name);
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
  fewer_arguments(search, root / "args");
  if (search.best().contains("steps")) {
    for (std::size_t i = 0; i < search.best()["steps"].size(); ++i) {
      fewer_arguments(search, root / "steps" / i / "args");
    }
  }
  for (const char* key : {"oracle", "seed"}) try_without(search, root, key);
}

}  // namespace plumb
