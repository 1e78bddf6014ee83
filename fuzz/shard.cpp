#include "fuzz/shard.hpp"

#include <charconv>
#include <optional>

#include "harness/errors.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

using Variable = std::function<const char*(const char*)>;

constexpr int kMost = 100000;

/// What one kind of launcher says.
struct Launcher {
  const char* index;
  const char* count;  // null where it does not say
  const char* first;  // the least index; null: 0
  const char* step;   // between two indices; null: 1
};

/// Array before task: each member of an array is a task 0 of 1 as well.
constexpr Launcher kLaunchers[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_STEP"},
    {"JOB_COMPLETION_INDEX", nullptr, nullptr, nullptr},  // Kubernetes
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr, nullptr},
    {"PMI_RANK", "PMI_SIZE", nullptr, nullptr},
    {"SLURM_PROCID", "SLURM_NTASKS", nullptr, nullptr},
};

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string names_of_indices() {
  std::vector<std::string> names;
  for (const Launcher& launcher : kLaunchers) names.emplace_back(launcher.index);
  return joined(names, ", ");
}

int value_of(const Variable& variable, const char* name, int absent) {
  const char* text = name == nullptr ? nullptr : variable(name);
  if (text == nullptr) return absent;
  if (const auto number = whole_number(text)) return *number;
  throw UsageError(std::string("--shard auto: expected a whole number in ") + name + ", not '" +
                   text + "'");
}

/// `count` where a person gave one, else 0.
Shard of_environment(const Variable& variable, int count) {
  for (const Launcher& launcher : kLaunchers) {
    if (variable(launcher.index) == nullptr) continue;
    const int step = std::max(1, value_of(variable, launcher.step, 1));
    const int index =
        (value_of(variable, launcher.index, 0) - value_of(variable, launcher.first, 0)) / step;
    const int all = count > 0 ? count : value_of(variable, launcher.count, 0);
    if (all == 0) {
      throw UsageError(std::string("--shard auto: ") + launcher.index +
                       " says which, but not of how many; give auto/N");
    }
    if (index >= 0 && index < all && all <= kMost) return {index, all};
    throw UsageError(std::string("--shard auto: expected ") + launcher.index + " from 0 to " +
                     std::to_string(all - 1) + ", not " + std::to_string(index));
  }
  throw UsageError("--shard auto: expected one of " + names_of_indices() +
                   " in the environment, as Slurm, MPI and Kubernetes set them");
}

}  // namespace

Shard shard_from(const std::string& text, const Variable& variable) {
  if (text == "auto") return of_environment(variable, 0);
  const std::size_t slash = text.find('/');
  const std::string before = text.substr(0, slash);
  const auto count = slash == std::string::npos
                         ? std::nullopt
                         : whole_number(std::string_view(text).substr(slash + 1));
  if (count && *count >= 1 && *count <= kMost) {
    if (before == "auto") return of_environment(variable, *count);
    const auto index = whole_number(before);
    if (index && *index >= 0 && *index < *count) return {*index, *count};
  }
  throw UsageError("--shard: expected I/N with I from 0 to N-1, such as 2/8, or auto, not '" +
                   text + "'");
}

}  // namespace plumb
