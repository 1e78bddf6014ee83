#include "findings/inline_case.hpp"

#include <filesystem>

#include <ATen/ATen.h>

#include "findings/draft.hpp"
#include "findings/literal.hpp"
#include "harness/arguments.hpp"
#include "harness/dtype.hpp"
#include "harness/overloads.hpp"
#include "harness/tensor_spec.hpp"

namespace plumb {
namespace {

std::string resolved_name(const Json& call, const std::string& file) {
  return full_name(
      resolve_operator(call["op"], call.value("args", Json::object()), file).operator_name());
}

template <typename T, typename Write>
std::vector<Json> written(const at::Tensor& values, const Write& write) {
  const at::Tensor flat = values.contiguous();
  const T* data = flat.const_data_ptr<T>();
  std::vector<Json> list;
  for (std::int64_t i = 0; i < flat.numel(); ++i) list.push_back(write(data[i]));
  return list;
}

std::vector<Json> values_of(const at::Tensor& tensor) {
  const c10::ScalarType dtype = tensor.scalar_type();
  const auto format = format_of(real_type(dtype));
  const auto number = [&](double value) { return number_literal(format, value); };
  const at::Tensor plain = tensor.resolve_conj().resolve_neg();
  if (dtype == at::kBool) return written<bool>(plain, [](bool value) { return Json(value); });
  if (c10::isIntegralType(dtype, false)) {
    return written<std::int64_t>(plain.to(at::kLong), [](auto value) { return Json(value); });
  }
  if (!plain.is_complex()) return written<double>(plain.to(at::kDouble), number);
  return written<c10::complex<double>>(plain.to(at::kComplexDouble), [&](const auto& value) {
    return Json::array({number(value.real()), number(value.imag())});
  });
}

/// The spec with the tensor's values in it; its layout stays.
Json inline_spec(const Json& spec, const at::Tensor& tensor, bool case_has_dtype) {
  TensorDraft draft = draft_of(spec);
  for (const char* key : {"fill", "params", "safetensors", "name"}) draft.rest.erase(key);
  const c10::ScalarType dtype = tensor.scalar_type();
  const bool follows = c10::isFloatingType(dtype) && (case_has_dtype || dtype == at::kFloat);
  if (!follows && !draft.rest.contains("dtype")) draft.rest["dtype"] = dtype_name(dtype);
  draft.is_inline = draft.has_shape = true;
  draft.shape = tensor.sizes().vec();
  draft.values = values_of(tensor);
  return spec_of(draft);
}

}  // namespace

Json inline_case(const Json& stored, const std::string& file) {
  Json result = stored;
  if (result.contains("op")) result["op"] = resolved_name(result, file);
  if (result.contains("steps")) {
    for (Json& step : result["steps"]) step["op"] = resolved_name(step, file);
  }
  if (element_count(stored) > kMostInline) return result;
  TensorSource source{std::filesystem::path(file).parent_path().string(),
                      stored.value("seed", std::uint64_t{0}),
                      {}};
  if (stored.contains("dtype")) source.round_to = dtype_from(stored["dtype"].get<std::string>());
  for (const TensorPlace& place : tensor_places(stored)) {
    const Json& spec = stored[place.at];
    if (spec.contains("data")) continue;
    const at::Tensor tensor = tensor_from_json(spec, place.name, source, file);
    if (tensor.numel() > kMostInline) return result;
    result[place.at] = inline_spec(spec, tensor, source.round_to.has_value());
  }
  return result;
}

}  // namespace plumb
