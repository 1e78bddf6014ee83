#include "fuzz/merge.hpp"

#include <iostream>

#include "findings/known.hpp"
#include "harness/interrupt.hpp"
#include "plumb/command.hpp"

namespace plumb {
namespace {

struct Flags {
  CommonFlags common;
  std::vector<std::string> folders;
  bool keep_size = false;
};

int merge(Zygote& zygote, const Flags& flags) {
  const Options options = flags.common.read();
  check_writable(flags.common.out);
  const KnownIssues known = flags.common.known_issues();
  const Interruptible interruptible;
  Report report = merged(zygote,
                         {.folders = flags.folders,
                          .out = flags.common.out,
                          .evaluations = flags.keep_size ? 0 : kEvaluationsOfAFailure},
                         options);
  for (Result& row : report.results) known.mark(row, today());
  const int code = write_report(report, flags.common);
  if (!flags.common.json) std::cout << report.results.back().message << "\n";
  return code;
}

const Register<Command> registered{{
    .name = "merge",
    .about = "join results, findings and corpora of several runs, as of the shards of a search",
    .add = [](CLI::App& app) -> std::function<int(Zygote&)> {
      auto flags = std::make_shared<Flags>();
      app.add_option("folders", flags->folders, "the --out of each run, or a --corpus")
          ->option_text("OUT-DIR...")
          ->required();
      app.add_flag("--no-minimize", flags->keep_size,
                   "save what a search had not filed as it was found")
          ->disable_flag_override();
      flags->common.add_to(app);
      flags->common.add_out_to(app);
      flags->common.add_known_to(app);
      leave_out_of_help(app, {"--variant", "--dtype", "--device", "--seed", "--oracle",
                              "--contract", "--repeat", "--relations"});
      return [flags](Zygote& zygote) { return merge(zygote, *flags); };
    },
}};

}  // namespace
}  // namespace plumb
