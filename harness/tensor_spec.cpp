#include "harness/tensor_spec.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/fill.hpp"
#include "harness/integers.hpp"
#include "harness/io/tensors.hpp"
#include "harness/json_fields.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kLargestBytes = std::int64_t{1} << 32;
constexpr std::size_t kLargestRank = 16;

/// Product of the sizes but 0 times 8 bytes, refused before any memory is taken.
void check_size(at::IntArrayRef shape, const std::string& where) {
  if (shape.size() > kLargestRank) {
    throw InputError(where + ".shape: expected at most 16 dimensions, not " +
                     std::to_string(shape.size()));
  }
  std::int64_t bytes = 8;
  for (const std::int64_t size : shape) {
    if (size < 0) throw InputError(where + ".shape: expected sizes of 0 or more");
    // Of an empty tensor torch still multiplies the other sizes.
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes) ||
        bytes > kLargestBytes) {
      throw InputError(where + ".shape: expected a tensor of at most 4 GiB in float64");
    }
  }
}

std::vector<std::int64_t> integer_list(const Json& json, const std::string& where) {
  if (!json.is_array()) throw InputError(where + ": expected a list of integers");
  std::vector<std::int64_t> list;
  for (const Json& item : json) list.push_back(integer(item, where));
  return list;
}

/// The shape of nested lists; complex numbers are innermost pairs.
std::vector<std::int64_t> nested_shape(const Json& data, bool complex, const std::string& where) {
  std::vector<std::int64_t> shape;
  const Json* level = &data;
  while (level->is_array()) {
    shape.push_back(static_cast<std::int64_t>(level->size()));
    if (shape.size() > kLargestRank + 1) throw InputError(where + ".data: nested too deeply");
    if (level->empty()) break;
    level = &(*level)[0];
  }
  if (!complex) return shape;
  if (shape.empty() || shape.back() != 2) {
    throw InputError(where + ".data: expected complex numbers as [re, im]");
  }
  shape.pop_back();
  return shape;
}

template <typename T, typename Read>
void flatten(const Json& json, std::size_t depth, const std::vector<std::int64_t>& shape,
             const std::string& where, std::vector<T>& flat, const Read& read) {
  if (depth == shape.size()) {
    flat.push_back(read(json));
    return;
  }
  if (!json.is_array() || static_cast<std::int64_t>(json.size()) != shape[depth]) {
    throw InputError(where + ".data: ragged lists; expected " + std::to_string(shape[depth]) +
                     " items at depth " + std::to_string(depth));
  }
  for (const Json& item : json) flatten(item, depth + 1, shape, where, flat, read);
}

/// float64 values rounded once to `dtype` (ATen goes through float for half types, twice).
at::Tensor rounded(const at::Tensor& values, c10::ScalarType dtype) {
  const auto format = format_of(real_type(dtype));
  if (!format || *format == Format::f64 || *format == Format::f32) return values.to(dtype);
  const at::Tensor once = values.contiguous().clone();
  double* data = once.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < once.numel(); ++i) data[i] = round_to(*format, data[i]);
  return once.to(dtype);
}

at::Tensor inline_tensor(const Json& data, c10::ScalarType dtype, const std::string& where) {
  const bool complex = c10::isComplexType(dtype);
  auto shape = nested_shape(data, complex, where);
  check_size(shape, where);
  if (complex) shape.push_back(2);
  const std::string field = where + ".data";
  if (c10::isIntegralType(dtype, /*includeBool=*/true)) {
    std::vector<std::int64_t> flat;
    flatten(data, 0, shape, where, flat,
            [&](const Json& json) { return integer_element(json, dtype, field); });
    return at::tensor(flat, at::kLong).reshape(shape).to(dtype);
  }
  std::vector<double> flat;
  flatten(data, 0, shape, where, flat, [&](const Json& json) { return parse_number(json, field); });
  const at::Tensor values = at::tensor(flat, at::kDouble).reshape(shape);
  if (!complex) return rounded(values, dtype);
  return at::view_as_complex(rounded(values, real_type(dtype)).contiguous());
}

