#include <iostream>
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
    const std::string text = Registry<Reporter>::instance().find(name)->render(report);
    if (path == "-") {
      std::cout << text;
    } else {
      write_file_atomically(path, text);
    }
    wrote = true;
  }
  if (!wrote) throw UsageError("report: expected at least one of --html, --junit, --markdown …");
  return 0;
}

const Register<Command> registered{{
    .name = "report",
    .about = "write reports from a results.json; - as a FILE is standard output",
    .add = [](CLI::App& app) -> std::function<int(Zygote&)> {
      auto flags = std::make_shared<Flags>();
      app.add_option("results", flags->results, "results of an earlier run")
          ->option_text("RESULTS.json")
          ->required();
      for (const Reporter& reporter : Registry<Reporter>::instance().all()) {
        app.add_option("--" + reporter.name, flags->files[reporter.name], reporter.about)
            ->option_text("FILE");
      }
      return [flags](Zygote&) { return render(*flags); };
    },
}};

}  // namespace
}  // namespace plumb
