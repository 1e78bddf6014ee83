#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

#include "harness/variant.hpp"

namespace plumb::inductor {

/// What compiled code says of inputs that it was not compiled for.
struct OtherInputs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Has compiled code that is loaded from now on look at its inputs; else it reads beyond their end.
void check_inputs();

/// Runs it; OtherInputs where it refuses what it was given.
std::vector<at::Tensor> checked(const std::function<std::vector<at::Tensor>()>& run);

/// A package that somebody else compiled, made ready. InputError for a file that is none, and for
/// inputs of another number, type, shape or strides than it was compiled for.
Prepared given_package(const Program& program);

}  // namespace plumb::inductor
