#include "findings/repro_variant.hpp"

#include "findings/python_text.hpp"
#include "findings/repro_again.hpp"
#include "harness/quantised_products.hpp"
#include "harness/text.hpp"
#include "harness/variant_sketch.hpp"

namespace plumb {
namespace {

std::string tensors_text(const ReproModel& model) {
  std::string text;
  for (const ReproTensor& tensor : model.tensors) text += tensor_text(tensor);
  return text;
}

/// What is made of `got`; for an error the call itself is all there is to see.
std::string ending(const Json& seen, const Result& row) {
  return row.verdict <= Verdict::error ? "print(\"it came through\")\n" : verdict_text(seen, row);
}

/// The calls as a function, run as the variant runs it.
std::string compiled_text(const ReproModel& model, const VariantSketch& sketch, const Json& seen,
                          const Result& row) {
  const bool is_one = returns_one_tensor(model.calls.back());
  const std::string result = is_one ? model.calls.back().out : "outs";
  const std::string body =
      calls_text(model) +
      (is_one ? "return " + result : "return tuple(torch.as_tensor(o) for o in outs)") + "\n";
  std::string run = result + " = run(*tensors)\n";
  if (row.verdict > Verdict::error) run += got_text(model, row.where);
  if (sketch.runs > 1) {
    run = "for _ in range(" + std::to_string(sketch.runs) + "):\n" + indented(run, 4);
  }
  return "\ndef compute(" + compute_arguments(model) + "):\n" + indented(body, 4) + "\n\n" +
         tensors_text(model) + "tensors = (" + compute_arguments(model, "", ",") +
         ")\nrun = " + sketch.compiled + "\n" + run + ending(seen, row);
}

/// A tensor argument of the call as a variable; None where it is not given.
std::string variable_of(const ReproCall& call, const char* argument) {
  if (argument == nullptr || !call.args.contains(argument) || call.args[argument].is_null())
    return "None";
  return call.args[argument].get<std::string>().substr(1);
}

bool is_vector(const ReproModel& model, const std::string& variable) {
  return std::any_of(model.tensors.begin(), model.tensors.end(), [&](const ReproTensor& tensor) {
    return tensor.variable == variable && tensor.shape.size() == 1;
  });
}

/// `got` is what the kernel gave or, where the failure is that of the whole, the answer of the
/// call.
std::string product_text(const ReproModel& model, const Product& product,
                         const VariantSketch& sketch, bool is_whole) {
  const ReproCall& call = model.calls.front();
  const std::string x = variable_of(call, product.x);
  const std::string bias = variable_of(call, product.bias);
  const bool is_fused = sketch.takes_bias && is_vector(model, bias);
  std::string text = "got = product(" + x + ".reshape(-1, " + x + ".shape[-1]).contiguous(), " +
                     variable_of(call, product.weight) +
                     (product.is_transposed ? ".t().contiguous(), " : ", ") +
                     (is_fused ? bias : "None") + ")\n";
  if (!is_whole) return text;
  text += "got = got.reshape(*" + x + ".shape[:-1], -1)";
  return text + (bias != "None" && !is_fused ? " + " + bias : "") + "\n";
}

std::string convolution_text(const ReproModel& model, bool is_whole) {
  const ReproCall& call = model.calls.front();
  const std::string x = variable_of(call, "input");
  const std::string weight = variable_of(call, "weight");
  const auto geometry = [&](const char* name, const char* otherwise) {
    const Json value = call.args.value(name, Json::parse(otherwise));
    const std::string list = value.is_array() ? value.dump() : "[" + value.dump() + "]";
    const bool stands_for_all = !value.is_array() || value.size() == 1;
    return list + (stands_for_all ? " * dimensions, " : ", ");
  };
  std::string text = "dimensions = " + weight + ".dim() - 2\nbatch = " + x + " if " + x +
                     ".dim() == " + weight + ".dim() else " + x + ".unsqueeze(0)\n";
  text += "got = convolution(batch.contiguous(), " + weight + ", " + variable_of(call, "bias") +
          ", " + geometry("stride", "[1]") + geometry("padding", "[0]") +
          geometry("dilation", "[1]") + call.args.value("groups", Json(1)).dump() + ")\n";
  if (is_whole) text += "got = got.reshape(got.shape[batch.dim() - " + x + ".dim():])\n";
  return text;
}

/// The call with the kernel in its place.
std::string quantised_text(const ReproModel& model, const VariantSketch& sketch, const Json& seen,
                           const Result& row, std::string& why_not) {
  const std::string& op = model.calls.front().op.schema().name();
  const Product* product = product_of(op);
  const bool is_convolution = op.starts_with("aten::conv") && !op.ends_with("convolution") &&
                              !model.calls.front().args.value("padding", Json()).is_string();
  const bool is_known =
      model.calls.size() == 1 && (product != nullptr ? static_cast<bool>(sketch.product)
                                                     : is_convolution && sketch.convolution);
  if (!is_known) {
    why_not = "its kernel stands in a larger program";
    return "";
  }
  const bool is_whole = output_index(row.where).has_value();
  const std::string call = product != nullptr ? product_text(model, *product, sketch, is_whole)
                                              : convolution_text(model, is_whole);
  return (product != nullptr ? sketch.product() : sketch.convolution()) + "\n\n" +
         tensors_text(model) + call + ending(seen, row);
}

}  // namespace

std::string variant_text(const ReproModel& model, const std::string& variant, const Json& seen,
                         const Result& row, std::string& why_not) {
  const VariantSketch* sketch = Registry<VariantSketch>::instance().find(variant);
  if (sketch == nullptr) {
    why_not = "torch alone does not run the variant " + variant;
  } else if (is_about_two_answers(row) || writes_arguments(model)) {
    why_not = "it is not one answer to look at";
  } else if (!sketch->compiled.empty()) {
    return compiled_text(model, *sketch, seen, row);
  } else {
    return quantised_text(model, *sketch, seen, row, why_not);
  }
  return "";
}

}  // namespace plumb
