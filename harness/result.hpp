#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/verdict.hpp"

namespace plumb {

using Json = nlohmann::ordered_json;

/// A curve a person may want to see: gradient norm over steps, headroom per layer.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

using Cell = std::variant<double, std::string>;

/// A small table shown with the result, e.g. one row per attention back end.
struct Table {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

/// Tag of what another variant shares with plain eager: no fault of the variant.
inline constexpr const char* kAsEager = "as eager";

/// One judged execution: the row of results.json (docs/formats.md). Plain data: no tensor, no
/// engine. An empty optional means "not computed" and is null in the file.
struct Result {
  std::string id;
  std::string name;
  std::string arm;  // "faulty", "fixed", or "case" for stored cases
  std::string op;
  std::string variant = "eager";
  std::string dtype;
  std::string device = "cpu";
  std::string oracle;
  std::uint64_t seed = 0;
  int threads = 1;
  Verdict verdict = Verdict::exact;
  std::vector<std::string> expected;
  bool ok = true;
  std::string where;  // the output judged worst: "output 0", "grad:x", "block 11 / mlp product"
  std::string scope;  // "normwise" or "componentwise"; empty unless r > 1
  std::optional<double> severity;   // log2 r, where r > 1
  std::optional<double> r;          // max |y-g|/B
  std::optional<double> rho;        // B/|g| at the worst element
  std::optional<double> r_eager;    // r of plain eager in the same dtype
  std::optional<double> lost_bits;  // log2 of r under the fused bound, for composite operators
  std::optional<double> max_abs;
  std::optional<double> max_rel;
  std::optional<std::int64_t> max_ulp;
  std::optional<double> nmse;  // sum (y-g)^2 / sum g^2
  std::optional<std::int64_t> nan;
  std::optional<std::int64_t> inf;
  std::vector<std::int64_t> worst_index;
  std::vector<std::string> path;
  std::string path_hash;
  std::string digest;
  std::vector<std::string> tags;
  double seconds = 0;
  double oracle_seconds = 0;
  std::string message;
  std::string replay;
  std::vector<Series> series;
  std::vector<Table> tables;
};

/// Oracle, scope and distances of one row as those of another.
void copy_numbers(const Result& from, Result& to);

/// What the results depend on besides the cases.
struct Environment {
  std::string plumb;
  std::string git;
  std::string torch;
  std::string cuda;
  std::string cublas;
  std::string driver;
  std::string cpu_capability;
  int threads = 1;
  std::uint64_t seed = 0;
  std::string time;  // ISO 8601, UTC
};

/// The whole of results.json, schema plumb.results/1.
struct Report {
  Environment environment;
  std::vector<Result> results;
};

/// Numbers that JSON cannot hold become the strings "nan", "inf", "-inf".
Json number_to_json(double value);
double number_from_json(const Json& value);

Json to_json(const Result& result);
Json to_json(const Report& report);

/// Throws InputError naming `source` and the field for anything that is not plumb.results/1.
Result result_from_json(const Json& json, const std::string& source);
Report report_from_json(const Json& json, const std::string& source);

/// Decides `ok` from the verdict, the expectation and the tags.
bool is_ok(const Result& result);

/// Orders rows for people: not ok before ok, then worst verdict, then severity, then id.
bool more_urgent(const Result& a, const Result& b);

/// Process exit code of a finished run (docs/formats.md): 0, 1, or 77 when everything was skipped.
int exit_code(const std::vector<Result>& results);

}  // namespace plumb
