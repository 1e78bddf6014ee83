#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/program.hpp"

namespace plumb {

/// Where a model comes from and who asks for it.
struct ModelSource {
  std::string file;
  std::string where;  // file and field of the case, for errors
  std::string title;  // name of the program
};

/// A TorchScript archive as a program of the named inputs: in evaluation mode, frozen, run operator
/// by operator. In `dtype` its floating parameters and constants are rounded to it, as the inputs
/// are; where the oracle runs it they are widened, and so is every floating type that the code asks
/// for, casts included. Reading the archive is running code. InputError for a file that is none, or
/// whose forward takes something else; what it takes is put in its order into `inputs`.
Program torchscript_program(const ModelSource& source, std::optional<c10::ScalarType> dtype,
                            Inputs& inputs);

/// An AOTInductor package as a program: machine code, which the variant `inductor` alone can run
/// and nothing can widen.
Program package_program(const ModelSource& source);

/// Tensors in what TorchScript returned, those in tuples and lists too. InputError for anything
/// else: a number or a dictionary is no output that can be judged.
Outputs outputs_of(const torch::jit::Stack& results);

}  // namespace plumb
