#pragma once

#include <optional>
#include <vector>

#include "harness/case.hpp"
#include "harness/judge.hpp"
#include "harness/result.hpp"
#include "harness/subject.hpp"

namespace plumb {

/// The pipeline: variant executes, the oracle answers, outputs are compared and judged. Everything
/// but name, arm, id and replay of the result is filled in. `expect` and `where` (file and field
/// for errors in `expect.values`) may be absent.
struct Evaluation {
  Result result;
  Outputs outputs;
  Truths truths;
};
Evaluation evaluate(const Subject& subject, const Settings& settings,
                    const Expectation* expect = nullptr, const std::string& where = "");

/// One stored case as a row of results.json; `replay` re-runs it from its file.
Result run_case(const Case& stored);

/// The row of a case that gave no answer: everything but verdict and message.
Result unanswered_case(const Case& stored);

/// "name/arm/op/variant/dtype/device#<8 hex>"
std::string result_id(const Result& result, const std::string& identity);

}  // namespace plumb
