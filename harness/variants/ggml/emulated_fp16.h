/* AVX512-FP16 for a CPU that has AVX-512 alone: what ggml's sources ask of it, each instruction by
 * its definition. Forced in front of each of them, so that they take the way they take on such a
 * CPU. */

#pragma once

#include <immintrin.h>

#define __AVX512FP16__ 1

/* Thirty-two halves. */
typedef struct {
  __m256i low, high;
} plumb_h32;

static inline __m512 plumb_wide(__m256i halves) { return _mm512_cvtph_ps(halves); }
static inline __m256i plumb_half(__m512 wide) {
  return _mm512_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline plumb_h32 plumb_setzero(void) {
  const plumb_h32 zeros = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  return zeros;
}

static inline plumb_h32 plumb_set1(float x) {
  const __m256i all = plumb_half(_mm512_set1_ps(x));
  const plumb_h32 result = {all, all};
  return result;
}

static inline plumb_h32 plumb_loadu(const void* from) {
  const __m256i* at = (const __m256i*)from;
  const plumb_h32 result = {_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)};
  return result;
}

static inline void plumb_storeu(void* to, plumb_h32 x) {
  __m256i* at = (__m256i*)to;
  _mm256_storeu_si256(at, x.low);
  _mm256_storeu_si256(at + 1, x.high);
}

/* A sum or product of two halves is rounded to float before it is to half: never otherwise than at
 * once, since 24 >= 2 * 11 + 2 (Figueroa, "When is double rounding innocuous?", 1995). */
static inline plumb_h32 plumb_add(plumb_h32 a, plumb_h32 b) {
  const plumb_h32 sum = {plumb_half(_mm512_add_ps(plumb_wide(a.low), plumb_wide(b.low))),
                         plumb_half(_mm512_add_ps(plumb_wide(a.high), plumb_wide(b.high)))};
  return sum;
}

static inline plumb_h32 plumb_mul(plumb_h32 a, plumb_h32 b) {
  const plumb_h32 product = {plumb_half(_mm512_mul_ps(plumb_wide(a.low), plumb_wide(b.low))),
                             plumb_half(_mm512_mul_ps(plumb_wide(a.high), plumb_wide(b.high)))};
  return product;
}

/* Rounded to float first: off by one unit of half now and then, where the exact sum lies next to a
 * tie. */
static inline __m256i plumb_fma(__m256i a, __m256i b, __m256i c) {
  return plumb_half(_mm512_fmadd_ps(plumb_wide(a), plumb_wide(b), plumb_wide(c)));
}

static inline plumb_h32 plumb_fmadd(plumb_h32 a, plumb_h32 b, plumb_h32 c) {
  const plumb_h32 result = {plumb_fma(a.low, b.low, c.low), plumb_fma(a.high, b.high, c.high)};
  return result;
}

/* By halves of the vector, as GCC's and clang's does. */
static inline float plumb_reduce_add(plumb_h32 x) {
  __m256i sums = plumb_half(_mm512_add_ps(plumb_wide(x.low), plumb_wide(x.high)));
  float wide[16] __attribute__((aligned(64)));
  int width;
  for (width = 8; width > 0; width /= 2) {
    int i;
    _mm512_store_ps(wide, plumb_wide(sums));
    for (i = 0; i < width; ++i) wide[i] += wide[i + width];
    sums = plumb_half(_mm512_load_ps(wide));
  }
  return _cvtsh_ss((unsigned short)_mm256_extract_epi16(sums, 0));
}

#define __m512h plumb_h32
#define _mm512_setzero_ph plumb_setzero
#define _mm512_set1_ph plumb_set1
#define _mm512_loadu_ph plumb_loadu
#define _mm512_storeu_ph plumb_storeu
#define _mm512_add_ph plumb_add
#define _mm512_mul_ph plumb_mul
#define _mm512_fmadd_ph plumb_fmadd
#define _mm512_reduce_add_ph plumb_reduce_add
