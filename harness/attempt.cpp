#include "harness/attempt.hpp"

#include <chrono>

#include <ATen/ATen.h>

#include "harness/errors.hpp"
#include "harness/process_clock.hpp"
#include "harness/raised.hpp"
#include "harness/trace.hpp"

namespace plumb {
namespace {

/// Dropout that is off, or attention without it, draws nothing and leaves this as it was.
at::Tensor random_state(c10::Device device) {
  return at::globalContext().defaultGenerator(device).get_state();
}

Verdict failure_of(const std::exception& error, bool error_expected) {
  if (is_out_of_memory(error)) return Verdict::out_of_memory;
  return is_missing_kernel(error) && !error_expected ? Verdict::unsupported : Verdict::error;
}

Table on_the_device(const Execution& execution) {
  return {.name = "on the device",
          .columns = {"seconds by its events", "bytes at the peak"},
          .rows = {{execution.device_seconds, static_cast<double>(execution.device_bytes)}}};
}

}  // namespace

Attempt attempt(c10::Device device, const Variant& variant, const Program& program,
                const Inputs& owned, bool error_expected) {
  Attempt tried;
  const bool may_draw = program.traits.random;
  const at::Tensor before = may_draw ? random_state(device) : at::Tensor();
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] { return seconds_since(start); };
  try {
    const Trace trace;
    tried.execution = execute_on(device, variant, program, owned);
    tried.path = trace.path();
    tried.drew = may_draw && !at::equal(before, random_state(device));
  } catch (const InputError&) {  // what was asked for has no meaning
    throw;
  } catch (const CannotRun& why) {
    tried.message = why.what();
    return tried;
  } catch (const std::exception& error) {
    tried.failure = failure_of(error, error_expected);
    tried.message = message_of(error);
  }
  tried.seconds = seconds();
  if (!device.is_cpu() && tried.execution) {
    tried.seconds = tried.execution->device_seconds;
    tried.tables = {on_the_device(*tried.execution)};
  }
  return tried;
}

}  // namespace plumb
