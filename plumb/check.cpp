#include "harness/case.hpp"
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
      app.add_option("paths", flags->paths, "CASE.json or a folder of them")->required();
      flags->common.add_to(app);
      return [flags, &app](Zygote& zygote) {
        flags->common.options.seed_given = app.count("--seed") > 0;
        const Options options = flags->common.read();
        std::vector<Json> tasks;
        for (const std::string& path : flags->paths) {
          for (const std::string& file : case_files(path)) {
            tasks.push_back(case_task(file, options));
          }
        }
        return run_and_report(zygote, tasks, flags->common);
      };
    },
}};

}  // namespace
}  // namespace plumb
