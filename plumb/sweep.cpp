#include "sweep/sweep.hpp"

#include "harness/errors.hpp"
#include "harness/relation.hpp"
#include "plumb/command.hpp"

namespace plumb {
namespace {

struct Flags {
  CommonFlags common;
  std::vector<std::string> patterns;
  int cases = 19;
  bool keep_size = false;
};

/// Flags that every command has and a sweep does not heed: better refused than without effect.
void refuse_unheeded(const Options& options) {
  if (options.repeat == 1) return;
  throw UsageError(
      "sweep: --repeat is not heeded here; give it to plumb check or replay with a saved case");
}

const Register<Command> registered{{
    .name = "sweep",
    .about = "operators of the dispatcher by schema, on inputs made from it, forward and backward",
    .add = [](CLI::App& app) -> std::function<int(Zygote&)> {
      auto flags = std::make_shared<Flags>();
      app.add_option("ops", flags->patterns,
                     "operators, shell patterns allowed; all of aten by default")
          ->option_text("[GLOB...]");
      app.add_option("--cases", flags->cases, "cases per operator, dtype and direction")
          ->option_text("N=" + std::to_string(flags->cases))
          ->check(CLI::Range(1, 1000000));
      app.add_flag("--no-minimize", flags->keep_size, "save alarms as they were found")
          ->disable_flag_override();
      flags->common.add_to(app);
      flags->common.add_out_to(app);
      flags->common.add_known_to(app);
      app.get_option("--dtype")->description("types, by comma; default: f32,bf16,f16,f64");
      app.get_option("--variant")->description("variants, by comma; default: eager");
      app.get_option("--relations")
          ->description("must hold too, by comma: plumb list relations; eager: usual");
      app.get_option("--device")->description("cpu, cuda or all; default: cpu");
      leave_out_of_help(app, {"--repeat"});
      return [flags](Zygote& zygote) {
        Options options = flags->common.read();
        // Other variants are held against eager, which keeps the relations or not.
        if (!options.relations_given) {
          options.relations = relations_from(options.variants.empty() ? "usual" : "none");
        }
        refuse_unheeded(options);
        const auto dtypes = options.dtypes.empty() ? std::vector<std::string>{"float32", "bfloat16",
                                                                              "float16", "float64"}
                                                   : options.dtypes;
        const auto units = sweep_units(flags->patterns, dtypes, flags->cases, options);
        return report_run(zygote, flags->common, units.size(), [&](const EachRow& each) {
          const int evaluations = flags->keep_size ? 0 : kEvaluationsOfAFailure;
          return run_sweep(zygote, units, options, evaluations, flags->common.out, each);
        });
      };
    },
}};

}  // namespace
}  // namespace plumb
