#include "harness/select_cases.hpp"
#include "plumb/command.hpp"

namespace plumb {
namespace {

struct Flags {
  CommonFlags common;
  std::vector<std::string> paths;
};

const Register<Command> registered{{
    .name = "check",
    .about = "judge hand-written or saved cases: files or folders of plumb.case/1",
    .add = [](CLI::App& app) -> std::function<int(Zygote&)> {
      auto flags = std::make_shared<Flags>();
      app.add_option("paths", flags->paths, "cases, or folders of them")
          ->option_text("CASE.json|FOLDER...")
          ->required();
      flags->common.add_to(app);
      flags->common.add_out_to(app);
      flags->common.add_known_to(app);
      return [flags](Zygote& zygote) {
        const auto tasks = case_tasks(zygote, flags->paths, flags->common.read());
        return run_and_report(zygote, tasks, flags->common);
      };
    },
}};

}  // namespace
}  // namespace plumb
