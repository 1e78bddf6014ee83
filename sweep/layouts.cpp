#include "sweep/layouts.hpp"

#include <algorithm>
#include <numeric>

namespace plumb {
namespace {

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

}  // namespace

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {"contiguous", nullptr},  {"negative view", negate}, {"every second", spread},
      {"misaligned", misalign}, {"transposed", transpose}, {"expanded", expand, true},
  };
  return all;
}

bool allows(const Layout& layout, const std::string& op, bool gradient) {
  // What as_strided gives depends on the storage below its tensor, which the oracle has otherwise.
  if (op.find("as_strided") != std::string::npos) return layout.apply == nullptr;
  // as_strided, by which stft makes its frames, gives elements that share memory the mean of their
  // gradients (FunctionsManual.cpp, "as_strided Backward and layout-aware/agnostic autograd"): of
  // an expanded leaf only their sum has a meaning.
  return !(layout.shares_places && gradient && op.starts_with("aten::stft"));
}

}  // namespace plumb
