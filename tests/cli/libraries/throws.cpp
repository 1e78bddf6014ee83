// What TORCH_LIBRARY does with a schema it cannot read.

#include <stdexcept>

static int fail() { throw std::runtime_error("planted: no such type"); }
[[maybe_unused]] static const int failed = fail();
