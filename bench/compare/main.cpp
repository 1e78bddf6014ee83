// One pass over y and g for all distances, against at::allclose (which forms several tensors to say
// yes or no) and against at::sum (which shows what the memory can give). Ratios inside one run.

#include <cstdio>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "bench/collector.hpp"
#include "harness/compare.hpp"
#include "harness/dtype.hpp"

namespace plumb::bench {
namespace {

constexpr std::int64_t kCount = std::int64_t{1} << 24;

struct Data {
  at::Tensor g, y, sensitivity;
};

/// y is g rounded once: what a good kernel gives.
Data data_in(c10::ScalarType dtype) {
  const at::Tensor g = at::randn({kCount}, at::kDouble);
  return {g, g.to(dtype), at::rand({kCount}, at::kDouble)};
}

Distances distances(const Data& data, bool with_sensitivity) {
  const double u = unit_roundoff(data.y.scalar_type());
  return compare(*format_of(data.y.scalar_type()), data.y.const_data_ptr(),
                 {.hi = data.g.const_data_ptr<double>()},
                 with_sensitivity ? data.sensitivity.const_data_ptr<double>() : nullptr,
                 {.relative = 2 * u, .conditional = u, .absolute = 0x1p-150},
                 static_cast<std::size_t>(kCount));
}

void add(const std::string& name, const std::function<void()>& work, std::size_t bytes) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [work, bytes](benchmark::State& state) {
        for (auto _ : state) work();
        state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
      })
      ->Unit(benchmark::kMillisecond)
      ->Repetitions(7)
      ->MinTime(0.05);
}

std::size_t bytes_of(const at::Tensor& tensor) { return tensor.nbytes(); }

void add_all(c10::ScalarType dtype) {
  const auto data = std::make_shared<Data>(data_in(dtype));
  const auto rounded = std::make_shared<at::Tensor>(data->g.to(dtype));
  const std::string name = dtype_name(dtype);
  const std::size_t pair = bytes_of(data->y) + bytes_of(data->g);
  add(
      "compare " + name, [data] { benchmark::DoNotOptimize(distances(*data, false)); }, pair);
  add(
      "compare with S " + name, [data] { benchmark::DoNotOptimize(distances(*data, true)); },
      pair + bytes_of(data->sensitivity));
  add(
      "allclose " + name,
      [data, rounded] { benchmark::DoNotOptimize(at::allclose(data->y, *rounded)); },
      2 * bytes_of(data->y));
  add(
      "sum " + name, [data] { benchmark::DoNotOptimize(data->y.sum().data_ptr()); },
      bytes_of(data->y));
}

void print(const Collector& times, c10::ScalarType dtype) {
  const std::string name = dtype_name(dtype);
  const double bytes = static_cast<double>(kCount) * static_cast<double>(c10::elementSize(dtype));
  const double ours = times.best("compare " + name);
  const double with_s = times.best("compare with S " + name);
  const double wide = static_cast<double>(kCount) * 8;
  const double sum_rate = bytes / times.best("sum " + name);
  std::printf(
      "%-9s  %6.1f ms  %5.1f GB/s  %6.1f x allclose  %5.1f %% of at::sum's bytes/s"
      "   (with S: %.1f ms, %.1f %%)\n",
      name.c_str(), ours * 1e3, (bytes + wide) / ours * 1e-9, times.best("allclose " + name) / ours,
      100 * (bytes + wide) / ours / sum_rate, with_s * 1e3,
      100 * (bytes + 2 * wide) / with_s / sum_rate);
}

int run(int argc, char** argv) {
  at::set_num_threads(1);
  constexpr c10::ScalarType kTypes[] = {at::kFloat, at::kBFloat16, at::kHalf};
  for (const auto dtype : kTypes) add_all(dtype);
  Collector times;
  if (!run_interleaved(argc, argv, times)) return 2;
  std::printf("\ncompare() against float64, %lld elements, one thread, least of the repetitions\n",
              static_cast<long long>(kCount));
  for (const auto dtype : kTypes) print(times, dtype);
  return 0;
}

}  // namespace
}  // namespace plumb::bench

int main(int argc, char** argv) { return plumb::bench::run(argc, argv); }
