#pragma once

#include <string>

#include "harness/result.hpp"

namespace plumb {

/// A case of an operator that reduce_test.cpp plants.
inline Json planted_case(const std::string& op, const Json& data) {
  return {{"schema", "plumb.case/1"},
          {"op", "findings_planted::" + op},
          {"dtype", "float32"},
          {"args", {{"self", {{"data", data}}}}}};
}

}  // namespace plumb
