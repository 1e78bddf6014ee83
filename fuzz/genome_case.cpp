#include "fuzz/genome_case.hpp"

#include <array>
#include <cmath>

#include "findings/draft.hpp"
#include "fuzz/gene_values.hpp"
#include "harness/argument_type.hpp"
#include "harness/call.hpp"
#include "harness/dtype.hpp"
#include "harness/tensor_spec.hpp"
#include "sweep/layouts.hpp"
#include "sweep/targets.hpp"
#include "sweep/values.hpp"

namespace plumb {
namespace {

using Kind = PlannedArgument::Kind;

/// A search lives on many small cases.
constexpr std::int64_t kMostElements = 16384;
constexpr std::int64_t kMostPatched = 2048;  // elements of a tensor that is written out
constexpr std::int64_t kShortLength = 17;

/// Beyond the small ones where blocks of kernels end.
constexpr std::array<std::int64_t, kGeneRows> kRowCounts = {0, 1, 2,  3,  4,  5,  6,
                                                            7, 8, 15, 16, 17, 32, 33};

Sizes sizes_of(const Genome& genome, const Plan& plan) {
  const auto& lengths = gene_lengths();
  Sizes sizes = sizes_with(lengths[genome.length % lengths.size()]);
  if (genome.batch != 0) sizes['b'] = genome.batch % 5;
  if (genome.rows != 0) sizes['r'] = kRowCounts[genome.rows % kRowCounts.size()];
  if (elements_of(plan, sizes) > kMostElements) sizes['n'] = kShortLength;
  return sizes;
}

const std::vector<Json>& usual_numbers() {
  static const std::vector<Json> all = {0,    1,    -1,    0.5,   2,      0.1,   3,     -0.5,
                                        1e-5, 1e-8, 1e-12, 10,    100,    1e4,   1e10,  1e30,
                                        -2,   1.5,  1e-30, "inf", "-inf", "nan", 0.999, 7};
  return all;
}

/// Another value for an argument of this type, where its value so far is `old`.
Json attribute_value(const c10::Argument& argument, const Json& old, std::uint8_t number) {
  switch (inside_optional(argument.real_type())->kind()) {
    case c10::TypeKind::BoolType: return number % 2 == 1;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: {
      const std::int64_t before = old.is_number_integer() ? old.get<std::int64_t>() : 0;
      static constexpr std::int64_t kSteps[] = {-2, -1, 1, 2, 3};
      return before + kSteps[number % std::size(kSteps)];
    }
    default: return usual_numbers()[number % usual_numbers().size()];
  }
}

void set_attributes(const Genome& genome, const SearchedOperator& op, Json& args) {
  if (op.attributes.empty()) return;
  for (const AttributeGene& gene : genome.attributes) {
    const c10::Argument& argument = op.attributes[gene.which % op.attributes.size()];
    Json old = args.value(argument.name(), Json());
    if (old.is_null() && argument.default_value() && argument.default_value()->isInt()) {
      old = argument.default_value()->toInt();
    }
    args[argument.name()] = attribute_value(argument, old, gene.value);
  }
}

/// Draws the floating tensors of a case by their genes, in the order of the arguments.
class Filler {
 public:
  Filler(const Genome& genome, const FormatTraits& format) : genome_(genome), format_(format) {}

  Json operator()(const PlannedArgument& argument) {
    const TensorGene& gene = genome_.tensors[next_++ % Genome::kTensors];
    if (!argument.domain.empty()) return fill_in_domain(argument.domain, format_, gene.values);
    const auto& programs = gene_values();
    const GeneValues& values = programs[gene.values % programs.size()];
    const bool fits = values.finite || !argument.finite;
    return (fits ? values : programs.front()).fill(format_, gene.a, gene.b);
  }

