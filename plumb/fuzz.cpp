#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <stdexcept>

#include "fuzz/campaign.hpp"
#include "fuzz/driver.hpp"
#include "fuzz/onset.hpp"
#include "fuzz/shard.hpp"
#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/relation.hpp"
#include "harness/text.hpp"
#include "plumb/command.hpp"
#include "plumb/time_flag.hpp"

namespace plumb {
namespace {

struct Flags {
  CommonFlags common;
  std::vector<std::string> patterns;
  std::string driver = "libfuzzer";
  std::string goal = "any";
  std::string time;
  std::uint64_t runs = 0;
  std::string corpus;
  std::string shard = "0/1";
  const CLI::Option* timeout = nullptr;
  bool forward_only = false;
  bool keep_size = false;
  std::vector<std::string> set;
  std::string arm = "faulty";
};

constexpr const char* kUsualTime = "60s";
constexpr double kUsualDeadline = 10;

/// Flags that every command has and a search does not heed: better refused than without effect.
void refuse_unheeded(const Options& options) {
  if (options.repeat == 1 && options.devices.empty() && options.variants.empty() &&
      options.contract.empty()) {
    return;
  }
  throw UsageError(
      "fuzz: --repeat, --device, --variant and --contract are not heeded here; give them to plumb "
      "check or replay with a saved case");
}

void check_driver(const std::string& name) {
  const auto& drivers = Registry<Driver>::instance();
  if (drivers.find(name) != nullptr) return;
  if (name == "libfuzzer") {
    throw std::runtime_error(
        "fuzz: this program was built without its engine, libFuzzer (Debian's libclang-rt-16-dev)");
  }
  throw UsageError("--driver: there is no '" + name + "'" + suggestion(name, drivers.names()));
}

std::vector<std::string> searched_dtypes(const Options& options) {
  if (options.dtypes.empty()) return {"float32", "bfloat16", "float16"};
  for (const std::string& name : options.dtypes) {
    if (!format_of(dtype_or_usage_error(name))) {
      throw UsageError("--dtype: expected f64, f32, bf16 or f16 here, not '" + name + "'");
    }
  }
  return options.dtypes;
}

/// Before the work, not after.
void check_corpus(const CampaignPlan& plan) {
  std::error_code error;
  if (!plan.is_fresh) std::filesystem::create_directories(plan.corpus / "inputs", error);
  if (!error) return;
  throw UsageError("--corpus: expected a folder that can be written to, but '" +
                   plan.corpus.string() + "' is none: " + error.message());
}

CampaignPlan plan_of(const Flags& flags, const Options& options) {
  CampaignPlan plan;
  const Shard shard = shard_from(flags.shard, [](const char* name) { return std::getenv(name); });
  plan.shard = shard.index;
  plan.shards = shard.count;
  plan.goal = goal_or_usage_error(flags.goal);
  plan.driver = flags.driver;
  plan.ops = searched_operators(flags.patterns, plan.shard, plan.shards);
  plan.dtypes = searched_dtypes(options);
  plan.runs = flags.runs;
  const bool is_limited = flags.runs > 0 || !flags.time.empty();
  if (!flags.time.empty()) plan.seconds = seconds_from("--time", flags.time);
  if (!is_limited) plan.seconds = seconds_from("--time", kUsualTime);
  plan.jobs = std::max(1, options.jobs);
  plan.backward = !flags.forward_only;
  // A search has no time for what takes a minute.
  plan.deadline = flags.timeout->count() > 0 ? options.limits.timeout_seconds : kUsualDeadline;
  // What leaves a path is as ordinary as it may be already; smaller, it would leave it otherwise.
  const bool stays = flags.keep_size || plan.goal.about_paths;
  plan.evaluations = stays ? 0 : kEvaluationsOfAFailure;
  plan.is_fresh = flags.corpus.empty();
  plan.corpus = plan.is_fresh ? flags.common.out + "/campaign" : flags.corpus;
  return plan;
}

/// "softmax leaves its fused kernel with / transposed input   bfloat16, float32": what it takes,
/// and in which types.
void tell_boundary(const Table& table) {
  std::map<std::string, std::map<std::string, std::vector<std::string>>> types;  // op, condition
  std::size_t width = 0;
  for (const std::vector<Cell>& line : table.rows) {
    const auto word = [&](std::size_t i) { return std::get<std::string>(line.at(i)); };
    types[word(0)][word(2)].push_back(word(1));
    width = std::max(width, word(2).size());
  }
  for (auto& [op, conditions] : types) {
    std::cout << op << " leaves its fused kernel with\n";
    for (auto& [condition, dtypes] : conditions) {
      std::sort(dtypes.begin(), dtypes.end());
      std::cout << "  " << condition << std::string(width - condition.size() + 2, ' ')
                << joined(dtypes, ", ") << "\n";
    }
  }
}

/// What the last row says, which is not that of a case, and where a fused kernel is left.
void tell(const std::vector<Result>& rows) {
  if (rows.empty()) return;
  for (const Table& table : rows.back().tables) {
    if (table.name == "boundary") tell_boundary(table);
  }
  std::cout << rows.back().message << "\n";
}

/// A scenario instead of operators.
int onset(Zygote& zygote, const Flags& flags) {
  if (flags.patterns.size() != 1) {
    throw UsageError("fuzz: --set is for one scenario; expected its name, not " +
                     std::to_string(flags.patterns.size()) + " names");
  }
  const Options options = flags.common.read();
  if (!flags.time.empty() || flags.runs > 0 || !flags.corpus.empty() || flags.shard != "0/1" ||
      flags.forward_only || flags.keep_size || flags.driver != "libfuzzer") {
    throw UsageError(
        "fuzz: --time, --runs, --corpus, --shard, --driver, --forward-only and --no-minimize are "
        "not heeded where --set names a parameter of a scenario");
  }
  const OnsetPlan plan =
      onset_plan(flags.patterns.front(), flags.arm, goal_or_usage_error(flags.goal), flags.set);
  std::vector<Result> rows;
  const int code = report_run(zygote, flags.common, 0, [&](const EachRow& each) {
    return rows = find_onset(zygote, plan, options, each);
  });
  if (!flags.common.json) tell(rows);
  return code;
}

int fuzz(Zygote& zygote, const Flags& flags) {
  if (!flags.set.empty()) return onset(zygote, flags);
  Options options = flags.common.read();
  refuse_unheeded(options);
  const CampaignPlan plan = plan_of(flags, options);
  check_driver(flags.driver);
  if (!options.relations_given) options.relations = relations_from(plan.goal.relations);
  check_corpus(plan);
  std::vector<Result> rows;
  const int code = report_run(zygote, flags.common, 0, [&](const EachRow& each) {
    return rows = run_campaign(zygote, plan, options, flags.common.out, each);
  });
  if (!flags.common.json) tell(rows);
  return code;
}

void add_flags(CLI::App& app, Flags& flags) {
  app.add_option("ops", flags.patterns, "operators, shell patterns allowed; all of aten by default")
      ->option_text("[GLOB...]");
  app.add_option("--goal", flags.goal, "one of " + joined(goal_names(), ", "))
      ->option_text("G=" + flags.goal);
  app.add_option("--time", flags.time, "how long to search; without --runs 60s by default")
      ->option_text("TIME");
  app.add_option("--runs", flags.runs, "executions; the same seed then finds the same")
      ->option_text("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  app.add_option("--corpus", flags.corpus,
                 "folder with inputs and failures to go on from; default: OUT/campaign, emptied")
      ->option_text("DIR");
  app.add_option("--shard", flags.shard,
                 "the I-th of N searches that share the work, from 0; auto: as Slurm, MPI "
                 "or Kubernetes (auto/N) say")
      ->option_text("I/N|auto");
  app.add_option("--driver", flags.driver,
                 "one of " + joined(Registry<Driver>::instance().names(), ", "))
      ->option_text("D=" + flags.driver);
  app.add_flag("--forward-only", flags.forward_only, "no gradients")->disable_flag_override();
  app.add_flag("--no-minimize", flags.keep_size, "save failures as they were found")
      ->disable_flag_override();
  app.add_option("--set", flags.set,
                 "instead of operators: from which value on the scenario fails; other parameters "
                 "as PARAM=VALUE")
      ->option_text("PARAM=LOW..HIGH")
      ->allow_extra_args(false);
  app.add_option("--arm", flags.arm, "of the scenario: faulty, fixed or mutant")
      ->option_text("A=" + flags.arm)
      ->check(CLI::IsMember({"faulty", "fixed", "mutant"}));
  flags.common.options.jobs = 1;
  flags.common.add_to(app);
  flags.common.add_out_to(app);
  flags.common.add_known_to(app);
  app.get_option("--dtype")->description("types, by comma; default: f32,bf16,f16");
  flags.timeout = app.get_option("--timeout");
  app.get_option("--timeout")->description("deadline of one case; while searching 10s by default");
  app.get_option("--jobs")->description("worker processes that search")->option_text("N=1");
  app.get_option("--relations")
      ->description("must hold too, by comma: plumb list relations; default: by goal");
  leave_out_of_help(app, {"--repeat", "--device", "--variant", "--contract"});
}

const Register<Command> registered{{
    .name = "fuzz",
    .about = "search operators for inputs that fail, with numeric feedback",
    .add = [](CLI::App& app) -> std::function<int(Zygote&)> {
      auto flags = std::make_shared<Flags>();
      add_flags(app, *flags);
      return [flags](Zygote& zygote) { return fuzz(zygote, *flags); };
    },
}};

}  // namespace
}  // namespace plumb
