#include "harness/run.hpp"

#include "harness/digest.hpp"
#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/raised.hpp"
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

void label(const Case& stored, Result& result) {
  result.name = stored.name;
  result.arm = "case";
  result.tags.insert(result.tags.end(), stored.tags.begin(), stored.tags.end());
  if (stored.expect) result.expected = stored.expect->verdicts;
  result.id = result_id(result, stored.identity);
  result.replay = "plumb replay " + shell_quoted(stored.file);
}

/// What came of running it. Input that only a run shows to be bad (a cotangent of another shape)
/// does not know its file yet; whatever else is raised outside the variant is a result as well.
Result evaluated(const Case& stored) {
  const Expectation* expect = stored.expect ? &*stored.expect : nullptr;
  Settings settings = stored.settings;
  if (expect != nullptr) settings.intended_path = expect->path;
  try {
    return evaluate(stored.subject, settings, expect, stored.file + ": expect.values").result;
  } catch (const UsageError&) {
    throw;
  } catch (const InputError& error) {
    const std::string text = error.what();
    throw InputError(text.starts_with(stored.file) ? text : stored.file + ": " + text);
  } catch (const std::exception& error) {
    Result result = unanswered_case(stored);
    result.tags.clear();  // `label` adds them
    result.verdict = is_out_of_memory(error) ? Verdict::out_of_memory : Verdict::error;
    result.message = message_of(error);
    return result;
  }
}

}  // namespace

std::string result_id(const Result& result, const std::string& identity) {
  return result.name + "/" + result.arm + "/" + result.op + "/" + result.variant + "/" +
         result.dtype + "/" + result.device + "#" + short_hash(identity);
}

Result unanswered_case(const Case& stored) {
  Result result;
  result.op = stored.op;
  result.variant = stored.settings.variant;
  result.dtype = stored.subject.dtype ? dtype_name(*stored.subject.dtype) : "mixed";
  result.device = stored.settings.device.str();
  result.seed = stored.settings.seed;
  result.threads = stored.settings.threads;
  label(stored, result);
  return result;
}

Result run_case(const Case& stored) {
  Result result = evaluated(stored);
  label(stored, result);
  result.ok = is_ok(result);
  if (stored.expect) check_expectation(*stored.expect, result);
  return result;
}

}  // namespace plumb
