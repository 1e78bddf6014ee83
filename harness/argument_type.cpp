#include "harness/argument_type.hpp"

#include <ATen/core/jit_type.h>

namespace plumb {

c10::TypePtr inside_optional(const c10::TypePtr& type) {
  return type->kind() == c10::TypeKind::OptionalType
             ? type->castRaw<c10::OptionalType>()->getElementType()
             : type;
}

bool takes_dtype(const c10::Argument& argument) {
  return inside_optional(argument.real_type())->kind() == c10::TypeKind::ScalarTypeType;
}

}  // namespace plumb
