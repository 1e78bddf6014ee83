#pragma once

#include <string>
#include <vector>

#include <c10/util/ArrayRef.h>

#include "harness/io/gguf.hpp"

namespace plumb {

/// The tokens of a GGUF file whose tokenizer is of the GPT-2 kind.
class Vocabulary {
 public:
  explicit Vocabulary(const GgufFile& file);

  /// The bytes that these ids stand for; std::out_of_range for an id that does not exist.
  std::string text(c10::IntArrayRef tokens) const;

 private:
  std::vector<std::string> tokens_;
};

}  // namespace plumb
