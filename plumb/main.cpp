// The command line: finds the subcommand, parses its flags, maps errors to exit codes.

#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>

#include <c10/util/Exception.h>

#include "harness/build_info.hpp"
#include "harness/errors.hpp"
#include "harness/raised.hpp"
#include "plumb/command.hpp"

namespace {

constexpr int kBadUsage = 2;
constexpr int kCannotRun = 3;

/// CLI11 says "The following argument was not expected: --x"; add the nearest flag that exists.
std::string usage_text(const CLI::App& app, const CLI::Error& error, int argc, char** argv) {
  std::string text = error.what();
  const auto chosen = app.get_subcommands();
  const CLI::App& scope = chosen.empty() ? app : *chosen.front();
  std::vector<std::string> known;
  for (const CLI::Option* option : scope.get_options()) {
    // What is left out of the help has no group, and CLI11 then gives no name.
    if (!option->get_name().empty()) known.push_back(option->get_name());
  }
  if (chosen.empty()) {
    known.clear();
    for (const auto& command : plumb::Registry<plumb::Command>::instance().all()) {
      known.push_back(command.name);
    }
  }
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string flag = word.substr(0, word.find('='));
    const CLI::Option* option = scope.get_option_no_throw(flag);
    if (flag != word && option != nullptr && option->get_expected_max() == 0) {
      return flag + ": expected no value, not '" + word.substr(flag.size() + 1) + "'";
    }
    const bool is_known = std::find(known.begin(), known.end(), flag) != known.end();
    const bool candidate = chosen.empty() ? !flag.starts_with("-") : flag.starts_with("--");
    if (candidate && !is_known) {
      return "unknown " + std::string(chosen.empty() ? "command" : "flag") + " '" + flag + "'" +
             plumb::suggestion(flag, known);
    }
  }
  return text;
}

/// Remarks of torch on operators under test ("is in beta") are no business of who runs plumb.
class Silent : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

int parse_and_run(int argc, char** argv, plumb::Zygote& zygote) {
  CLI::App app{
      "plumb tells whether a tensor computation is wrong, merely differently rounded, or not "
      "answerable in that precision",
      "plumb"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(plumb::kVersion));
  std::vector<std::pair<CLI::App*, std::function<int(plumb::Zygote&)>>> commands;
  for (const auto& command : plumb::Registry<plumb::Command>::instance().all()) {
    CLI::App* sub = app.add_subcommand(command.name, command.about);
    commands.emplace_back(sub, command.add(*sub));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::Error& error) {
    throw plumb::UsageError(usage_text(app, error, argc, argv));
  }
  for (const auto& [sub, run] : commands) {
    if (sub->parsed()) return run(zygote);
  }
  return kBadUsage;
}

}  // namespace

int main(int argc, char** argv) {
  Silent silent;
  c10::WarningUtils::set_warning_handler(&silent);
  try {
    plumb::Zygote zygote(plumb::serve_task);  // before anything that could start threads
    const int status = parse_and_run(argc, argv, zygote);
    errno = 0;
    if (std::cout.flush()) return status;
    throw std::runtime_error("what it printed could not be written to standard output" +
                             (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
  } catch (const plumb::UsageError& error) {
    std::cerr << "plumb: " << error.what() << "\n";
    return kBadUsage;
  } catch (const plumb::InputError& error) {
    std::cerr << "plumb: " << error.what() << "\n";
    return kBadUsage;
  } catch (const std::exception& error) {
    std::cerr << "plumb: " << plumb::message_of(error) << "\n";
    return kCannotRun;
  }
}
