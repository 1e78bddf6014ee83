#include <fstream>
#include <map>

#include "harness/atomic_file.hpp"
#include "harness/errors.hpp"
#include "harness/json_fields.hpp"
#include "plumb/command.hpp"
#include "reports/reporter.hpp"

namespace plumb {
namespace {

struct Flags {
  std::string results;
  std::map<std::string, std::string> files;  // reporter → path
};

int render(const Flags& flags) {
  const Report report = report_from_json(read_json_file(flags.results), flags.results);
  bool wrote = false;
  for (const auto& [name, path] : flags.files) {
    if (path.empty()) continue;
    write_file_atomically(path, Registry<Reporter>::instance().find(name)->render(report));
    wrote = true;
  }
  if (!wrote) throw UsageError("report: expected at least one of --html, --junit, --markdown …");
  return 0;
}

const Register<Command> registered{{
    .name = "report",
    .about = "write reports from a results.json",
    .add = [](CLI::App& app) -> std::function<int(Zygote&)> {
      auto flags = std::make_shared<Flags>();
      app.add_option("results", flags->results, "results.json of an earlier run")->required();
      for (const Reporter& reporter : Registry<Reporter>::instance().all()) {
        app.add_option("--" + reporter.name, flags->files[reporter.name], reporter.about);
      }
      return [flags](Zygote&) { return render(*flags); };
    },
}};

}  // namespace
}  // namespace plumb
