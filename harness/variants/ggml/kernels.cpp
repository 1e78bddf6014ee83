// A shared library of its own: ggml behind one table of functions. Built three times, see
// cmake/ggml.cmake.

#include "harness/variants/ggml/kernels.hpp"

#include <vector>
#include <ggml.h>

#include <ggml-cpu.h>

namespace {

ggml_type type_of(std::uint32_t type) { return static_cast<ggml_type>(type); }

const char* missing_instructions() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2")) return "AVX2";
  if (!__builtin_cpu_supports("fma")) return "FMA";
  if (!__builtin_cpu_supports("f16c")) return "F16C";
  if (!__builtin_cpu_supports("bmi2")) return "BMI2";
#ifdef PLUMB_GGML_AVX512
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl")) {
    return "AVX-512";
  }
#endif
#ifdef PLUMB_GGML_AVX512_FP16
  if (!__builtin_cpu_supports("avx512fp16")) return "AVX512-FP16";
  if (!__builtin_cpu_supports("avx512bf16")) return "AVX512-BF16";
  if (!__builtin_cpu_supports("avxvnni")) return "AVX-VNNI";
#endif
  return nullptr;
}

std::uint32_t activation_type(std::uint32_t type) {
  return ggml_get_type_traits_cpu(type_of(type))->vec_dot_type;
}

std::size_t bytes(std::uint32_t type, std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows) * ggml_row_size(type_of(type), columns);
}

void quantise(std::uint32_t type, const float* weight, std::int64_t rows, std::int64_t columns,
              void* blocks) {
  ggml_quantize_chunk(type_of(type), weight, blocks, 0, rows, columns, nullptr);
}

void round_activations(std::uint32_t type, const float* x, std::int64_t rows, std::int64_t columns,
                       void* blocks) {
  ggml_cpu_init();  // fills the tables of half types
  const ggml_from_float_t from_float = ggml_get_type_traits_cpu(type_of(type))->from_float;
  for (std::int64_t row = 0; row < rows; ++row) {
    from_float(x + row * columns, static_cast<char*>(blocks) + bytes(type, row, columns), columns);
  }
}

void multiply(std::uint32_t type, const void* weight, std::int64_t n, std::int64_t columns,
              const float* x, std::int64_t m, float* y) {
  ggml_cpu_init();
  std::vector<char> arena(4 * ggml_tensor_overhead() + ggml_graph_overhead());
  ggml_context* context = ggml_init({arena.size(), arena.data(), /*no_alloc=*/true});
  ggml_tensor* left = ggml_new_tensor_2d(context, type_of(type), columns, n);
  ggml_tensor* right = ggml_new_tensor_2d(context, GGML_TYPE_F32, columns, m);
  ggml_tensor* product = ggml_mul_mat(context, left, right);
  left->data = const_cast<void*>(weight);
  right->data = const_cast<float*>(x);
  product->data = y;
  ggml_cgraph* graph = ggml_new_graph(context);
  ggml_build_forward_expand(graph, product);
  ggml_cplan plan = ggml_graph_plan(graph, /*n_threads=*/1, nullptr);
  std::vector<std::uint8_t> work(plan.work_size);
  plan.work_data = work.data();
  ggml_graph_compute(graph, &plan);
  ggml_free(context);
}

const GgmlKernels kernels{ggml_version(), missing_instructions, activation_type, bytes,
                          quantise,       round_activations,    multiply};

}  // namespace

const GgmlKernels* plumb_ggml_kernels() { return &kernels; }
