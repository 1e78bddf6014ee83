#pragma once

#include <string>
#include <vector>

#include "harness/trial.hpp"
#include "scenarios/serving/smollm2.hpp"
#include "scenarios/serving/vocabulary.hpp"

namespace plumb::smollm2 {

/// Every tensor of one forward pass, in execution order.
class Record {
 public:
  struct Seen {
    Place place;
    at::Tensor value;
  };

  void add(const Place& place, const at::Tensor& value) { seen_.push_back({place, value}); }

  /// std::out_of_range if nothing of that name was met.
  const at::Tensor& at(std::string_view name, int block = -1) const;

  /// The tensor of this name whose largest |x| is largest.
  struct Peak {
    double value = 0;
    int block = -1;
  };
  Peak peak(std::string_view name) const;

  int blocks() const;

  /// A tensor of ones for each tensor met before the logits, in the same order.
  std::vector<at::Tensor> ones() const;

  /// The first tensor that holds inf or NaN.
  const Seen* first_nonfinite() const;

 private:
  std::vector<Seen> seen_;
};

/// A pass in the trial's type, the same pass in float64 on the same rounded inputs, and the text.
struct Evidence {
  const Record& run;
  const Record& twin;
  at::IntArrayRef tokens;
  const Vocabulary& vocabulary;
};

/// Series by block and the table of figures: headroom, error against the twin, NLL, KL, top-1.
/// Returns them in one sentence.
std::string add_figures(Trial& trial, const Evidence& evidence);

/// `nonfinite` at the first bad tensor, if the logits are not finite where the twin's are: the
/// judge sees the outputs only, and those fail long after the operator at fault.
void blame_first_nonfinite(Trial& trial, const Evidence& evidence);

}  // namespace plumb::smollm2
