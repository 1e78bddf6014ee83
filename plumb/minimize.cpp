#include <iostream>

#include "findings/minimize_file.hpp"
#include "harness/errors.hpp"
#include "plumb/command.hpp"
#include "reports/progress.hpp"

namespace plumb {
namespace {

struct Flags {
  CommonFlags common;
  std::string path;
  int evaluations = 2000;
};

/// A case holds neither, so its finding could not be replayed.
void refuse_unheeded(const Options& options) {
  if (options.repeat == 1 && options.contract.empty()) return;
  throw UsageError(
      "minimize: --repeat and --contract are not heeded here; a case cannot hold them");
}

int minimize(Zygote& zygote, const Flags& flags) {
  const Options options = flags.common.read();
  refuse_unheeded(options);
  check_writable(flags.common.out);
  const FileMinimised done =
      minimize_file(zygote, flags.path, options, flags.evaluations, flags.common.out);
  if (!done.finding) {
    std::cerr << "plumb: " << done.refused << "\n";
    return 1;
  }
  if (flags.common.json) {
    std::cout << done.finding->record.dump(1) << "\n";
  } else if (!flags.common.quiet) {
    std::cout << text_of(*done.finding, console_style(flags.common.quiet).program);
  }
  return 0;
}

const Register<Command> registered{{
    .name = "minimize",
    .about =
        "the simplest case that fails as this one does, with stand-alone programs that show it",
    .add = [](CLI::App& app) -> std::function<int(Zygote&)> {
      auto flags = std::make_shared<Flags>();
      app.add_option("case", flags->path, "a case, or the folder of a finding")
          ->option_text("CASE.json|FOLDER")
          ->required();
      app.add_option("--evaluations", flags->evaluations,
                     "cases to judge at most; three runs before and after come on top")
          ->option_text("N=" + std::to_string(flags->evaluations))
          ->check(CLI::Range(1, 1000000));
      flags->common.add_to(app);
      flags->common.add_out_to(app);
      app.get_option("--variant")->description("a variant; default: the case's own, or eager");
      app.get_option("--dtype")->description("a type, such as bf16; default: the case's own");
      app.get_option("--device")->description("cpu or cuda; default: the case's own, or cpu");
      for (const char* flag : {"--variant", "--dtype", "--device"}) {
        app.get_option(flag)->option_text(flag == std::string("--variant") ? "V" : "D");
      }
      leave_out_of_help(app, {"--repeat", "--contract", "--jobs"});
      return [flags](Zygote& zygote) { return minimize(zygote, *flags); };
    },
}};

}  // namespace
}  // namespace plumb
