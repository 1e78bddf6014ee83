#include "sweep/targets.hpp"

#include <algorithm>
#include <array>

#include <ATen/core/enum_tag.h>

#include "harness/errors.hpp"
#include "harness/library.hpp"
#include "harness/overloads.hpp"
#include "harness/text.hpp"
#include "harness/traits.hpp"
#include "sweep/plan.hpp"

namespace plumb {
namespace {

bool holds_tensor(const c10::TypePtr& type) {
  if (type->kind() == c10::TypeKind::TensorType) return true;
  const auto contained = type->containedTypes();
  return std::any_of(contained.begin(), contained.end(), holds_tensor);
}

/// Words in names of operators that need what a sweep on plain dense tensors does not have.
struct Family {
  std::string_view word;
  std::string_view why;
};

constexpr std::array kFamilies = {
    Family{"backward", "judged as a gradient of its forward operator"},
    Family{"_foreach_", "a list of tensors; judged as the operator on one"},
    Family{"_fused_", "an optimiser step; belongs to training scenarios"},
    Family{"_copy", "a view only, copied"},
    Family{"cudnn", "needs a GPU"},
    Family{"miopen", "needs a GPU"},
    Family{"mps", "needs a GPU"},
    Family{"cuda", "needs a GPU"},
    Family{"cslt", "needs a GPU"},
    Family{"mkldnn", "needs oneDNN's own layout"},
    Family{"quantize", "a quantised type"},
    Family{"fbgemm", "packed weights"},
    Family{"fake_quant", "a quantised type"},
    Family{"packed", "packed weights"},
    Family{"sparse", "a sparse layout"},
    Family{"_csr", "a sparse layout"},
    Family{"coo", "a sparse layout"},
    Family{"coalesce", "a sparse layout"},
    Family{"_philox_", "random"},
    Family{"nested", "a nested layout"},
    Family{"jagged", "a nested layout"},
    Family{"_test_", "a test of torch itself"},
    Family{"_assert", "checks and computes nothing"},
    Family{"empty", "uninitialised memory"},
    Family{"_thnn_", "needs a GPU"},
    Family{"sym_", "no numbers"},
    Family{"dummy", "no numbers"},
    Family{"_batch_dim", "a part of functorch"},
    Family{"::set", "no numbers"},
    Family{"nnpack", "needs a library that is not there; it crashes"},
};

bool writes(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(),
                     [](const c10::Argument& argument) {
                       return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
                     });
}

bool views(const c10::FunctionSchema& schema) {
  return std::any_of(schema.returns().begin(), schema.returns().end(),
                     [](const c10::Argument& result) { return result.alias_info() != nullptr; });
}

std::optional<std::string> why_not(const c10::OperatorHandle& handle) {
  const c10::FunctionSchema& schema = handle.schema();
  const auto any_tensor = [](const std::vector<c10::Argument>& list) {
    return std::any_of(list.begin(), list.end(),
                       [](const c10::Argument& a) { return holds_tensor(a.type()); });
  };
  const bool has_row = !rows_of_shapes(schema.name()).empty() ||
                       !rows_of_shapes(schema.name() + "." + schema.overload_name()).empty();
  if (!any_tensor(schema.returns())) return "returns no tensor";
  if (writes(schema)) return "writes to its arguments; judged as its functional twin";
  if (views(schema)) return "a view only";
  if (handle.hasTag(at::Tag::nondeterministic_seeded)) return "random";
  if (handle.hasTag(at::Tag::data_dependent_output)) return "a shape that depends on the data";
  if (is_from_library(schema.name())) return std::nullopt;  // its words mean what its author says
  const std::string undecidable = traits_of(schema.name()).undecidable;
  if (!undecidable.empty()) return undecidable;
  if (has_row) return std::nullopt;
  if (!any_tensor(schema.arguments())) return "takes no tensor";
  for (const Family& family : kFamilies) {
    if (schema.name().find(family.word) != std::string::npos) return std::string(family.why);
  }
  return std::nullopt;
}

bool wanted(const std::string& base, const std::string& name,
            const std::vector<std::string>& patterns) {
  if (patterns.empty()) return name.starts_with("aten::");
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    const std::string full = pattern.find("::") == std::string::npos ? "aten::" + pattern : pattern;
    return glob_matches(full, name) || glob_matches(full, base);
  });
}

}  // namespace

std::string short_name(const std::string& op) { return op.substr(op.find("::") + 2); }

std::vector<Target> targets(const std::vector<std::string>& patterns) {
  std::vector<Target> found;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& key : dispatcher.getAllOpNames()) {
    const std::string name = full_name(key);
    if (!wanted(key.name, name, patterns)) continue;
    if (const auto handle = dispatcher.findSchema(key)) {
      found.push_back({name, *handle, why_not(*handle)});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Target& a, const Target& b) { return a.name < b.name; });
  return found;
}

void refuse_unmatched(const std::string& pattern) {
  std::vector<std::string> names;
  for (const Target& target : targets({})) {
    const std::string name = short_name(target.name);
    names.push_back(name.substr(0, name.find('.')));
  }
  std::string hint = suggestion(pattern, names);
  if (hint.empty()) hint = "; is it of a library that --load-library did not name?";
  throw UsageError("nothing is selected: no operator is called '" + pattern + "'" + hint);
}

}  // namespace plumb
