#pragma once

#include "findings/minimize.hpp"
#include "harness/isolate.hpp"

namespace plumb {

/// Requests for workers, which serve them by the task kinds of reduce_task.cpp. `flags` as of an
/// alarm (reduce.hpp).

/// Judges a case: {row} or {why} where it is none. With `strictly` that is an InputError instead;
/// with `observe` the answer has `seen` too. Announces the row as far as it is known.
Json evaluate_task(const Json& stored, const std::string& file, const Json& flags, bool strictly,
                   bool observe);

/// inline_case: {case}.
Json inline_task(const Json& stored, const std::string& file, const Json& flags);

/// A whole minimisation but for what the candidates in `lethal` do: announces {candidate} before
/// each; the answer is for minimised_from.
Json minimize_task(const Json& stored, const std::string& file, const Json& flags,
                   const Effort& effort);

Minimised minimised_from(const Json& answer);

}  // namespace plumb
