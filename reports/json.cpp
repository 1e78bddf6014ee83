// results.json: the record that machines read, and from which every other report can be made.

#include "reports/reporter.hpp"

namespace plumb {
namespace {

/// One result per line: short to read for `grep` and `diff`, still one JSON document.
std::string render(const Report& report) {
  const auto line = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const Json json = to_json(report);
  std::string text = "{\"schema\":" + line(json["schema"]) +
                     ",\n\"environment\":" + line(json["environment"]) + ",\n\"results\":[";
  const char* separator = "\n";
  for (const Json& result : json["results"]) {
    text += separator + line(result);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

const Register<Reporter> registered{{.name = "json",
                                     .about = "everything, for machines (plumb.results/1)",
                                     .file = "results.json",
                                     .render = render}};

}  // namespace
}  // namespace plumb
