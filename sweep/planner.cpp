#include "sweep/planner.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <ATen/ATen.h>

#include "harness/argument_type.hpp"
#include "harness/arguments.hpp"
#include "harness/dtype.hpp"
#include "harness/program.hpp"
#include "harness/raised.hpp"
#include "harness/tensor_spec.hpp"
#include "sweep/translate.hpp"
#include "sweep/values.hpp"

namespace plumb {
namespace {

using Kind = PlannedArgument::Kind;

/// Values of arguments without default, by name and, failing that, by type.
struct Usual {
  std::string_view name;
  std::string_view value;
};

constexpr std::array kUsual = {
    Usual{"dim", "-1"},
    Usual{"axis", "-1"},
    Usual{"dim0", "0"},
    Usual{"dim1", "1"},
    Usual{"eps", "1e-5"},
    Usual{"p", "2"},
    Usual{"ord", "2"},
    Usual{"alpha", "1"},
    Usual{"beta", "1"},
    Usual{"dims", "[0]"},
    Usual{"steps", "5"},
    Usual{"norm_type", "2"},
    Usual{"exponent", "2.5"},
    Usual{"reduction", "1"},
    Usual{"train", "false"},
    Usual{"training", "true"},
    Usual{"repeats", "2"},
    Usual{"shifts", "[1]"},
    Usual{"pad", "[1,1]"},
    Usual{"padding", "[0]"},
    Usual{"stride", "[1]"},
    Usual{"dilation", "[1]"},
    Usual{"kernel_size", "[2]"},
    Usual{"output_size", "[2]"},
    Usual{"reduce", "\"sum\""},
    Usual{"indexing", "\"ij\""},
    Usual{"rounding_mode", "\"floor\""},
    Usual{"normalized_shape", "[\"n\"]"},
    Usual{"maxnorm", "1"},
    Usual{"lambd", "0.5"},
    Usual{"stable", "true"},  // else the order of equal numbers is free
};

std::optional<Json> value_by_type(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return 1;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::NumberType: return 0.5;
    case c10::TypeKind::BoolType: return false;
    case c10::TypeKind::OptionalType: return nullptr;
    default: return std::nullopt;
  }
}

/// A list of one value is repeated as often as the schema asks: int[2].
Json fitted(Json value, const c10::Argument& argument) {
  if (value.is_array() && value.size() == 1 && argument.N()) {
    while (value.size() < static_cast<std::size_t>(*argument.N())) value.push_back(value.front());
  }
  return value;
}

std::optional<Json> usual_value(const c10::Argument& argument) {
  if (takes_dtype(argument)) return "$dtype";
  for (const Usual& usual : kUsual) {
    if (usual.name == argument.name()) return fitted(Json::parse(usual.value), argument);
  }
  return value_by_type(argument.type());
}

Kind kind_of_tensor(const std::string& name) {
  const auto among = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (among({"index", "indices", "target", "targets", "offsets", "lengths"})) return Kind::integers;
  return among({"mask", "condition"}) ? Kind::mask : Kind::floating;
}

/// Every tensor in one shape; empty where some argument cannot be made. Where numbers are refused,
/// integers may do.
std::optional<Plan> guess(const c10::FunctionSchema& schema, const std::string& shape,
                          bool of_integers, std::string& why_not) {
  Plan plan;
  for (const c10::Argument& argument : schema.arguments()) {
    const bool is_tensor = argument.type()->kind() == c10::TypeKind::TensorType;
    const bool is_list = *argument.type() == *c10::ListType::ofTensors();
    if (is_tensor || is_list) {
      plan.arguments.push_back(
          {.name = argument.name(),
           .kind = of_integers ? Kind::integers : kind_of_tensor(argument.name()),
           .shapes = is_list ? std::vector{shape, shape} : std::vector{shape},
           .is_list = is_list,
           .high = of_integers ? "c" : "1"});
    } else if (!argument.default_value()) {
      const auto value = usual_value(argument);
      if (!value) {
        why_not = "no value is known for its argument " + argument.name();
        return std::nullopt;
      }
      plan.arguments.push_back({.name = argument.name(), .value = *value});
    }
  }
  return plan;
}

/// The plan of a row; a type that this overload must be given is that of the case.
Plan plan_for(const c10::FunctionSchema& schema, std::string_view row) {
  Plan plan = plan_from_row(row);
  for (const c10::Argument& argument : schema.arguments()) {
    const bool is_said =
        std::any_of(plan.arguments.begin(), plan.arguments.end(),
                    [&](const PlannedArgument& known) { return known.name == argument.name(); });
    if (is_said || argument.default_value() || !takes_dtype(argument)) continue;
    plan.arguments.push_back({.name = argument.name(), .value = "$dtype"});
  }
  return plan;
}

/// Numbers for a first try: from the domain of the argument, else between 0.1 and 0.9.
Json small_numbers(const PlannedArgument& argument) {
  return argument.domain.empty()
             ? Json{{"fill", "uniform"}, {"params", {{"low", 0.1}, {"high", 0.9}}}}
             : fill_in_domain(argument.domain, traits(Format::f64), 0);
}

/// Runs the operator, and its reference in float64, on small numbers; the reason why not where one
/// raises or the operator gives no numbers.
std::string trial_in(c10::ScalarType dtype, const ToPlan& planned, const Plan& plan) {
  try {
    const Json args =
        arguments_of(plan, {.sizes = sizes_with(4), .dtype = dtype, .fill = small_numbers});
    const TensorReader read = [&](const Json& json,
                                  const std::string& name) -> std::optional<at::Tensor> {
      if (!json.is_object()) return std::nullopt;
      return tensor_from_json(json, name, {.round_to = dtype}, name);
    };
    const Inputs inputs = arguments_from_json(planned.op, args, read, "args");
    const Outputs outputs = execute(operator_program(planned.op), inputs);
    if (const ReferenceProgram* reference = planned.reference) {
      execute(reference->program, reference->inputs(cast(inputs, at::kDouble)), at::kDouble);
    }
    for (const Output& output : outputs) {
      if (output.tensor.defined() && output.tensor.numel() > 0) return "";
    }
    return "no output has an element";
  } catch (const std::exception& error) {
    const std::string why = message_of(error);
    const std::string& name = planned.op.operator_name().name;
    return why.starts_with("Could not run '" + name) ? "torch has no such kernel for the CPU" : why;
  }
}

/// The same in float64 or, for an operator of one's own without a kernel for that, in the type it
/// is planned for. (Torch's own have one, or crash.)
std::string trial_of(const ToPlan& planned, const Plan& plan) {
  std::string why = trial_in(at::kDouble, planned, plan);
  const bool is_own = !planned.op.schema().name().starts_with("aten::");
  if (why.empty() || !is_own || planned.dtype == "float64") return why;
  return trial_in(*dtype_from(planned.dtype), planned, plan).empty() ? "" : why;
}

/// Rows for the name and for this overload of it.
std::vector<std::string_view> rows_of(const c10::FunctionSchema& schema) {
  std::vector<std::string_view> rows = rows_of_shapes(schema.name());
  if (!schema.overload_name().empty()) {
    for (const std::string_view row :
         rows_of_shapes(schema.name() + "." + schema.overload_name())) {
      rows.push_back(row);
    }
  }
  return rows;
}

/// Collects plans that run. They are written for the reference, where there is one, and translated.
class Planner {
 public:
  explicit Planner(const ToPlan& planned) : planned_(planned), rows_(rows_of(planned.schema())) {}

