// Products of matrices and vectors: every element is an exact dot product.

#include <ATen/ATen.h>

#include "oracles/quad/exact.hpp"
#include "oracles/quad/reference.hpp"

namespace plumb::quad {
namespace {

/// Rows of `a` (batch…, m, k) times rows of `b` (batch…, n, k), batches broadcast.
QuadTensor row_products(at::Tensor a, at::Tensor b) {
  const std::int64_t m = a.size(-2);
  const std::int64_t n = b.size(-2);
  const std::int64_t k = a.size(-1);
  TORCH_CHECK(k == b.size(-1), "inner dimensions ", k, " and ", b.size(-1));
  const auto batch = at::infer_size(a.sizes().slice(0, std::size_t(a.dim() - 2)),
                                    b.sizes().slice(0, std::size_t(b.dim() - 2)));
  const auto extended = [&](std::int64_t rows) {
    auto shape = batch;
    shape.insert(shape.end(), {rows, k});
    return shape;
  };
  a = a.expand(extended(m)).contiguous();
  b = b.expand(extended(n)).contiguous();
  QuadTensor result{batch, {}};
  result.shape.insert(result.shape.end(), {m, n});
  std::int64_t batches = 1;
  for (const std::int64_t size : batch) batches *= size;
  result.data.reserve(std::size_t(batches * m * n));
  const Factor left(a.const_data_ptr<double>(), batches * m, k);
  const Factor right(b.const_data_ptr<double>(), batches * n, k);
  for (std::int64_t i = 0; i < batches * m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      result.data.push_back(dot(left, i, right, i / m * n + j));
    }
  }
  return result;
}

/// a @ b by the rules of matmul: vectors count as a row on the left and a column on the right.
QuadTensor matrix_product(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor rows = a.dim() == 1 ? a.unsqueeze(0) : a;
  const at::Tensor columns = b.dim() == 1 ? b.unsqueeze(0) : b.transpose(-1, -2);
  QuadTensor result = row_products(rows, columns);
  if (b.dim() == 1) result.shape.pop_back();
  if (a.dim() == 1) result.shape.erase(result.shape.end() - (b.dim() == 1 ? 1 : 2));
  return result;
}

/// beta·self + alpha·product; with beta 0, self does not count, not even its NaN.
QuadTensor blended(const Arguments& a, QuadTensor product) {
  const Quad alpha = a.number("alpha", 1);
  const Quad beta = a.number("beta", 1);
  const at::Tensor self = a.doubles("self").expand(product.shape).contiguous();
  const double* data = self.const_data_ptr<double>();
  for (std::size_t i = 0; i < product.data.size(); ++i) {
    product.data[i] = alpha * product.data[i] + (beta == 0 ? Quad(0) : beta * Quad(data[i]));
  }
  return product;
}

/// The sum over the batch of products: one product of matrices side by side.
QuadTensor batch_sum(const Arguments& a) {
  const at::Tensor left = a.doubles("batch1");
  const at::Tensor right = a.doubles("batch2");
  const std::int64_t length = left.size(0) * left.size(2);
  return row_products(left.permute({1, 0, 2}).reshape({left.size(1), length}),
                      right.permute({2, 0, 1}).reshape({right.size(2), length}));
}

QuadTensor linear(const Arguments& a) {
  const at::Tensor weight = a.doubles("weight");
  QuadTensor result = matrix_product(a.doubles("input"), weight.dim() == 1 ? weight : weight.t());
  if (!a.has("bias")) return result;
  const at::Tensor bias = a.doubles("bias").expand(result.shape).contiguous();
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    result.data[i] += Quad(bias.const_data_ptr<double>()[i]);
  }
  return result;
}

/// Over the last dimensions of both.
QuadTensor inner_product(const at::Tensor& a, const at::Tensor& b) {
  const auto rows = [](const at::Tensor& x) {
    return x.dim() == 1 ? x.unsqueeze(0) : x.flatten(0, -2);
  };
  QuadTensor result = row_products(rows(a), rows(b));
  result.shape = a.sizes().slice(0, std::size_t(a.dim() - 1)).vec();
  const auto of_b = b.sizes().slice(0, std::size_t(b.dim() - 1));
  result.shape.insert(result.shape.end(), of_b.begin(), of_b.end());
  return result;
}