 private:
  const Genome& genome_;
  const FormatTraits& format_;
  std::size_t next_ = 0;
};

/// A tensor of the case, whose place among the genes is `number`.
struct Place {
  const PlannedArgument& argument;
  std::size_t number;
};

/// The floating and complex tensors that stand alone.
std::vector<Place> places_of(const Plan& plan) {
  std::vector<Place> places;
  std::size_t number = 0;
  for (const PlannedArgument& argument : plan.arguments) {
    const bool is_number = argument.kind == Kind::floating || argument.kind == Kind::complex;
    if (!is_number) continue;
    if (!argument.is_list) places.push_back({argument, number});
    number += argument.is_list ? argument.shapes.size() : 1;
  }
  return places;
}

/// Elements that share their place could not be told apart.
void lay_out(const Genome& genome, const std::string& op, const Place& place, Json& tensor) {
  const Layout& layout =
      layouts()[genome.tensors[place.number % Genome::kTensors].layout % layouts().size()];
  if (tensor["shape"].empty() || tensor.value("fill", "") == "definite") return;
  if (layout.shares_places && tensor.contains("data")) return;
  if (layout.apply != nullptr && allows(layout, op, genome.gradient)) layout.apply(tensor);
}

/// A tensor of the case's dtype, its values in double, as they are.
Json written_out(const at::Tensor& values, const Json& shape) {
  TensorDraft draft{.shape = values.sizes().vec(), .is_inline = true};
  const auto* data = values.const_data_ptr<double>();
  for (std::int64_t i = 0; i < values.numel(); ++i) draft.values.push_back(number_to_json(data[i]));
  Json tensor = spec_of(draft);
  tensor["shape"] = shape;
  return tensor;
}

/// Sets elements of tensor `index` of `among`, which is then written out.
void patch(const Genome& genome, const Place& place, std::size_t index, std::size_t among,
           c10::ScalarType dtype, Json& tensor) {
  if (place.argument.kind != Kind::floating || !place.argument.domain.empty()) return;
  const Json shape = tensor["shape"];
  std::int64_t count = 1;
  for (const Json& size : shape) count *= size.get<std::int64_t>();
  if (count == 0 || count > kMostPatched) return;
  at::Tensor values;  // in double
  for (const PatchGene& gene : genome.patches) {
    if (gene.tensor % among != index) continue;
    const double value = load(*format_of(dtype), &gene.bits, 0);
    if (place.argument.finite && !std::isfinite(value)) continue;
    if (!values.defined()) {
      const TensorSource source{.folder = {}, .seed = genome.seed, .round_to = dtype};
      values = tensor_from_json(tensor, place.argument.name, source, "args").to(at::kDouble);
    }
    values.mutable_data_ptr<double>()[gene.element % count] = value;
  }
  if (values.defined()) tensor = written_out(values, shape);
}

}  // namespace

const std::vector<std::int64_t>& gene_lengths() {
  static const std::vector<std::int64_t> all = {
      0,   1,   2,   3,   4,   5,   6,   7,    8,    9,    10,   11,   12,   13,
      14,  15,  16,  17,  18,  19,  20,  21,   22,   23,   24,   25,   26,   27,
      28,  29,  30,  31,  32,  33,  37,  47,   48,   49,   53,   63,   64,   65,
      79,  96,  97,  99,  100, 101, 127, 128,  129,  192,  240,  255,  256,  257,
      300, 384, 511, 512, 513, 600, 768, 1000, 1023, 1024, 1025, 1536, 2047, 2048};
  return all;
}

Json case_of(const Genome& genome, Domain& domain) {
  const SearchedOperator* op = domain.find(genome.op);
  if (op == nullptr) return nullptr;
  const Plan& plan = op->plans[genome.plan % op->plans.size()];
  const std::string dtype_text = domain.dtype(genome, plan);
  const c10::ScalarType dtype = *dtype_from(dtype_text);
  Filler filler(genome, traits(*format_of(dtype)));
  Json args = arguments_of(
      plan, {.sizes = sizes_of(genome, plan),
             .dtype = dtype,
             .fill = [&](const PlannedArgument& argument) { return filler(argument); }});
  set_attributes(genome, *op, args);
  const std::vector<Place> places = places_of(plan);
  for (std::size_t i = 0; i < places.size(); ++i) {
    Json& tensor = args[places[i].argument.name];
    if (!genome.patches.empty()) patch(genome, places[i], i, places.size(), dtype, tensor);
    lay_out(genome, op->name, places[i], tensor);
  }
  Json json{{"schema", "plumb.case/1"}, {"name", short_name(op->name) + " fuzz"},
            {"op", op->name},           {"args", std::move(args)},
            {"dtype", dtype_text},      {"seed", genome.seed}};
  if (genome.gradient && op->has_gradient) {
    const std::vector<std::string> floating = plan.floating();
    if (!floating.empty()) json["grad"] = floating;
  }
  return json;
}

Subject subject_of(const Json& stored, const SearchedOperator& op) {
  const auto dtype = dtype_from(stored["dtype"].get_ref<const std::string&>());
  const TensorSource source{.folder = {}, .seed = stored["seed"], .round_to = dtype};
  Subject subject{.program = op.program,
                  .inputs = call_inputs(op.handle, stored["args"], source, "args"),
                  .dtype = dtype,
                  .regenerate = {}};
  if (stored.contains("grad")) subject.program.grad = stored["grad"];
  return subject;
}

}  // namespace plumb
