#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/program.hpp"
#include "harness/registry.hpp"
#include "harness/variant.hpp"

namespace plumb {

/// A metamorphic check: the same question asked another way must get the same answer, within twice
/// the bound (each side may err by one).
struct Relation {
  std::string name;
  std::string about;
  /// The second evaluation; empty where the relation has no meaning for these inputs.
  std::function<std::optional<Outputs>(const Variant&, const Program&, const Inputs&, c10::Device)>
      again;
};

/// Throws UsageError with the nearest name.
const Relation& relation_or_usage_error(const std::string& name);

}  // namespace plumb
