#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fuzz/genome.hpp"
#include "fuzz/glance.hpp"
#include "harness/result.hpp"

namespace plumb {

/// Numeric feedback: an execution lights cells, and one that lights a new cell is worth keeping.
/// Every operator has its own cells (32 of them; more share). docs/fuzz.md lists the groups.
class Features {
 public:
  static constexpr std::size_t kOperators = 32;
  static constexpr std::size_t kCellsOfOperator = 1024;
  static constexpr std::size_t kCells = kOperators * kCellsOfOperator;

  /// `cells` has kCells bytes. What reads them clears them before each execution. `known`, of as
  /// many: those that are not dark any more, where they shall outlive this object.
  explicit Features(std::span<std::uint8_t> cells, std::span<std::uint8_t> known = {});
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;

  /// Of the operator with this number in what follows.
  void begin(std::size_t op);

  /// Of a case that ran: classes, error, conditioning, exponents, ties, shape and layout.
  void see(const Genome& genome, const Inputs& inputs, const Glance& seen);

  /// Of a case that the harness judged: verdict and path.
  void see(const Result& row);

  /// Of the path of a case, by its hash.
  void see(const std::string& path_hash);

  /// Whether this execution lit a cell that was dark before.
  bool fresh() const { return fresh_; }

  /// Cells lit so far.
  std::size_t lit() const { return lit_; }

 private:
  void light(std::size_t group, std::size_t size, std::int64_t value);
  void see_input(std::size_t number, const at::Tensor& tensor);
  void see_judgement(const Glance& seen);

  std::span<std::uint8_t> cells_;
  std::vector<std::uint8_t> own_;
  std::span<std::uint8_t> known_;
  std::size_t base_ = 0;
  std::size_t lit_ = 0;
  bool fresh_ = false;
};

}  // namespace plumb
