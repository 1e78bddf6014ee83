#include "harness/traits.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>

#include "harness/result_traits.hpp"

namespace plumb {
namespace {

/// A row covers every overload of the name. Only what the defaults get wrong is listed.
struct Row {
  std::string_view name;  // without overload
  Traits traits;
};

Traits composite(std::string why) { return {.promise = Promise::composite, .why = std::move(why)}; }
Traits exact() { return {.promise = Promise::exact, .reduction = Reduction::pointwise}; }
Traits exact_selection() { return {.promise = Promise::exact}; }
Traits whole() { return {.reduction = Reduction::whole}; }
Traits data(std::vector<std::string> scalars) {
  return {.reduction = Reduction::pointwise, .data_scalars = std::move(scalars)};
}
Traits normwise() { return {.normwise = true}; }
/// n reflections one after another, each of sums of n terms.
Traits by_reflections() { return {.reduction = Reduction::whole, .normwise = true}; }
/// Stable in norm alone: an output that no term of an element reaches still gets its rounding,
/// times a factor that is 0 only in exact arithmetic (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd edition, theorem 24.2).
constexpr const char* kTransforms[] = {
    "aten::_fft_c2c",   "aten::_fft_c2r",   "aten::_fft_r2c",   "aten::fft_fft",
    "aten::fft_fft2",   "aten::fft_fftn",   "aten::fft_hfft",   "aten::fft_hfft2",
    "aten::fft_hfftn",  "aten::fft_ifft",   "aten::fft_ifft2",  "aten::fft_ifftn",
    "aten::fft_ihfft",  "aten::fft_ihfft2", "aten::fft_ihfftn", "aten::fft_irfft",
    "aten::fft_irfft2", "aten::fft_irfftn", "aten::fft_rfft",   "aten::fft_rfft2",
    "aten::fft_rfftn",  "aten::istft",      "aten::stft"};

Traits undecidable(std::string why) { return {.undecidable = std::move(why)}; }
Traits documented(Traits traits, std::string reference) {
  traits.documented = std::move(reference);
  return traits;
}

// NOLINTNEXTLINE(readability-function-size): one table
std::vector<Row> made_table() {
  std::vector<Row> rows = {
      {"aten::_adaptive_avg_pool2d", whole()},
      {"aten::_adaptive_avg_pool3d", whole()},
      {"aten::adaptive_avg_pool1d", whole()},
      {"aten::adaptive_avg_pool2d", whole()},
      {"aten::adaptive_avg_pool3d", whole()},
      {"aten::cholesky", normwise()},
      {"aten::cholesky_inverse", normwise()},
      {"aten::cholesky_solve", normwise()},
      {"aten::det", normwise()},
      {"aten::inverse", normwise()},
      {"aten::linalg_cholesky", normwise()},
      {"aten::linalg_cholesky_ex", normwise()},
      {"aten::linalg_cond", normwise()},
      {"aten::linalg_det", normwise()},
      {"aten::_linalg_det", undecidable("its factors are of the matrix or of its transpose")},
      {"aten::linalg_eigvalsh", by_reflections()},
      {"aten::linalg_inv", normwise()},
      {"aten::linalg_inv_ex", normwise()},
      {"aten::linalg_lstsq", normwise()},
      {"aten::linalg_matrix_exp", normwise()},
      {"aten::linalg_matrix_norm", normwise()},
      {"aten::linalg_matrix_power", normwise()},
      {"aten::linalg_matrix_sqrth", normwise()},
      {"aten::linalg_pinv", normwise()},
      {"aten::linalg_polar", by_reflections()},
      {"aten::linalg_slogdet", normwise()},
      {"aten::_linalg_slogdet", undecidable("its factors are of the matrix or of its transpose")},
      {"aten::linalg_solve", normwise()},
      {"aten::linalg_solve_ex", normwise()},
      {"aten::_linalg_solve_ex", normwise()},
      {"aten::linalg_solve_triangular", normwise()},
      {"aten::linalg_svdvals", by_reflections()},
      {"aten::linalg_tensorinv", normwise()},
      {"aten::linalg_tensorsolve", normwise()},
      {"aten::logdet", normwise()},
      {"aten::matrix_exp", normwise()},
      {"aten::matrix_power", normwise()},
      {"aten::pinverse", normwise()},
      {"aten::slogdet", normwise()},
      {"aten::triangular_solve", normwise()},
      {"aten::nuclear_norm", normwise()},
      {"aten::linalg_eigh", undecidable("its vectors have a free sign or phase")},
      {"aten::_linalg_eigh", undecidable("its vectors have a free sign or phase")},
      {"aten::linalg_eig", undecidable("its vectors have a free sign or phase")},
      {"aten::linalg_svd", undecidable("its vectors have a free sign or phase")},
      {"aten::_linalg_svd", undecidable("its vectors have a free sign or phase")},
      {"aten::svd", undecidable("its vectors have a free sign or phase")},
      {"aten::linalg_qr", undecidable("its vectors have a free sign or phase")},
      {"aten::qr", undecidable("its vectors have a free sign or phase")},
      {"aten::geqrf", undecidable("its vectors have a free sign or phase")},
      {"aten::linalg_eigvals", undecidable("the order of its values is free")},
      {"aten::_linalg_eigvals", undecidable("the order of its values is free")},
      {"aten::_cholesky_solve_helper",
       undecidable("it checks none of its arguments; judged as cholesky_solve")},
      {"aten::_add_relu", undecidable("it ends at the largest number of the type")},
      {"aten::nextafter", undecidable("the next number depends on the type")},
      {"aten::scaled_dot_product_attention",
       composite("the probabilities are rounded before the product with V")},
      {"aten::addbmm", composite("each product is rounded before it is added")},
      {"aten::addr", composite("the outer product is rounded before the addition")},
      {"aten::instance_norm", composite("the mean is rounded before it is subtracted")},
      {"aten::batch_norm", composite("the mean of the batch is rounded before it is subtracted")},
      {"aten::_batch_norm_impl_index",
       composite("the mean of the batch is rounded before it is subtracted")},
      {"aten::_batch_norm_with_update_functional",
       composite("the mean of the batch is rounded before it is subtracted")},
      {"aten::_native_batch_norm_legit",
       composite("the mean of the batch is rounded before it is subtracted")},
      {"aten::_native_batch_norm_legit_functional",
       composite("the mean of the batch is rounded before it is subtracted")},
      {"aten::batch_norm_update_stats",
       composite("the mean of the batch is rounded before it is subtracted")},
      {"aten::native_batch_norm",
       composite("the mean of the batch is rounded before it is subtracted")},
      {"aten::corrcoef", composite("formed from a rounded covariance")},
      {"aten::cosine_similarity", composite("norms and product are rounded one by one")},
      {"aten::cross_entropy_loss", composite("the log-probabilities are rounded before the mean")},
      {"aten::cov", composite("the mean is rounded before it is subtracted")},
      {"aten::cross", composite("both products are rounded before they are subtracted")},
      {"aten::linalg_cross", composite("both products are rounded before they are subtracted")},
      {"aten::embedding_dense_backward", whole()},
      {"aten::gaussian_nll_loss", composite("a formula of several operators")},
      {"aten::kl_div", composite("a formula of several operators")},
      {"aten::lerp", data({"weight"})},
      {"aten::linspace", data({"start", "end"})},
      {"aten::log_softmax",
       composite("the logarithm of the sum is rounded before it is subtracted")},
      {"aten::_log_softmax",
       composite("the logarithm of the sum is rounded before it is subtracted")},
      {"aten::special_log_softmax",
       composite("the logarithm of the sum is rounded before it is subtracted")},
      {"aten::logsumexp",
       composite("the logarithm of the sum is rounded before the maximum is added")},
      {"aten::logit", composite("x/(1-x) is rounded before the logarithm")},
      {"aten::special_logit", composite("x/(1-x) is rounded before the logarithm")},
      {"aten::mean", whole()},
      {"aten::norm", documented(whole(), "numerical_accuracy.rst: extremal values")},
      {"aten::linalg_vector_norm", documented(whole(), "numerical_accuracy.rst: extremal values")},
      {"aten::nansum", whole()},
      {"aten::prod", whole()},
      {"aten::rms_norm", {.type_epsilon = "eps"}},
      {"aten::renorm", composite("the norm is rounded before the scaling")},
      {"aten::std", whole()},
      {"aten::std_mean", whole()},
      {"aten::sum", whole()},
      {"aten::trapezoid", composite("the sum and its ends are rounded one by one")},
      {"aten::var", whole()},
      {"aten::var_mean", whole()},
      {"aten::xlogy", composite("the logarithm is rounded before the product")},
      {"aten::special_xlogy", composite("the logarithm is rounded before the product")},
      {"aten::special_xlog1py", composite("the logarithm is rounded before the product")},
      {"aten::add", data({"other", "alpha"})},
      {"aten::pow",
       {.promise = Promise::composite,
        .reduction = Reduction::pointwise,
        .why = "small whole powers are products, each rounded",
        .data_scalars = {"self", "exponent"}}},
      {"aten::special_entr", composite("the logarithm is rounded before the product")},
      {"aten::_trilinear", composite("a formula of several operators")},
      {"aten::bilinear", composite("a formula of several operators")},
      {"aten::empty_like", undecidable("its memory is not initialised")},
      {"aten::empty_strided", undecidable("its memory is not initialised")},
      {"aten::new_empty", undecidable("its memory is not initialised")},
      {"aten::new_empty_strided", undecidable("its memory is not initialised")},
      {"aten::to", {.promise = Promise::exact, .reduction = Reduction::pointwise, .casts = true}},
      {"aten::_to_copy",
       {.promise = Promise::exact, .reduction = Reduction::pointwise, .casts = true}},
      {"aten::abs", exact()},
      {"aten::ceil", exact()},
      {"aten::clamp", exact()},
      {"aten::copysign", exact()},
      {"aten::floor", exact()},
      {"aten::fmod", exact()},
      {"aten::frac", exact()},
      {"aten::maximum", exact()},
      {"aten::minimum", exact()},
      {"aten::neg", exact()},
      {"aten::relu", exact()},
      {"aten::remainder", exact()},
      {"aten::round", exact()},
      {"aten::sign", exact()},
      {"aten::trunc", exact()},
      {"aten::amax", exact_selection()},
      {"aten::amin", exact_selection()},
      {"aten::gather", exact_selection()},
      {"aten::max", exact_selection()},
      {"aten::min", exact_selection()},
      {"aten::sort", exact_selection()},
      {"aten::topk", exact_selection()},
  };
  for (const char* name : kTransforms) rows.push_back({name, normwise()});
  return rows;
}

const std::vector<Row>& table() {
  static const std::vector<Row> rows = made_table();
  return rows;
}

struct ResultRow {
  std::string_view name;  // without overload
  ResultTraits traits;
};

/// Bags hand offset2bag, bag_size and max_indices on to their backward pass; which of them are
/// filled depends on the path. Solvers that do not raise say so when a matrix is singular. |z| is a
/// root.
constexpr std::array kResultRows = {
    ResultRow{"aten::embedding_bag", {.answers = 1}},
    ResultRow{"aten::_embedding_bag", {.answers = 1}},
    ResultRow{"aten::_embedding_bag_forward_only", {.answers = 1}},
    ResultRow{"aten::linalg_cholesky_ex", {.status = 1}},
    ResultRow{"aten::linalg_inv_ex", {.status = 1}},
    ResultRow{"aten::linalg_solve_ex", {.status = 1}},
    ResultRow{"aten::_linalg_solve_ex", {.status = 3}},
    ResultRow{"aten::linalg_eigvalsh", {.saves_vectors = true}},
    ResultRow{"aten::linalg_polar", {.saves_vectors = true}},
    ResultRow{"aten::linalg_svdvals", {.saves_vectors = true}},
    ResultRow{"aten::abs", {.exact_of_reals_only = true}},
};

void complete_from_dispatcher(std::string_view name, Traits& traits) {
  const auto dot = name.find('.');
  const c10::OperatorName key(
      std::string(name.substr(0, dot)),
      dot == std::string_view::npos ? "" : std::string(name.substr(dot + 1)));
  const auto handle = c10::Dispatcher::singleton().findSchema(key);
  if (!handle) return;
  if (handle->hasTag(at::Tag::pointwise)) traits.reduction = Reduction::pointwise;
  if (handle->hasTag(at::Tag::nondeterministic_seeded)) traits.random = true;
}

}  // namespace

namespace {

/// Of one overload: whether it neither hands its work on, nor copies or makes memory.
bool computes(const c10::OperatorHandle& op) {
  const auto has = [&](c10::DispatchKey key) { return op.hasKernelForDispatchKey(key); };
  const bool is_composite = has(c10::DispatchKey::CompositeImplicitAutograd) ||
                            has(c10::DispatchKey::CompositeExplicitAutograd);
  if (is_composite && !has(c10::DispatchKey::CPU)) return false;
  const auto& returns = op.schema().returns();
  return std::none_of(returns.begin(), returns.end(), [](const c10::Argument& result) {
    return result.alias_info() != nullptr && !result.alias_info()->isWrite();
  });
}

/// Names of which some overload computes.
const std::unordered_set<std::string>& computing_names() {
  static const std::unordered_set<std::string> names = [] {
    std::unordered_set<std::string> computing;
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const auto& key : dispatcher.getAllOpNames()) {
      const bool is_out = key.overload_name.find("out") != std::string::npos;
      const auto op = dispatcher.findSchema(key);
      if (op && !is_out && computes(*op)) computing.insert(key.name);
    }
    for (const char* exact : {"copy_", "_to_copy", "clone", "empty", "empty_strided", "fill_",
                              "zero_", "cat", "resize_", "_local_scalar_dense", "set_", "arange",
                              "eq", "isnan", "masked_fill_", "neg", "abs", "where"}) {
      computing.erase(std::string("aten::") + exact);
    }
    return computing;
  }();
  return names;
}

}  // namespace