/// For each multiplication 5 ns, for each result 80.
std::function<double(const Arguments&)> nanoseconds(const char* left, const char* right) {
  return [left, right](const Arguments& a) {
    const at::Tensor& x = a.inputs()[left];
    const at::Tensor& y = a.inputs()[right];
    const auto length =
        static_cast<double>(x.dim() == 0 ? 1 : std::max<std::int64_t>(1, x.size(-1)));
    double batches = 1;
    for (std::int64_t d = 0; d < y.dim() - 2 && x.dim() > 2; ++d) {
      batches *= static_cast<double>(std::max<std::int64_t>(1, y.size(d)));
    }
    const double results =
        static_cast<double>(x.numel()) / length * static_cast<double>(y.numel()) / length / batches;
    return results * (5 * length + 80);
  };
}

/// The product of the arguments `left` and `right`, which `evaluate` forms.
template <typename F>
QuadReference product(const std::string& name, const char* left, const char* right,
                      const std::vector<Operand>& operands, F evaluate) {
  return {.name = "aten::" + name,
          .operands = operands,
          .options = {"out_dtype"},
          .evaluate = [evaluate](const Arguments& a) { return QuadTensors{evaluate(a)}; },
          .nanoseconds = nanoseconds(left, right)};
}

/// self @ `other`.
QuadReference plain(const std::string& name, const char* other) {
  const std::vector<Operand> operands = {"self", other};
  return product(name, "self", other, operands, [other](const Arguments& a) {
    return matrix_product(a.doubles("self"), a.doubles(other));
  });
}

/// beta·self + alpha·(`left` @ `right`).
QuadReference added(const std::string& name, const char* left, const char* right) {
  const std::vector<Operand> operands = {"self", left, right, "beta", "alpha"};
  return product(name, left, right, operands, [left, right](const Arguments& a) {
    return blended(a, matrix_product(a.doubles(left), a.doubles(right)));
  });
}

QuadTensor outer_product(const at::Tensor& a, const at::Tensor& b) {
  return row_products(a.unsqueeze(1), b.unsqueeze(1));
}

/// The products of all elements of `left` with all of `right`.
template <typename F>
QuadReference outer(const std::string& name, const char* left, const char* right,
                    const std::vector<Operand>& operands, F evaluate) {
  QuadReference reference = product(name, left, right, operands, evaluate);
  reference.nanoseconds = [left, right](const Arguments& a) {
    return 100 * static_cast<double>(a.inputs()[left].numel() * a.inputs()[right].numel());
  };
  return reference;
}

const QuadReferences products{
    plain("bmm", "mat2"),
    plain("dot", "tensor"),
    plain("matmul", "other"),
    plain("mm", "mat2"),
    plain("mv", "vec"),
    added("addmm", "mat1", "mat2"),
    added("addmv", "mat", "vec"),
    added("baddbmm", "batch1", "batch2"),
    product("addbmm", "batch1", "batch2", {"self", "batch1", "batch2", "beta", "alpha"},
            [](const Arguments& a) { return blended(a, batch_sum(a)); }),
    outer("addr", "vec1", "vec2", {"self", "vec1", "vec2", "beta", "alpha"},
          [](const Arguments& a) {
            return blended(a, outer_product(a.doubles("vec1"), a.doubles("vec2")));
          }),
    product(
        "inner", "self", "other", {"self", "other"},
        [](const Arguments& a) { return inner_product(a.doubles("self"), a.doubles("other")); }),
    outer("outer", "self", "vec2", {"self", "vec2"},
          [](const Arguments& a) { return outer_product(a.doubles("self"), a.doubles("vec2")); }),
    product("linear", "input", "weight", {"input", "weight", "bias"}, linear),
};

}  // namespace
}  // namespace plumb::quad
