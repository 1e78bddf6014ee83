// One and two threads must give the same answer.

#include <ATen/Parallel.h>

#include "harness/relation.hpp"

namespace plumb {
namespace {

class WithThreads {
 public:
  explicit WithThreads(int count) : before_(at::get_num_threads()) { at::set_num_threads(count); }
  ~WithThreads() { at::set_num_threads(before_); }
  WithThreads(const WithThreads&) = delete;
  WithThreads& operator=(const WithThreads&) = delete;

 private:
  int before_;
};

const Register<Relation> registered{{
    .name = "threads",
    .about = "two threads give the answer of one",
    .again = [](const Variant& variant, const Program& program, const Inputs& inputs,
                c10::Device device) -> std::optional<Outputs> {
      const WithThreads two(at::get_num_threads() == 1 ? 2 : 1);
      return variant.execute(program, private_copy(inputs), device);
    },
}};

}  // namespace
}  // namespace plumb
