#pragma once

#include "harness/case.hpp"
#include "harness/result.hpp"

namespace plumb {

/// The worst element of a judged case: {output, index, dtype, got, right, bound}. `right` is the
/// oracle's value, or the infinity or NaN that its rounding to the output type gives; `bound` is
/// the error a sound kernel may make there, 0 where only classes are compared. Integers as
/// integers, complex numbers as [re, im]. Of a broken relation {output, about, index, got, again,
/// bound, sketch}: both answers, what they may differ by, and how it asked again (`Sketch`); where
/// their bits must be the same, no element. null where no single element shows it. Runs the case.
Json observed(const Case& stored, const Result& row);

}  // namespace plumb
