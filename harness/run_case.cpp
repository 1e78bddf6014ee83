#include "harness/run.hpp"

#include "harness/digest.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

/// What the expectation asks beyond the verdict.
void check_expectation(const Expectation& expect, Result& result) {
  if (!result.ok) return;
  const bool text_missing = !expect.raises.empty() && result.verdict == Verdict::error &&
                            result.message.find(expect.raises) == std::string::npos;
  if (text_missing) {
    result.ok = false;
    result.message += " — expected the error to contain \"" + expect.raises + "\"";
  }
  if (!expect.digest.empty() && expect.digest != result.digest) {
    result.ok = false;
    result.message += " — expected digest " + expect.digest;
  }
}

}  // namespace

std::string result_id(const Result& result, const std::string& identity) {
  return result.name + "/" + result.arm + "/" + result.op + "/" + result.variant + "/" +
         result.dtype + "/" + result.device + "#" + short_hash(identity);
}

Result run_case(const Case& stored) {
  const Expectation* expect = stored.expect ? &*stored.expect : nullptr;
  Settings settings = stored.settings;
  if (expect != nullptr) settings.intended_path = expect->path;
  Result result =
      evaluate(stored.subject, settings, expect, stored.file + ": expect.values").result;
  result.name = stored.name;
  result.arm = "case";
  result.tags.insert(result.tags.end(), stored.tags.begin(), stored.tags.end());
  if (expect != nullptr) result.expected = expect->verdicts;
  result.id = result_id(result, stored.identity);
  result.replay = "plumb replay " + shell_quoted(stored.file);
  result.ok = is_ok(result);
  if (expect != nullptr) check_expectation(*expect, result);
  return result;
}

}  // namespace plumb
