#pragma once

namespace plumb {

/// What torch lets matrix products on a GPU give up for speed. As declared here: nothing.
struct MatmulPrecision {
  bool tf32 = false;     ///< float32 operands keep 10 of 23 fraction bits
  bool reduced = false;  ///< half types may add up parts of a sum in their own type
  bool split_k = true;   ///< sums may be cut into parts; torch cannot allow `reduced` without it

  bool operator==(const MatmulPrecision&) const = default;
};

/// As torch has it set.
MatmulPrecision matmul_precision();

/// While it lives, products are of this precision. On the CPU it changes nothing but half-type
/// sums, which torch adds up in float unless told otherwise.
class WithMatmulPrecision {
 public:
  explicit WithMatmulPrecision(const MatmulPrecision& precision);
  ~WithMatmulPrecision();
  WithMatmulPrecision(const WithMatmulPrecision&) = delete;
  WithMatmulPrecision& operator=(const WithMatmulPrecision&) = delete;

 private:
  MatmulPrecision products_;
  bool convolutions_tf32_;
  bool reduced_on_cpu_;
};

}  // namespace plumb
