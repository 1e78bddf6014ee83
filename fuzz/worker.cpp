#include "fuzz/worker.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <type_traits>
#include <fcntl.h>
#include <unistd.h>

#include <ATen/Parallel.h>

#include "fuzz/caught.hpp"
#include "fuzz/driver.hpp"
#include "fuzz/genome_case.hpp"
#include "fuzz/hunter.hpp"
#include "harness/digest.hpp"
#include "harness/doing.hpp"
#include "harness/process_clock.hpp"
#include "harness/task.hpp"
#include "harness/text.hpp"

namespace plumb {

namespace fs = std::filesystem;

struct LastInput::Page {
  std::uint64_t executions;
  std::uint64_t size;
  std::uint8_t bytes[Genome::kMostBytes];
};

LastInput::LastInput(const fs::path& file)
    : shared_(file, sizeof(Page)), page_(reinterpret_cast<Page*>(shared_.bytes().data())) {
  *page_ = {};
}

void LastInput::write(std::span<const std::uint8_t> bytes, bool counts) {
  const std::size_t size = std::min(bytes.size(), Genome::kMostBytes);
  if (counts) ++page_->executions;
  page_->size = size;
  if (size > 0) std::memcpy(page_->bytes, bytes.data(), size);
}

std::optional<LastInput::Read> LastInput::read(const fs::path& file) {
  Page page{};
  std::ifstream stream(file, std::ios::binary);
  const bool is_read = static_cast<bool>(stream.read(reinterpret_cast<char*>(&page), sizeof page));
  const bool is_written = page.executions > 0 || page.size > 0;
  if (!is_read || !is_written || page.size > Genome::kMostBytes) return std::nullopt;
  return Read{page.executions, {page.bytes, page.bytes + page.size}};
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kReplayed = 500;

/// The cells that searches of these operators and types have lit, in a file.
class LitCells {
 public:
  LitCells(const Json& task, const Domain& domain)
      : page_(task["lit"].get<std::string>(), kKey + Features::kCells) {
    std::string what = joined(domain.dtypes(), ",");
    // Few operators have their cells by their place in the list.
    if (domain.size() <= Features::kOperators) what += "|" + joined(domain.ops(), ",");
    const std::string key = short_hash(what);
    const std::span<std::uint8_t> bytes = page_.bytes();
    if (std::equal(key.begin(), key.end(), bytes.begin())) return;
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    std::copy(key.begin(), key.end(), bytes.begin());
  }

  std::span<std::uint8_t> cells() const { return page_.bytes().subspan(kKey); }

 private:
  static constexpr std::size_t kKey = 8;  // digits of short_hash
  SharedPage page_;
};

/// Everything a search in this worker is made of. It lives until the process ends.
class Worker {
 public:
  Worker(const Json& task, const Driver& driver, const Zygote::Announce& announce)
      : task_(task),
        announce_(announce),
        domain_(task["ops"], task["dtypes"], task["references"]),
        lit_(task, domain_),
        features_(driver.cells(), lit_.cells()),
        has_predecessor_(features_.lit() > 0),
        last_(fs::path(task["last"].get<std::string>())),
        hunter_(domain_, goal_or_usage_error(task["goal"]), features_, task,
                [this](const Catch& found) { keep(found); }) {
    announce_(label(false));
    std::vector<Caught> before;
    read_caught(task["catches"].get<std::string>(), before);
    for (const Caught& known : before) {
      hunter_.know({.stored = known.stored, .row = known.row, .condition = known.condition});
    }
  }

  /// A few suffice where the features of all are known: what is built on needs some to begin with.
  void replay(std::span<const std::uint8_t> bytes) {
    if (has_predecessor_ && ++replayed_ > kReplayed) return;
    last_.write(bytes, /*counts=*/false);
    watched([&] {  // else a large corpus would look like a hang
      hunter_.replay(bytes);
      return true;
    });
  }

  bool execute(std::span<const std::uint8_t> bytes) {
    last_.write(bytes);
    const bool is_sound = watched([&] { return hunter_.execute(bytes); });
    // The engine does not know what was lit before its time.
    return is_sound && (!has_predecessor_ || features_.fresh());
  }

  std::optional<std::string> judge(std::span<const std::uint8_t> bytes, bool in_full) {
    last_.write(bytes);
    return watched([&] { return hunter_.judge(bytes, in_full); });
  }

  void file(std::span<const std::uint8_t> bytes) { hunter_.file(bytes); }

  std::string describe(std::span<const std::uint8_t> bytes) {
    return case_of(decode(bytes), domain_).dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  /// Where an operator ends the process, the search is not done.
  void finish() {
    if (!executing_) announce_(label(true));
  }

  Choices choices() const {
    Choices choices{.ops = {},
                    .dtypes = domain_.dtypes().size(),
                    .may_go_backward = task_["backward"].get<bool>()};
    for (const std::string& op : domain_.ops()) choices.ops.push_back(op_hash(op));
    return choices;
  }

 private:
  /// Where the process ends in it, or while nothing is told, the main process knows.
  template <typename Run>
  std::invoke_result_t<Run> watched(Run run) {
    executing_ = true;
    auto result = run();
    executing_ = false;
    tell_now_and_then();
    return result;
  }

  void tell_now_and_then() {
    if (hunter_.tally().executions % 64 != 0) return;
    if (Clock::now() - announced_ <= std::chrono::seconds(1)) return;
    announced_ = Clock::now();
    announce_(label(false));
    tell_doing(in_words());
  }

  /// For a person who waits: "searching: 12340 executions, 3 failures, 35 s left (1 of 2)".
  std::string in_words() const {
    std::string text = "searching: " + std::to_string(hunter_.tally().executions) +
                       " executions, " + plural(kept_, "failure");
    if (const double seconds = task_["seconds"]; seconds > 0) {
      const int left = std::max(0, static_cast<int>(seconds - seconds_since(start_)));
      text += ", " + std::to_string(left) + " s left";
    }
    const int jobs = task_["jobs"];
    return jobs == 1 ? text
                     : text + " (" + std::to_string(task_["job"].get<int>() + 1) + " of " +
                           std::to_string(jobs) + ")";
  }

  Json label(bool done) {
    const Tally& tally = hunter_.tally();
    if (tally.executions >= next_point_) {
      growth_.push_back({tally.executions, features_.lit()});
      next_point_ = tally.executions + tally.executions / 8 + 1;
    }
    return {{"done", done},
            {"executions", tally.executions},
            {"refused", tally.refused},
            {"judged", tally.judged},
            {"cpu", cpu_seconds()},
            {"verdicts", tally.verdicts},
            {"operators", tally.by_operator},
            {"features", growth_}};
  }

  void keep(const Catch& found) {
    ++kept_;
    std::ofstream file(task_["catches"].get<std::string>(), std::ios::app);
    file << Json{{"execution", task_["before"].get<std::uint64_t>() + found.execution},
                 {"condition", found.condition},
                 {"row", to_json(found.row)},
                 {"case", found.stored}}
                .dump(-1, ' ', false, Json::error_handler_t::replace)
         << std::endl;
  }

  Json task_;
  const Zygote::Announce& announce_;
  Domain domain_;
  LitCells lit_;
  Features features_;
  bool has_predecessor_;  // a worker that died, or an earlier search
  int replayed_ = 0;
  LastInput last_;
  Hunter hunter_;
  bool executing_ = false;
  int kept_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point announced_ = Clock::now();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> growth_;
  std::uint64_t next_point_ = 1;
};

Worker* searching = nullptr;

/// The engine ends the process itself; what there is to say is said on its way out.
void end_at_exit() {
  if (searching != nullptr) searching->finish();
  _exit(0);
}

void log_to(const std::string& file) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return;
  dup2(fd, STDOUT_FILENO);
  dup2(fd, STDERR_FILENO);
  close(fd);
}

/// The case that bytes stand for.
Json serve_case(const Json& task, const Zygote::Announce&) {
  Domain domain(task["ops"], task["dtypes"], task["references"]);
  const std::vector<std::uint8_t> bytes = task["bytes"];
  return case_of(decode(bytes), domain);
}

const Register<TaskKind> registered{{.name = "fuzz", .serve = serve_fuzz}};
const Register<TaskKind> registered_case{{.name = "fuzz-case", .serve = serve_case}};

}  // namespace

Json serve_fuzz(const Json& task, const Zygote::Announce& announce) {
  at::set_num_threads(task["threads"].get<int>());
  const Driver& driver = *Registry<Driver>::instance().find(task["driver"].get<std::string>());
  log_to(task["log"]);
  Worker search(task, driver, announce);
  searching = &search;
  std::atexit(end_at_exit);
  driver.run(
      {.corpus = task["corpus"],
       .has_company = task["has_company"],
       .seed = task["seed"],
       .runs = task["runs"],
       .seconds = task["seconds"],
       .choices = search.choices(),
       .replay = [&](std::span<const std::uint8_t> bytes) { search.replay(bytes); },
       .execute = [&](std::span<const std::uint8_t> bytes) { return search.execute(bytes); },
       .judge = [&](std::span<const std::uint8_t> bytes,
                    bool in_full) { return search.judge(bytes, in_full); },
       .file = [&](std::span<const std::uint8_t> bytes) { search.file(bytes); },
       .describe = [&](std::span<const std::uint8_t> bytes) { return search.describe(bytes); }});
  search.finish();
  searching = nullptr;
  return Json{{"done", true}};
}

}  // namespace plumb
