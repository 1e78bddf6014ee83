#pragma once

#include <c10/core/Device.h>

#include "harness/program.hpp"

namespace plumb {

/// Where an oracle had better run a program whose variant runs on `device`: there if an input is
/// large, else on the host. Gradients on the host: probes of what autograd saved are made there.
c10::Device best_oracle_device(const Program& program, const Inputs& inputs, c10::Device device);

/// While it lives, programs that are run for an oracle or a probe run on that device. Their inputs
/// and answers stay on the host.
class OraclesOn {
 public:
  explicit OraclesOn(c10::Device device);
  ~OraclesOn();
  OraclesOn(const OraclesOn&) = delete;
  OraclesOn& operator=(const OraclesOn&) = delete;

 private:
  c10::Device before_;
};

/// The device of the youngest OraclesOn of this thread, else the host.
c10::Device oracle_device();

}  // namespace plumb
