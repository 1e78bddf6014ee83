#pragma once

#include "harness/recording.hpp"
#include "harness/variant.hpp"

namespace plumb {

/// Records a program on `inputs` after having run it on `example`.
using Recorder = std::function<std::unique_ptr<Recording>(const TensorProgram& program,
                                                          const std::vector<at::Tensor>& example,
                                                          const std::vector<at::Tensor>& inputs)>;

/// The program recorded on other values than these, and played on these under disturbance
/// (harness/recording.hpp). CannotRun with the cause where it cannot be recorded.
Execution played(const Program& program, const Inputs& inputs, const Recorder& recorder);

/// The program recorded on the example, to be played on the values of each run.
Prepared prepared_recording(const Program& program, const Inputs& example,
                            const Recorder& recorder);

}  // namespace plumb
