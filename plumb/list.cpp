#include <iostream>

#include "harness/errors.hpp"
#include "plumb/command.hpp"
#include "reports/catalogue.hpp"

namespace plumb {
namespace {

struct Flags {
  std::string kind = "scenarios";
  bool json = false;
};

const Register<Command> registered{{
    .name = "list",
    .about =
        "what this build has: scenarios, variants, oracles, relations, ops, reporters, planted",
    .add = [](CLI::App& app) -> std::function<int(Zygote&)> {
      auto flags = std::make_shared<Flags>();
      app.add_option("kind", flags->kind, "one of the above")->option_text("[KIND=scenarios]");
      app.add_flag("--json", flags->json, "{KIND: [{name, about, available, why, …}]}")
          ->disable_flag_override();
      return [flags](Zygote& zygote) {
        const Json entries = catalogue(flags->kind, zygote);
        std::cout << (flags->json ? Json{{flags->kind, entries}}.dump(1) + "\n"
                                  : catalogue_text(flags->kind, entries));
        return 0;
      };
    },
}};

}  // namespace
}  // namespace plumb
