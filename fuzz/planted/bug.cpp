#include "bug.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

namespace planted {
namespace {

std::vector<Bug>& all() {
  static std::vector<Bug> bugs;
  return bugs;
}

}  // namespace

void add(const Bug& bug) { all().push_back(bug); }

}  // namespace planted

/// The table as JSON, sorted by kind and name; the witness is a file of fuzz/planted/cases.
extern "C" const char* planted_table() {
  static const std::string text = [] {
    std::vector<planted::Bug>& bugs = planted::all();
    std::sort(bugs.begin(), bugs.end(), [](const auto& a, const auto& b) {
      return std::pair(a.kind, a.schema) < std::pair(b.kind, b.schema);
    });
    nlohmann::ordered_json table = nlohmann::ordered_json::array();
    for (const planted::Bug& bug : bugs) {
      const std::string name = bug.schema.substr(0, bug.schema.find('('));
      table.push_back({{"name", "planted::" + name},
                       {"about", bug.trigger},
                       {"available", true},
                       {"why", ""},
                       {"kind", bug.kind},
                       {"conjuncts", name.back() - '0'},
                       {"schema", bug.schema},
                       {"reference", bug.reference},
                       {"healthy", "planted::" + name + "_ok"},
                       {"witness", "fuzz/planted/cases/" + name + ".json"}});
    }
    return table.dump(1) + "\n";
  }();
  return text.c_str();
}
