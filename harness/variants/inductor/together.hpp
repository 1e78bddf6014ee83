#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/variants/inductor/calls.hpp"

namespace torch::inductor {
class AOTIModelPackageLoader;
}

namespace plumb::inductor {

/// A loaded package of several programs. Each run runs them all; the others get the inputs they
/// were planned with.
class Together {
 public:
  struct Member {
    Inputs inputs;  // planned
    std::size_t outputs;
  };

  /// Runs them once and notes the operators of torch that the compiled code calls. CannotRun unless
  /// these show what each program calls: all of them the same, one after the other.
  Together(const std::string& package, std::vector<Member> members);

  /// Outputs of one program; what it calls is on the path as if it were alone.
  std::vector<at::Tensor> run(std::size_t member, const std::vector<at::Tensor>& inputs);

 private:
  std::vector<at::Tensor> run_all(const std::vector<at::Tensor>* own, std::size_t member);

  std::shared_ptr<torch::inductor::AOTIModelPackageLoader> loader_;
  std::vector<Member> members_;
  std::vector<std::string> path_;  // of each
};

/// What a path repeats `times` times, end to end; empty where it does not.
std::optional<std::vector<std::string>> repeated_part(const std::vector<std::string>& path,
                                                      std::size_t times);

/// Groups of programs that differ in sizes and numbers alone, by place.
std::vector<std::vector<std::size_t>> alike(const std::vector<Calls>& programs);

}  // namespace plumb::inductor
