#include "findings/draft.hpp"

#include <functional>
#include <numeric>

#include "harness/dtype.hpp"

namespace plumb {
namespace {

bool is_complex(const Json& spec) {
  return spec.contains("dtype") && spec["dtype"].is_string() &&
         spec["dtype"].get<std::string>().starts_with("complex");
}

bool is_floating(const Json& spec) {
  if (!spec.contains("dtype") || !spec["dtype"].is_string()) return true;
  const auto dtype = dtype_from(spec["dtype"].get<std::string>());
  return dtype && c10::isFloatingType(*dtype);
}

void add_places(const Json& args, const Json::json_pointer& base, const std::string& prefix,
                std::vector<TensorPlace>& places) {
  for (const auto& [key, value] : args.items()) {
    if (value.is_object()) places.push_back({base / key, prefix + key, key});
    if (!value.is_array()) continue;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!value[i].is_object()) continue;
      places.push_back({base / key / i, prefix + key, key + "[" + std::to_string(i) + "]"});
    }
  }
}

void flatten(const Json& data, std::size_t depth, std::size_t rank, std::vector<Json>& flat) {
  if (depth == rank) {
    flat.push_back(data);
    return;
  }
  for (const Json& item : data) flatten(item, depth + 1, rank, flat);
}

std::vector<std::int64_t> nested_shape(const Json& data, bool complex) {
  std::vector<std::int64_t> shape;
  for (const Json* level = &data; level->is_array(); level = &(*level)[0]) {
    shape.push_back(static_cast<std::int64_t>(level->size()));
    if (level->empty()) break;
  }
  if (complex && !shape.empty()) shape.pop_back();
  return shape;
}

Json nested(const std::vector<std::int64_t>& shape, std::size_t dim,
            std::vector<Json>::const_iterator& next) {
  if (dim == shape.size()) return *next++;
  Json list = Json::array();
  for (std::int64_t i = 0; i < shape[dim]; ++i) list.push_back(nested(shape, dim + 1, next));
  return list;
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::vector<TensorPlace> tensor_places(const Json& stored) {
  std::vector<TensorPlace> places;
  for (const char* key : {"args", "inputs"}) {
    if (stored.contains(key)) add_places(stored[key], Json::json_pointer() / key, "", places);
  }
  if (stored.contains("steps")) {
    for (std::size_t i = 0; i < stored["steps"].size(); ++i) {
      const Json& step = stored["steps"][i];
      if (!step.contains("args")) continue;
      add_places(step["args"], Json::json_pointer() / "steps" / i / "args",
                 "steps[" + std::to_string(i) + "].", places);
    }
  }
  if (stored.contains("cotangent")) {
    places.push_back({Json::json_pointer() / "cotangent", "cotangent", "cotangent"});
  }
  return places;
}

TensorDraft draft_of(const Json& spec) {
  TensorDraft draft;
  draft.floating = is_floating(spec);
  for (const auto& [key, value] : spec.items()) {
    if (key != "data" && key != "shape") draft.rest[key] = value;
  }
  if (draft.rest.is_null()) draft.rest = Json::object();
  draft.is_inline = spec.contains("data");
  if (draft.is_inline) {
    const bool complex = is_complex(spec);
    draft.shape = nested_shape(spec["data"], complex);
    flatten(spec["data"], 0, draft.shape.size(), draft.values);
  }
  if (spec.contains("shape")) draft.shape = spec["shape"].get<std::vector<std::int64_t>>();
  draft.has_shape = draft.is_inline || spec.contains("shape");
  return draft;
}

Json spec_of(const TensorDraft& draft) {
  Json spec = Json::object();
  if (draft.rest.contains("dtype")) spec["dtype"] = draft.rest["dtype"];
  const bool empty = product(draft.shape) == 0;
  if (draft.has_shape && (!draft.is_inline || empty)) spec["shape"] = draft.shape;
  if (draft.is_inline) {
    auto next = draft.values.begin();
    spec["data"] = empty ? Json::array() : nested(draft.shape, 0, next);
  }
  for (const auto& [key, value] : draft.rest.items()) spec[key] = value;
  return spec;
}

void keep_indices(TensorDraft& draft, std::size_t dim, const std::vector<std::size_t>& indices) {
  const auto size = static_cast<std::size_t>(draft.shape[dim]);
  std::size_t inner = 1;
  for (std::size_t d = dim + 1; d < draft.shape.size(); ++d) {
    inner *= static_cast<std::size_t>(draft.shape[d]);
  }
  draft.shape[dim] = static_cast<std::int64_t>(indices.size());
  if (!draft.is_inline) return;
  std::vector<Json> kept;
  for (std::size_t outer = 0; outer * size * inner < draft.values.size(); ++outer) {
    for (const std::size_t index : indices) {
      const auto from =
          draft.values.begin() + static_cast<std::ptrdiff_t>((outer * size + index) * inner);
      kept.insert(kept.end(), from, from + static_cast<std::ptrdiff_t>(inner));
    }
  }
  draft.values = std::move(kept);
}

void drop_dimension(TensorDraft& draft, std::size_t dim) {
  draft.shape.erase(draft.shape.begin() + static_cast<std::ptrdiff_t>(dim));
  if (draft.rest.contains("strides") && draft.rest["strides"].size() > dim) {
    draft.rest["strides"].erase(dim);
  }
}

std::int64_t element_count(const Json& stored) {
  std::int64_t count = 0;
  for (const TensorPlace& place : tensor_places(stored)) {
    const TensorDraft draft = draft_of(stored[place.at]);
    if (draft.has_shape) count += product(draft.shape);
  }
  return count;
}

std::optional<Format> number_format(const Json& stored, const Json& spec) {
  std::optional<c10::ScalarType> dtype = c10::ScalarType::Float;
  if (stored.contains("dtype")) dtype = dtype_from(stored["dtype"].get<std::string>());
  if (spec.contains("dtype")) {
    const auto own = dtype_from(spec["dtype"].get<std::string>());
    const bool follows = own && c10::isFloatingType(*own) && stored.contains("dtype");
    if (!follows) dtype = own;
  }
  return dtype ? format_of(*dtype) : std::nullopt;
}

}  // namespace plumb
