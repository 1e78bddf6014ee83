#include "oracles/quad/rows.hpp"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/WrapDimUtils.h>

namespace plumb::quad {

Rows rows(const at::Tensor& values, const std::vector<std::int64_t>& dims, bool keepdim) {
  Rows rows;
  std::vector<char> is_reduced(static_cast<std::size_t>(values.dim()), dims.empty() ? 1 : 0);
  for (const std::int64_t dim : dims) {
    const std::int64_t wrapped = at::maybe_wrap_dim(dim, values.dim());
    if (values.dim() > 0) is_reduced[static_cast<std::size_t>(wrapped)] = 1;
  }
  std::vector<std::int64_t> order;
  std::int64_t count = 1;
  std::int64_t length = 1;
  for (std::int64_t d = 0; d < values.dim(); ++d) {
    if (is_reduced[static_cast<std::size_t>(d)] != 0) {
      length *= values.size(d);
      if (keepdim) rows.shape.push_back(1);
    } else {
      count *= values.size(d);
      rows.shape.push_back(values.size(d));
      order.push_back(d);
    }
  }
  for (std::int64_t d = 0; d < values.dim(); ++d) {
    if (is_reduced[static_cast<std::size_t>(d)] != 0) order.push_back(d);
  }
  rows.values = values.permute(order).reshape({count, length}).contiguous();
  rows.count = static_cast<std::size_t>(count);
  rows.length = static_cast<std::size_t>(length);
  return rows;
}

Line line_of(const std::vector<std::int64_t>& shape, std::int64_t dim) {
  Line line;
  if (shape.empty()) return line;
  const auto along =
      static_cast<std::size_t>(at::maybe_wrap_dim(dim, static_cast<std::int64_t>(shape.size())));
  line.length = static_cast<std::size_t>(shape[along]);
  for (std::size_t d = along + 1; d < shape.size(); ++d) {
    line.inner *= static_cast<std::size_t>(shape[d]);
  }
  return line;
}

Rows rows(const Arguments& arguments, const std::string& name) {
  return rows(arguments.doubles(name), arguments.integers("dim"), arguments.flag("keepdim"));
}

}  // namespace plumb::quad