std::uint64_t mixed(std::uint64_t seed, const std::string& name) {
  std::uint64_t hash = 0xCBF29CE484222325ULL ^ (seed * 0x9E3779B97F4A7C15ULL);  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

/// Drawn values that an integer type cannot hold would wrap.
void check_range(const at::Tensor& values, c10::ScalarType dtype, const std::string& where) {
  const auto [least, most] = range_of(dtype);
  // 2^63 itself is a double, 2^63-1 is not.
  const double above = static_cast<double>(most) + (dtype == at::kLong ? 0 : 1);
  if (values.ge(static_cast<double>(least)).logical_and_(values.lt(above)).all().item<bool>()) {
    return;
  }
  throw InputError(where + ".fill: expected values from " + std::to_string(least) + " to " +
                   std::to_string(most) + ", what " + dtype_name(dtype) + " holds");
}

at::Tensor generated_tensor(const Json& json, c10::ScalarType dtype, const std::string& name,
                            std::uint64_t seed, const std::string& where) {
  const auto shape = integer_list(json.value("shape", Json()), where + ".shape");
  check_size(shape, where);
  const std::string fill = string_field(json, "fill", where);
  const Json params = json.value("params", Json());
  const at::Tensor values = fill_values(fill, params, shape, dtype, mixed(seed, name), where);
  if (c10::isComplexType(dtype)) {
    const at::Tensor imaginary =
        fill_values(fill, params, shape, dtype, mixed(seed, name + ".imag"), where);
    return at::complex(values, imaginary).to(dtype);
  }
  if (c10::isFloatingType(dtype)) return rounded(values, dtype);
  if (dtype != at::kBool) check_range(values, dtype, where);
  return values.to(dtype);
}

at::Tensor external_tensor(const Json& json, const std::string& folder, const std::string& where) {
  const std::string file = string_field(json, "safetensors", where);
  const auto path = (std::filesystem::path(folder) / file).string();
  const auto archive = SafetensorsFile::open(path);
  const auto& entry = archive.at(string_field(json, "name", where));
  check_size(entry.shape, path);
  return tensor_from_safetensors(entry, path);
}

/// Elements that `strides` and `offset` reach from the first of the storage on.
std::int64_t reach_of(at::IntArrayRef sizes, at::IntArrayRef strides, std::int64_t offset,
                      const std::string& where) {
  if (strides.size() != sizes.size()) {
    throw InputError(where + ".strides: expected " + std::to_string(sizes.size()) + " strides");
  }
  std::int64_t span = 1;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    std::int64_t reach = 0;
    if (strides[d] < 0 || offset < 0 ||
        __builtin_mul_overflow(strides[d], std::max<std::int64_t>(sizes[d] - 1, 0), &reach) ||
        __builtin_add_overflow(span, reach, &span) || span > kLargestBytes / 8 ||
        offset > kLargestBytes / 8) {
      throw InputError(where + ".strides: expected strides and offset of 0 or more within 4 GiB");
    }
  }
  return span + offset;
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.contiguous();
  const at::Tensor y = b.contiguous();
  return x.numel() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

/// The same values in storage of their own as `strides` and `offset` say. Elements that share a
/// place must be equal, unless the values are drawn: then one of them is.
at::Tensor strided(const at::Tensor& values, const Json& json, const std::string& where) {
  const auto strides = json.contains("strides") ? integer_list(json["strides"], where + ".strides")
                                                : values.contiguous().strides().vec();
  const std::int64_t offset =
      json.contains("offset") ? integer(json["offset"], where + ".offset") : 0;
  const std::int64_t reach = reach_of(values.sizes(), strides, offset, where);
  at::Tensor target =
      at::zeros({reach}, values.options()).as_strided(values.sizes(), strides, offset);
  at::Tensor written = target;
  at::Tensor source = values;
  for (std::int64_t d = 0; d < values.dim(); ++d) {  // stride 0: one copy of the values
    if (strides[static_cast<std::size_t>(d)] != 0 || values.size(d) == 0) continue;
    written = written.narrow(d, 0, 1);
    source = source.narrow(d, 0, 1);
  }
  written.copy_(source);
  if (!is_generated(json) && !same_bits(target, values)) {
    throw InputError(where + ".strides: expected equal values where elements share their place");
  }
  return target;
}

/// Lays logical values out in storage as `strides`, `offset` and `view` say.
at::Tensor laid_out(const at::Tensor& values, const Json& json, const std::string& where) {
  at::Tensor tensor = values;
  bool neg = false;
  bool conj = false;
  const std::vector<std::string> views = string_list(json, "view", where);
  const auto unknown = std::find_if(views.begin(), views.end(), [](const std::string& view) {
    return view != "neg" && view != "conj";
  });
  if (unknown != views.end()) {
    throw InputError(where + ".view: expected \"neg\" or \"conj\", not \"" + *unknown + "\"");
  }
  for (const std::string& view : views) {
    if (view == "conj" && !tensor.is_complex()) {
      throw InputError(where + ".view: \"conj\" needs a complex tensor");
    }
    (view == "neg" ? neg : conj) = true;
  }
  if (neg) tensor = tensor.neg();
  if (conj) tensor = tensor.conj().resolve_conj();
  if (json.contains("strides") || json.contains("offset")) tensor = strided(tensor, json, where);
  if (neg) tensor = at::_neg_view(tensor);
  if (conj) tensor = at::_conj(tensor);
  return tensor;
}

c10::ScalarType dtype_field(const Json& json, const TensorSource& source,
                            const std::string& where) {
  if (!json.contains("dtype")) return source.round_to.value_or(at::kFloat);
  const std::string name = string_field(json, "dtype", where);
  const auto dtype = dtype_from(name);
  if (!dtype) {
    try {
      dtype_or_usage_error(name);
    } catch (const UsageError& error) {
      throw InputError(where + ".dtype: " + error.what());
    }
  }
  return source.round_to ? widened(*dtype, *source.round_to) : *dtype;
}

}  // namespace

