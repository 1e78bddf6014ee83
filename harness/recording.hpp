#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb {

/// A program of tensors alone: its inputs in order, its outputs in order.
using TensorProgram = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;

/// One run of a program, kept to be played again on the memory it ran on, such as a CUDA graph.
class Recording {
 public:
  virtual ~Recording() = default;

  /// The memory it reads and writes, no copies. An output may be an input.
  virtual const std::vector<at::Tensor>& inputs() const = 0;
  virtual const std::vector<at::Tensor>& outputs() const = 0;

  /// Runs it on what is in that memory.
  virtual void play() = 0;

  /// Memory like that of `tensor`, from the allocator that the program's temporaries came from.
  virtual at::Tensor allocate(const at::Tensor& tensor) const = 0;
};

/// Copies the values into the memory that the recording reads. They must be of the same layout.
void load_inputs(const Recording& recording, const std::vector<at::Tensor>& values);

/// What a recording gave.
struct Plays {
  /// Copies: of the play that a disturbance changed; of the first where none did, or where two
  /// plays differ although nothing was changed.
  std::vector<at::Tensor> outputs;
  std::string fault;  // "play 3 …, after other inputs, differs from play 1 in output 0"; "" if none
};

/// Plays a recording several times on `values`. Every play must give the same bits, although what
/// nothing may depend on is changed in between: what the outputs held before, other inputs, memory
/// that was taken and freed, other work. Memory that the program was warmed up on (`example`) is
/// spoiled first. `program` is the other work; it runs without being recorded.
Plays play_under_disturbance(Recording& recording, const TensorProgram& program,
                             const std::vector<at::Tensor>& example,
                             const std::vector<at::Tensor>& values);

/// The same values in another order, in memory of the same layout: what a program is recorded on,
/// so that values it kept from then are wrong ones. Integers and booleans stay what they are: they
/// may be indices.
std::vector<at::Tensor> decoys(const std::vector<at::Tensor>& values);

}  // namespace plumb
