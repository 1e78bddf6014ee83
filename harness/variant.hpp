#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "harness/program.hpp"
#include "harness/registry.hpp"

namespace plumb {

/// An operand as a quantised kernel took it.
struct Rounding {
  at::Tensor value;    // before, in double
  at::Tensor rounded;  // the value that was multiplied, in double
  at::Tensor step;     // between neighbouring values there, in double; broadcasts
};

/// An operand that the kernel takes unchanged.
Rounding unrounded(const at::Tensor& operand);

/// A kernel that a variant put in the place of a part of the program. It is judged by itself: what
/// the kernel computed of its operands is one question, how far these are from the program's
/// another.
struct Part {
  std::string name;  // "aten::linear", "aten::linear 2"
  Program program;   // what the kernel promises to compute of its operands
  /// By argument of the program; made anew at each call, as in double they take eight times the
  /// memory of what the kernel keeps.
  std::function<std::vector<std::pair<std::string, Rounding>>()> operands;
  Outputs outputs;
};

/// What a variant gives back.
struct Execution {
  Outputs outputs;
  std::vector<Part> parts = {};  // empty where the outputs are judged as those of the program
  std::string unsteady = {};     // runs that had to agree in bits do not: how, in words
  double operand_roundoff = 0;   // of operands that it declares to round further: TF32
  /// What it took of a device other than the host, by the device's own events and torch's allocator
  /// there; copies from and to the host are not part of it. Zeros on the host.
  double device_seconds = 0;
  std::uint64_t device_bytes = 0;  // at the peak, beyond what was held before

  Execution() = default;
  Execution(Outputs computed) : outputs(std::move(computed)) {}
};

/// What a variant cannot run, found out on the way: the row is skipped with this reason.
struct CannotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A program made ready in a variant, for inputs of the types and shapes it was prepared with. May
/// write to its inputs.
using Prepared = std::function<Execution(const Inputs&)>;

/// A program with inputs that it will be run on.
struct Planned {
  const Program& program;
  const Inputs& inputs;
};

/// One way of executing a program. Registers itself; nothing else names it.
struct Variant {
  std::string name;
  std::string about;
  /// Why it cannot run this program on this device here, in words; empty when it can.
  std::function<std::optional<std::string>(const Program&, c10::Device)> unavailable;
  /// Runs on private copies of the inputs, already on `device`. Throws CannotRun.
  std::function<Execution(const Program&, const Inputs&, c10::Device)> execute;
  /// Does once what need not be done for every run of a loop; empty where there is no such thing.
  std::function<Prepared(const Program&, const Inputs& example, c10::Device)> prepare = {};
  /// Makes several programs ready together, where that is cheaper; `execute` in this process then
  /// finds them, and gives what it would have given. Says nothing of what cannot be made ready, and
  /// drops what an earlier call made.
  std::function<void(const std::vector<Planned>&, c10::Device)> prepare_many = {};
};

/// Executes the program on `device`, which the inputs are copied to, and brings its outputs back to
/// the host, where answers are judged. The inputs are on the host and nobody else's: it may write
/// to them.
Execution execute_on(c10::Device device, const Variant& variant, const Program& program,
                     const Inputs& owned);

/// Throws UsageError with the nearest name.
const Variant& variant_or_usage_error(const std::string& name);

/// Why no program can run on this device here ("no CUDA driver on this machine"); empty if one can.
/// Of CUDA the main process must not ask: harness/device_plugin.hpp.
std::optional<std::string> device_unavailable(c10::Device device);

/// "cpu", "cuda", "cuda:1"; UsageError otherwise.
c10::Device device_or_usage_error(const std::string& name);

}  // namespace plumb
