#pragma once

#include "harness/result.hpp"

namespace plumb {

/// gelu in f32, off by r times its bound.
inline Result unstable_gelu(double r) {
  Result row;
  row.op = "aten::gelu";
  row.dtype = "float32";
  row.verdict = Verdict::unstable;
  row.where = "output 0";
  row.path = {"aten::gelu"};
  row.r = r;
  return row;
}

}  // namespace plumb
