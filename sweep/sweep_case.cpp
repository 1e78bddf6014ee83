#include "sweep/sweep_case.hpp"

#include <algorithm>
#include <array>

#include "harness/dtype.hpp"
#include "sweep/layouts.hpp"
#include "sweep/targets.hpp"
#include "sweep/values.hpp"

namespace plumb {
namespace {

// Wheels of 19 programs, 13 lengths, 7 layouts and 3 kinds of company: no two have a common factor,
// so that they meet in every combination.

/// One vector of AVX-512, one less, one more, two; kLong is what dispatch changes at.
constexpr std::int64_t kLong = -1;
constexpr std::array<std::int64_t, 13> kLengths = {17,  64, 1,  33, 8,     100, 16,
                                                   257, 3,  32, 65, kLong, 0};
constexpr std::array<std::int64_t, 4> kLongLengths = {1025, 600, 2048, 1024};

/// A plan that would make more elements than this gets a shorter length than the long ones.
constexpr std::int64_t kManyElements = 16384;
constexpr std::int64_t kShorter = 129;

std::int64_t length_of(const Plan& plan, std::size_t index) {
  const std::int64_t length = kLengths[index % kLengths.size()];
  if (length != kLong) return length;
  const std::int64_t longer = kLongLengths[index / kLengths.size() % kLongLengths.size()];
  return elements_of(plan, sizes_with(longer)) > kManyElements ? kShorter : longer;
}

/// Complex numbers are judged in f32: f64 has no oracle for them, and of halves torch has few or no
/// kernels.
const Plan& plan_of(const std::vector<Plan>& plans, std::size_t turn, c10::ScalarType dtype) {
  const Plan& plan = plans[turn % plans.size()];
  return dtype != c10::kFloat && plan.has_complex() ? plans.front() : plan;
}

/// Numbers of `layouts` in the order of cases.
constexpr std::array<std::size_t, 7> kLayouts = {0, 0, 1, 2, 3, 4, 5};

/// Lays the first floating tensor out as the wheel has it; in every second turn all of them.
void lay_out(const Plan& plan, std::size_t index, const CaseSource& source, Json& args) {
  const Layout& layout = layouts()[kLayouts[index % kLayouts.size()]];
  const bool all = index / kLayouts.size() % 2 == 1;
  if (layout.apply == nullptr || !allows(layout, source.op, source.gradient)) return;
  for (const std::string& name : plan.floating()) {
    Json& tensor = args[name];
    if (tensor["shape"].empty() || tensor["fill"] == "definite") continue;
    layout.apply(tensor);
    if (!all) return;
  }
}

/// In every third case one tensor alone has the values of the program, in turn; the others are
/// ordinary. The thirds move on after each round of 57, or else the third of three plans, which
/// move on by one every 19 cases, would have one such tensor always.
class Company {
 public:
  Company(const Plan& plan, std::size_t index)
      : lone_((index + index / 57) % 3 == 2),
        which_(index / 3 % std::max<std::size_t>(1, plan.floating().size())) {}

  bool next_is_ordinary() { return lone_ && seen_++ != which_; }

 private:
  bool lone_;
  std::size_t which_;
  std::size_t seen_ = 0;
};

}  // namespace

Json sweep_case(const CaseSource& source, const std::vector<Plan>& plans, int index) {
  const auto at = static_cast<std::size_t>(index);
  const std::vector<ValueProgram>& programs = value_programs();
  const std::size_t round = at / programs.size();
  const ValueProgram& program = programs[at % programs.size()];
  const c10::ScalarType dtype = *dtype_from(source.dtype);
  const Plan& plan = plan_of(plans, at % programs.size() + round, dtype);
  const FormatTraits& format = traits(*format_of(dtype));
  Company company(plan, at);
  Json args = arguments_of(
      plan, {.sizes = sizes_with(length_of(plan, at)),
             .dtype = dtype,
             .fill = [&](const PlannedArgument& argument) {
               const bool ordinary =
                   company.next_is_ordinary() || (argument.finite && !program.finite);
               if (!argument.domain.empty()) return fill_in_domain(argument.domain, format, index);
               return (ordinary ? programs.front() : program).fill(format, static_cast<int>(round));
             }});
  lay_out(plan, at, source, args);
  Json json{{"schema", "plumb.case/1"},
            {"name", short_name(source.op) + " " + program.name + " " + std::to_string(index)},
            {"op", source.op},
            {"args", std::move(args)},
            {"dtype", source.dtype},
            {"seed", source.seed * 1000003 + at}};
  if (source.gradient) json["grad"] = plan.floating();
  return json;
}

}  // namespace plumb
