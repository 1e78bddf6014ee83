#include "harness/replay.hpp"

#include <filesystem>
#include <iostream>

#include "harness/errors.hpp"
#include "plumb/command.hpp"

namespace plumb {
namespace {

struct Flags {
  CommonFlags common;
  std::string path;
};

const Register<Command> registered{{
    .name = "replay",
    .about = "run a finding or a case again: same verdict and same output digest, or exit 1",
    .add = [](CLI::App& app) -> std::function<int(Zygote&)> {
      auto flags = std::make_shared<Flags>();
      app.add_option("path", flags->path, "the folder of a finding, or a case")
          ->option_text("FOLDER|CASE.json")
          ->required();
      flags->common.add_to(app);
      leave_out_of_help(app, {"--jobs"});
      return [flags](Zygote& zygote) {
        const Replay replay = replay_path(zygote, flags->path, flags->common.read());
        if (flags->common.json) {
          std::cout << replay_json(replay).dump(1) << "\n";
        } else if (!flags->common.quiet || !replay.same) {
          std::cout << replay_text(replay);
        }
        return replay.same ? 0 : 1;
      };
    },
}};

}  // namespace
}  // namespace plumb
