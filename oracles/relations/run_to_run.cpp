// A program that draws no random numbers must give the same bits each time.

#include "harness/relation.hpp"

namespace plumb {
namespace {

const Register<Relation> registered{{
    .name = "run-to-run",
    .about = "a second run gives the bits of the first",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      return asked.run(private_copy(asked.inputs));
    },
    .same_bits = true,
}};

}  // namespace
}  // namespace plumb
