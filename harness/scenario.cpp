#include "harness/scenario.hpp"

#include <algorithm>
#include <chrono>

#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/process_clock.hpp"
#include "harness/raised.hpp"
#include "harness/run.hpp"
#include "harness/text.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

std::map<std::string, double> parameters(const Scenario& scenario, const ArmRequest& request) {
  check_parameters(scenario, request.params);
  std::map<std::string, double> values;
  for (const Parameter& parameter : scenario.params) values[parameter.name] = parameter.value;
  for (const auto& [name, value] : request.params) values[name] = value;
  return values;
}

std::string replay_line(const Scenario& scenario, const ArmRequest& request) {
  const Settings& s = request.settings;
  std::string line = "plumb run " + shell_quoted(scenario.name) + " --arm " + request.arm;
  if (arm_of(scenario, request.arm).dtypes.size() > 1 || !request.dtype_is_default) {
    line += " --dtype " + dtype_name(request.dtype);
  }
  if (s.variant != "eager") line += " --variant " + s.variant;
  if (!s.device.is_cpu()) line += " --device " + s.device.str();
  for (const auto& [name, value] : request.params) {
    line += " --set " + shell_quoted(name + "=" + shortest(value));
  }
  return line;
}

std::string identity_of(const ArmRequest& request) {
  std::string text = request.scenario + " " + std::to_string(request.settings.seed);
  for (const auto& [name, value] : request.params) text += " " + name + "=" + shortest(value);
  return text;
}

void label(const Scenario& scenario, const ArmRequest& request, Result& result) {
  result.name = scenario.name;
  result.arm = request.arm;
  result.op = scenario.op;
  for (const Verdict verdict : arm_of(scenario, request.arm).expect) {
    result.expected.emplace_back(to_string(verdict));
  }
  result.id = result_id(result, identity_of(request));
  result.replay = replay_line(scenario, request);
}

const Scenario& scenario_of(const ArmRequest& request) {
  const auto& scenarios = Registry<Scenario>::instance();
  if (const Scenario* scenario = scenarios.find(request.scenario)) return *scenario;
  throw UsageError("unknown scenario '" + request.scenario + "'" +
                   suggestion(request.scenario, scenarios.names()));
}

}  // namespace

const Arm& arm_of(const Scenario& scenario, const std::string& arm) {
  if (arm == "faulty") return scenario.faulty;
  if (arm == "fixed") return scenario.fixed;
  if (arm == "mutant") return scenario.mutant;
  throw UsageError("unknown arm '" + arm + "'; expected faulty, fixed, both or mutant");
}

std::pair<std::string, double> parameter_from(const std::string& text) {
  const auto equals = text.find('=');
  std::size_t end = 0;
  double value = 0;
  try {
    value = std::stod(text.substr(std::min(text.size(), equals + 1)), &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (equals == std::string::npos || end == 0 || equals + 1 + end != text.size()) {
    throw UsageError("--set: expected PARAM=NUMBER, not '" + text + "'");
  }
  return {text.substr(0, equals), value};
}

void check_parameters(const Scenario& scenario,
                      const std::vector<std::pair<std::string, double>>& params) {
  std::vector<std::string> known;
  for (const Parameter& parameter : scenario.params) known.push_back(parameter.name);
  for (const auto& [name, value] : params) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UsageError("scenario '" + scenario.name + "' has no parameter '" + name + "'" +
                     suggestion(name, known));
  }
}

std::function<void(Trial&)> judged(std::function<at::Tensor(const Inputs&)> function,
                                   std::function<Inputs(Trial&)> inputs) {
  return [function = std::move(function), inputs = std::move(inputs)](Trial& trial) {
    trial.judge(native_program("program", function), inputs(trial));
  };
}

Result run_arm(const ArmRequest& request) {
  const Scenario& scenario = scenario_of(request);
  const Arm& arm = arm_of(scenario, request.arm);
  Trial trial(request.settings, request.dtype, parameters(scenario, request));
  const auto start = std::chrono::steady_clock::now();
  if (const auto why = device_unavailable(request.settings.device)) {
    trial.skip(*why);
  } else {
    try {
      arm.run(trial);
    } catch (const CannotRun& why) {
      trial.skip(why.what());
    } catch (const c10::Error& error) {
      const bool memory = is_out_of_memory(error);
      trial.conclude(memory ? Verdict::out_of_memory : Verdict::error, "", message_of(error));
    }
  }
  Result result = trial.finish();
  result.seconds = seconds_since(start);
  label(scenario, request, result);
  result.ok = result.verdict == Verdict::skipped || is_ok(result);
  return result;
}

Result unanswered_arm(const ArmRequest& request) {
  Result result;
  result.variant = request.settings.variant;
  result.dtype = dtype_name(request.dtype);
  result.device = request.settings.device.str();
  result.seed = request.settings.seed;
  result.threads = request.settings.threads;
  label(scenario_of(request), request, result);
  return result;
}

}  // namespace plumb
