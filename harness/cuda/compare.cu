// The comparison in one pass over the data, by harness/compare_grid.hpp.

#include "harness/compare_grid.hpp"
#include "harness/cuda/compare.hpp"

namespace plumb::cuda {
namespace {

using grid::Cell;
using grid::kThreads;

/// Hands the cells of a block on to its first thread: thread t takes over those of t + half.
__device__ void merge_block(Cell& cell) {
  __shared__ alignas(Cell) unsigned char memory[kThreads / 2 * sizeof(Cell)];
  Cell* cells = reinterpret_cast<Cell*>(memory);
  const unsigned thread = threadIdx.x;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (thread >= half && thread < 2 * half) cells[thread - half] = cell;
    __syncthreads();
    if (thread < half) cell.merge(cells[thread]);
    __syncthreads();
  }
}

template <Format kFormat>
__global__ void __launch_bounds__(kThreads)
    compare_parts(const __grid_constant__ grid::Data data,
                  const __grid_constant__ FormatTraits traits,
                  const __grid_constant__ BoundTerms bound, Cell* parts) {
  const std::size_t thread = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  Cell cell =
      grid::cell_of_thread(data, kFormat, traits, bound, thread, std::size_t{gridDim.x} * kThreads);
  merge_block(cell);
  if (threadIdx.x == 0) parts[blockIdx.x] = cell;
}

/// One block: what the others left.
__global__ void __launch_bounds__(kThreads) merge_parts(Cell* parts, unsigned count) {
  Cell cell;
  for (unsigned i = threadIdx.x; i < count; i += kThreads) cell.merge(parts[i]);
  merge_block(cell);
  if (threadIdx.x == 0) parts[0] = cell;
}

using Kernel = void (*)(grid::Data, FormatTraits, BoundTerms, Cell*);

Kernel kernel_for(Format format) {
  switch (format) {
    case Format::f16: return compare_parts<Format::f16>;
    case Format::bf16: return compare_parts<Format::bf16>;
    case Format::f32: return compare_parts<Format::f32>;
    case Format::f64: return compare_parts<Format::f64>;
    case Format::e4m3fn: return compare_parts<Format::e4m3fn>;
    case Format::e5m2: break;
  }
  return compare_parts<Format::e5m2>;
}

}  // namespace

cudaError_t compare_on_device(Format format, const void* y, Expected expected,
                              const double* sensitivity, BoundTerms bound, std::size_t n,
                              cudaStream_t stream, Distances& distances) {
  const unsigned blocks = grid::blocks_for(n);
  Cell* parts = nullptr;
  cudaError_t status = cudaMallocAsync(&parts, blocks * sizeof(Cell), stream);
  if (status != cudaSuccess) return status;
  const grid::Data data{format, y, expected, sensitivity, n};
  kernel_for(format)<<<blocks, kThreads, 0, stream>>>(data, traits(format), bound, parts);
  merge_parts<<<1, kThreads, 0, stream>>>(parts, blocks);
  status = cudaGetLastError();  // of the launches
  Cell whole;
  if (status == cudaSuccess) {
    status = cudaMemcpyAsync(&whole, parts, sizeof whole, cudaMemcpyDeviceToHost, stream);
  }
  cudaFreeAsync(parts, stream);
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
  if (status == cudaSuccess) distances = whole.distances(n);
  return status;
}

}  // namespace plumb::cuda