bool is_generated(const Json& json) { return json.is_object() && json.contains("fill"); }

at::Tensor tensor_from_json(const Json& json, const std::string& name, const TensorSource& source,
                            const std::string& where) {
  check_object(json, where,
               {"dtype", "data", "shape", "fill", "params", "safetensors", "name", "strides",
                "offset", "view"});
  const int origins = static_cast<int>(json.contains("data")) +
                      static_cast<int>(json.contains("fill")) +
                      static_cast<int>(json.contains("safetensors"));
  if (origins != 1) {
    throw InputError(where + ": expected exactly one of 'data', 'fill' and 'safetensors'");
  }
  at::Tensor values;
  if (json.contains("safetensors")) {
    values = external_tensor(json, source.folder, where);
    if (source.round_to) {
      values = values.to(widened(values.scalar_type(), *source.round_to));
    }
  } else {
    const c10::ScalarType dtype = dtype_field(json, source, where);
    values = json.contains("data") ? inline_tensor(json["data"], dtype, where)
                                   : generated_tensor(json, dtype, name, source.seed, where);
    if (json.contains("data") && json.contains("shape")) {
      const auto shape = integer_list(json["shape"], where + ".shape");
      check_size(shape, where);
      if (c10::multiply_integers(shape) != values.numel()) {
        throw InputError(where + ".shape: does not hold the " + std::to_string(values.numel()) +
                         " elements of 'data'");
      }
      values = values.reshape(shape);
    }
  }
  return laid_out(values, json, where);
}

}  // namespace plumb
