#include "fuzz/distill.hpp"

#include <algorithm>

#include <ATen/Parallel.h>

#include "fuzz/campaign.hpp"
#include "fuzz/hunter.hpp"
#include "harness/interrupt.hpp"
#include "harness/registry.hpp"

namespace plumb {
namespace {

/// Places of the inputs that are kept, of those in the task.
Json serve_distill(const Json& task, const Zygote::Announce& announce) {
  at::set_num_threads(task["threads"].get<int>());
  Domain domain(task["ops"], task["dtypes"], task["references"]);
  std::vector<std::uint8_t> cells(Features::kCells);
  Features features(cells);
  const Goal glances{.name = "features", .only_glances = true};
  Hunter hunter(domain, glances, features, task, [](const Catch&) {});
  std::set<std::uint32_t> known;
  for (const std::string& op : domain.ops()) known.insert(op_hash(op));
  Json kept = Json::array();
  for (std::size_t i = 0; i < task["inputs"].size(); ++i) {
    announce({{"place", i}});
    const Input input = task["inputs"][i];
    std::fill(cells.begin(), cells.end(), 0);
    const bool is_here = known.contains(decode(input).op);
    if (!is_here || (hunter.execute(input) && features.fresh())) kept.push_back(i);
  }
  return kept;
}

const Register<TaskKind> registered{{.name = "fuzz-distill", .serve = serve_distill}};

Json task_for(const std::vector<Input>& inputs, Options options) {
  options.relations = {};  // they are no features
  Json task = common_fields(options);
  task.update({{"kind", "fuzz-distill"},
               {"ops", searched_operators({}, 0, 1)},
               {"dtypes", {"float32", "bfloat16", "float16"}},
               {"inputs", inputs}});
  return task;
}

}  // namespace

std::vector<Input> distilled(Zygote& zygote, std::vector<Input> inputs, const Options& options) {
  std::sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  while (!inputs.empty() && interrupted() == 0) {
    std::vector<Input> kept;
    bool is_done = false;
    run_isolated(zygote, {task_for(inputs, options)}, 1, options.limits,
                 [&](std::size_t, const Outcome& outcome) {
                   is_done = outcome.answered();
                   if (is_done) {
                     for (const Json& place : outcome.answer) kept.push_back(inputs.at(place));
                   } else {
                     const std::size_t fatal =
                         outcome.label.is_object() ? outcome.label.value("place", 0UL) : 0UL;
                     inputs.erase(inputs.begin() +
                                  static_cast<std::ptrdiff_t>(std::min(fatal, inputs.size() - 1)));
                   }
                 });
    if (is_done) return kept;
  }
  return inputs;  // interrupted: none is left out
}

}  // namespace plumb
