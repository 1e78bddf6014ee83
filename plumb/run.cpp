#include "harness/errors.hpp"
#include "harness/scenario.hpp"
#include "harness/text.hpp"
#include "plumb/command.hpp"

namespace plumb {
namespace {

struct Flags {
  CommonFlags common;
  std::vector<std::string> names;
  std::string arm = "both";
  std::vector<std::string> set;
};

std::vector<std::pair<std::string, double>> parameters(const std::vector<std::string>& set) {
  std::vector<std::pair<std::string, double>> params;
  for (const std::string& text : set) {
    params.push_back(parameter_from(text));
    for (std::size_t i = 0; i + 1 < params.size(); ++i) {
      if (params[i].first != params.back().first) continue;
      throw UsageError("--set: expected '" + params[i].first + "' only once");
    }
  }
  return params;
}

const Register<Command> registered{{
    .name = "run",
    .about = "run the catalogue of documented failures, or the scenarios named",
    .add = [](CLI::App& app) -> std::function<int(Zygote&)> {
      auto flags = std::make_shared<Flags>();
      app.add_option("names", flags->names, "scenarios, shell patterns allowed; all by default")
          ->option_text("[GLOB...]");
      app.add_option("--arm", flags->arm, "faulty, fixed, both or mutant")
          ->option_text("A=" + flags->arm)
          ->check(CLI::IsMember({"faulty", "fixed", "both", "mutant"}));
      app.add_option("--set", flags->set, "a parameter of a scenario; repeatable")
          ->option_text("PARAM=VALUE")
          ->allow_extra_args(false);
      flags->common.add_to(app);
      flags->common.add_out_to(app);
      flags->common.add_known_to(app);
      leave_out_of_help(app, {"--reference"});
      return [flags](Zygote& zygote) {
        const Options options = flags->common.read();
        if (!options.references.empty()) {
          throw UsageError("run: --reference is not heeded here; a scenario has its own truth");
        }
        const auto tasks = arm_tasks(flags->names, flags->arm, parameters(flags->set), options);
        return run_and_report(zygote, tasks, flags->common);
      };
    },
}};

}  // namespace
}  // namespace plumb