  std::vector<Plan> run(std::string& why_not) {
    for (const std::string_view row : rows_) {
      if (!row.starts_with("*")) add(plan_for(planned_.schema(), row));
    }
    const bool has_row = !plans_.empty();
    if (!has_row) guess_shapes(/*of_integers=*/false);
    if (plans_.empty()) guess_shapes(/*of_integers=*/true);
    const Plan base = written_.empty() ? Plan() : has_row ? written_.front() : written_.back();
    for (const std::string_view row : rows_) {
      if (row.starts_with("* ")) add(changed(base, row.substr(2)));
    }
    why_not = why_not_;
    return std::move(plans_);
  }

 private:
  /// Whether it runs; the first reason why not is kept.
  bool add(const Plan& plan) {
    const auto own = translated(plan, planned_);
    const std::string why =
        own ? trial_of(planned_, *own) : "an argument that its reference does not explain";
    if (why_not_.empty()) why_not_ = why;
    if (!why.empty()) return false;
    written_.push_back(plan);
    plans_.push_back(*own);
    return true;
  }

  void guess_shapes(bool of_integers) {
    // What the last shape met says more than what the first did.
    std::string why;
    const bool is_first_reason = why_not_.empty();
    for (const char* shape : {"n", "r,n", "n,n", "b,n,n", "b,r,n", "b,c,h,n", "b,c,r,h,n", ""}) {
      const auto plan = guess(planned_.schema(), shape, of_integers, why);
      if (!plan) break;
      if (is_first_reason) why_not_.clear();
      if (!add(*plan)) why = why_not_;
      const bool may_have_another = plans_.size() == 1 && std::string_view(shape) == "n";
      if (!plans_.empty() && !may_have_another) break;
    }
    if (is_first_reason) why_not_ = why;
  }

  const ToPlan& planned_;
  std::vector<std::string_view> rows_;
  std::vector<Plan> written_;
  std::vector<Plan> plans_;
  std::string why_not_;
};

}  // namespace

std::vector<Plan> plans_for(const ToPlan& planned, std::string& why_not) {
  return Planner(planned).run(why_not);
}

}  // namespace plumb
