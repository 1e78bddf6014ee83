#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// What a build of ggml computes, for one thread. It stands in a shared library of its own, since
/// two builds of ggml have the same names. Types are ggml's numbers, which are those of GGUF as
/// well. Matrices are row by row; `columns` is a multiple of the type's block.
struct GgmlKernels {
  const char* version;
  /// Null where this CPU has the instructions; else what it lacks ("AVX2").
  const char* (*missing_instructions)();
  /// The type that activations are rounded to before they meet weights of `type`.
  std::uint32_t (*activation_type)(std::uint32_t type);
  std::size_t (*bytes)(std::uint32_t type, std::int64_t rows, std::int64_t columns);
  void (*quantise)(std::uint32_t type, const float* weight, std::int64_t rows, std::int64_t columns,
                   void* blocks);
  /// As `multiply` does it by itself; `type` is that of the activations.
  void (*round_activations)(std::uint32_t type, const float* x, std::int64_t rows,
                            std::int64_t columns, void* blocks);
  /// y [m,n] = x [m,columns] · weightᵀ, with weight [n,columns] in blocks.
  void (*multiply)(std::uint32_t type, const void* weight, std::int64_t n, std::int64_t columns,
                   const float* x, std::int64_t m, float* y);
};

const GgmlKernels* plumb_ggml_kernels();

}  // extern "C"