std::size_t rounding_steps(const std::vector<std::string>& path) {
  return static_cast<std::size_t>(
      std::count_if(path.begin(), path.end(),
                    [](const std::string& name) { return computing_names().contains(name); }));
}

Traits traits_of(std::string_view operator_name) {
  std::string base(operator_name.substr(0, operator_name.find('.')));
  Traits traits;
  // In-place forms ("add_") share the row of their functional twin.
  if (base.size() > 1 && base.back() == '_') base.pop_back();
  for (const Row& row : table()) {
    if (row.name == base) traits = row.traits;
  }
  complete_from_dispatcher(operator_name, traits);
  return traits;
}

ResultTraits result_traits_of(std::string_view operator_name) {
  const std::string_view base = operator_name.substr(0, operator_name.find('.'));
  const auto* row = std::find_if(kResultRows.begin(), kResultRows.end(),
                                 [&](const ResultRow& r) { return r.name == base; });
  return row == kResultRows.end() ? ResultTraits{} : row->traits;
}

namespace {

/// The product of the sizes that the argument `dim` names in the largest tensor; of all without it.
std::int64_t reduced_numel(const Inputs& inputs) {
  const c10::IValue* dim = inputs.find("dim");
  at::Tensor largest;  // not a pointer: the tensors of a list are copies that `each` makes
  inputs.each([&](const std::string&, const at::Tensor& tensor) {
    if (!largest.defined() || tensor.numel() > largest.numel()) largest = tensor;
  });
  if (!largest.defined() || dim == nullptr) return largest_numel(inputs);
  std::vector<std::int64_t> dims;
  if (dim->isInt()) dims = {dim->toInt()};
  if (dim->isIntList()) dims = dim->toIntVector();
  if (dims.empty() || largest.dim() == 0) return largest_numel(inputs);
  std::int64_t product = 1;
  for (const std::int64_t d : dims) {
    if (d < -largest.dim() || d >= largest.dim()) return largest_numel(inputs);
    product *= largest.size(d);
  }
  return std::max<std::int64_t>(product, 1);
}

}  // namespace

std::int64_t reduction_length(const Traits& traits, const Inputs& inputs) {
  switch (traits.reduction) {
    case Reduction::pointwise: return 1;
    case Reduction::whole: return reduced_numel(inputs);
    case Reduction::longest: return longest_dimension(inputs);
  }
  return 1;
}

}  // namespace plumb
