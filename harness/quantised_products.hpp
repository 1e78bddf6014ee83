#pragma once

#include <string_view>

namespace plumb {

/// A product of the program: which argument is what.
struct Product {
  std::string_view op;
  const char* x;
  const char* weight;
  const char* bias;    // null: none
  bool is_transposed;  // the weight is [k,n]
};

/// The product that an operator is; null for others.
const Product* product_of(std::string_view op);

}  // namespace plumb
