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

int other_count() { return at::get_num_threads() == 1 ? 2 : 1; }

const Register<Relation> registered{{
    .name = "threads",
    .about = "two threads give the answer of one",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      const WithThreads two(other_count());
      return asked.run(private_copy(asked.inputs));
    },
    .sketch = [](const Asked&, std::size_t,
                 const std::vector<std::int64_t>&) { return Sketch{.threads = other_count()}; },
    .usual = false,  // a worker gets a second thread, for small cases in vain
}};

}  // namespace
}  // namespace plumb
