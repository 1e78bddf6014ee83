#include "harness/io/tensors.hpp"

#include <cstring>
#include <map>

#include <ATen/ATen.h>

#include "harness/errors.hpp"

namespace plumb {

at::Tensor tensor_from_safetensors(const SafetensorsTensor& entry, const std::string& file) {
  static const std::map<std::string, c10::ScalarType, std::less<>> dtypes = {
      {"BOOL", at::kBool},          {"U8", at::kByte},          {"I8", at::kChar},
      {"I16", at::kShort},          {"I32", at::kInt},          {"I64", at::kLong},
      {"F16", at::kHalf},           {"BF16", at::kBFloat16},    {"F32", at::kFloat},
      {"F64", at::kDouble},         {"C64", at::kComplexFloat}, {"F8_E4M3", at::kFloat8_e4m3fn},
      {"F8_E5M2", at::kFloat8_e5m2}};
  const auto dtype = dtypes.find(entry.dtype);
  if (dtype == dtypes.end()) {
    throw InputError(file + ": dtype " + entry.dtype + " has no counterpart in torch");
  }
  at::Tensor tensor = at::empty(entry.shape, dtype->second);
  if (!entry.data.empty()) {
    std::memcpy(tensor.mutable_data_ptr(), entry.data.data(), entry.data.size());
  }
  return tensor;
}

}  // namespace plumb
