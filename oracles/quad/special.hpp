#pragma once

#include "oracles/quad/number.hpp"

// Scalar functions that libquadmath lacks, for arguments that are exact doubles.

namespace plumb::quad {

Quad sigmoid(Quad x);
Quad log_sigmoid(Quad x);
Quad logit(Quad x);                 // NaN outside [0, 1]
Quad log_add_exp(Quad x, Quad y);   // log(e^x + e^y)
Quad log_add_exp2(Quad x, Quad y);  // log2(2^x + 2^y)
Quad softplus(Quad x);
Quad tanhshrink(Quad x);  // x - tanh x, without its cancellation
Quad sinc(Quad x);        // sin(πx)/(πx)

Quad ndtr(Quad x);      // the normal distribution function
Quad log_ndtr(Quad x);  // and its logarithm
Quad erfcx(Quad x);     // exp(x²) erfc(x)
Quad erfinv(Quad y);
Quad ndtri(Quad p);

Quad digamma(Quad x);
Quad bessel_i0(Quad x);
Quad bessel_i1(Quad x);
Quad bessel_i0e(Quad x);  // times exp(-|x|)
Quad bessel_i1e(Quad x);

// Near a zero, and where a series in quad would cancel, these go on in 60 digits.
Quad wide_digamma(Quad x);
Quad polygamma(int order, Quad x);
Quad bessel_j0(Quad x);
Quad bessel_j1(Quad x);
Quad bessel_y0(Quad x);
Quad bessel_y1(Quad x);
Quad bessel_k0(Quad x);
Quad bessel_k1(Quad x);

}  // namespace plumb::quad
