#include "oracles/quad/reference.hpp"

#include <algorithm>

namespace plumb::quad {
namespace {

/// Other names of the same definition, with the same argument names.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"absolute", "abs"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"divide", "div"},
    {"ger", "outer"},
    {"i0", "special_i0"},
    {"linalg_matmul", "matmul"},
    {"multiply", "mul"},
    {"negative", "neg"},
    {"special_digamma", "digamma"},
    {"special_erf", "erf"},
    {"special_erfc", "erfc"},
    {"special_erfinv", "erfinv"},
    {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"},
    {"special_gammaln", "lgamma"},
    {"special_log1p", "log1p"},
    {"special_log_softmax", "log_softmax"},
    {"special_logit", "logit"},
    {"special_logsumexp", "logsumexp"},
    {"special_modified_bessel_i0", "special_i0"},
    {"special_modified_bessel_i1", "special_i1"},
    {"special_multigammaln", "mvlgamma"},
    {"special_polygamma", "polygamma"},
    {"special_psi", "digamma"},
    {"special_round", "round"},
    {"special_sinc", "sinc"},
    {"special_softmax", "softmax"},
    {"special_xlogy", "xlogy"},
    {"subtract", "sub"},
    {"true_divide", "div"},
    {"vdot", "dot"},
};

}  // namespace

QuadReferences::QuadReferences(std::initializer_list<QuadReference> table,
                               bool integers_become_floating) {
  for (QuadReference reference : table) {
    reference.integers_become_floating |= integers_become_floating;
    Registry<QuadReference>::instance().add(std::move(reference));
  }
}

const QuadReference* find_reference(std::string_view operator_name) {
  const std::string_view base = operator_name.substr(0, operator_name.find('.'));
  const auto& references = Registry<QuadReference>::instance();
  if (const QuadReference* reference = references.find(base)) return reference;
  constexpr std::string_view kNamespace = "aten::";
  if (base.substr(0, kNamespace.size()) != kNamespace) return nullptr;
  for (const auto& [alias, name] : kAliases) {
    if (alias == base.substr(kNamespace.size())) {
      return references.find(std::string(kNamespace).append(name));
    }
  }
  return nullptr;
}

std::span<const std::pair<std::string_view, std::string_view>> aliases() { return kAliases; }

std::function<double(const Arguments&)> per_element(double each) {
  return [each](const Arguments& arguments) {
    std::int64_t largest = 1;
    arguments.inputs().each([&](const std::string&, const at::Tensor& tensor) {
      largest = std::max(largest, tensor.numel());
    });
    return each * static_cast<double>(largest);
  };
}

}  // namespace plumb::quad
