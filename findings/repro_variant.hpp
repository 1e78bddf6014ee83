#pragma once

#include <string>

#include "findings/repro.hpp"

namespace plumb {

/// What follows the imports of a program for a failure in a variant other than eager: tensors, the
/// variant as its sketch has it, and the comparison. Empty, with the reason, where torch alone
/// cannot show it.
std::string variant_text(const ReproModel& model, const std::string& variant, const Json& seen,
                         const Result& row, std::string& why_not);

}  // namespace plumb
