#pragma once

#include <functional>
#include <string>

#include "harness/registry.hpp"
#include "harness/result.hpp"

namespace plumb {

/// One output format. A pure function of the report: same results, same bytes.
struct Reporter {
  std::string name;   // "html": also the flag `plumb report --html F`
  std::string about;  // one line for `plumb list reporters`
  std::string file;   // name written by every run in --out: "report.html"
  std::function<std::string(const Report&)> render;
};

}  // namespace plumb
