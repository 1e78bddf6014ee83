#include "sweep/sweep_case.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "harness/dtype.hpp"
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

/// Strides of a dense tensor whose dimensions lie in memory as `order` says, outermost first, in
/// steps of `step` elements.
Json dense_strides(const Json& shape, const std::vector<std::size_t>& order, std::int64_t step) {
  std::vector<std::int64_t> strides(shape.size());
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    strides[*d] = step;
    step *= std::max<std::int64_t>(1, shape[*d].get<std::int64_t>());
  }
  return strides;
}

std::vector<std::size_t> natural_order(const Json& shape) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// Every second element of a storage twice as long.
void spread(Json& tensor) {
  tensor["strides"] = dense_strides(tensor["shape"], natural_order(tensor["shape"]), 2);
}

/// Channels last where there are channels, else columns before rows.
void transpose(Json& tensor) {
  std::vector<std::size_t> order = natural_order(tensor["shape"]);
  if (order.size() >= 4) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  } else if (order.size() >= 2) {
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  }
  tensor["strides"] = dense_strides(tensor["shape"], order, 1);
}

/// One copy of the values along the first dimension.
void expand(Json& tensor) {
  Json strides = dense_strides(tensor["shape"], natural_order(tensor["shape"]), 1);
  strides[0] = 0;
  tensor["strides"] = std::move(strides);
}

void misalign(Json& tensor) { tensor["offset"] = 1; }
void negate(Json& tensor) { tensor["view"] = {"neg"}; }

using Layout = void (*)(Json& tensor);
constexpr std::array<Layout, 7> kLayouts = {nullptr,  nullptr,   negate, spread,
                                            misalign, transpose, expand};

/// as_strided, by which stft makes its frames, gives elements that share memory the mean of their
/// gradients (FunctionsManual.cpp, "as_strided Backward and layout-aware/agnostic autograd"): of an
/// expanded leaf only their sum has a meaning.
bool spreads_gradients(const CaseSource& source) {
  return source.gradient && source.op.starts_with("aten::stft");
}

/// Lays the first floating tensor out as the wheel has it; in every second turn all of them.
void lay_out(const Plan& plan, std::size_t index, const CaseSource& source, Json& args) {
  const Layout layout = kLayouts[index % kLayouts.size()];
  const bool all = index / kLayouts.size() % 2 == 1;
  if (layout == nullptr || (layout == expand && spreads_gradients(source))) return;
  for (const std::string& name : plan.floating()) {
    Json& tensor = args[name];
    if (tensor["shape"].empty() || tensor["fill"] == "definite") continue;
    layout(tensor);
    if (!all) return;
  }
}

/// In every third case one tensor alone has the values of the program, in turn; the others are
/// ordinary.
class Company {
 public:
  Company(const Plan& plan, std::size_t index)
      : lone_(index % 3 == 2),
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
  // What as_strided gives depends on the storage below its tensor, which the oracle has otherwise.
  if (source.op.find("as_strided") == std::string::npos) lay_out(plan, at, source, args);
  Json json{{"schema", "plumb.case/1"},
            {"name", source.op.substr(source.op.find("::") + 2) + " " + program.name + " " +
                         std::to_string(index)},
            {"op", source.op},
            {"args", std::move(args)},
            {"dtype", source.dtype},
            {"seed", source.seed * 1000003 + at}};
  if (source.gradient) json["grad"] = plan.floating();
  return json;
}

}  // namespace plumb
