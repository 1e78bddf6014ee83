#pragma once

#include <concepts>
#include <string>
#include <type_traits>

#include "harness/result.hpp"

/// The fields of each record of results.json in the order of the file: the only place that lists
/// them, so that writing and reading cannot drift apart. `visit(name, value)` gets const values
/// when the record is const.
namespace plumb::fields {

/// A string that is null in the file while it is empty: computed, but not for every result.
template <typename String>
struct OrNull {
  String& text;
};

template <typename String>
OrNull(String&) -> OrNull<String>;  // clang 14 does not deduce for aggregates

template <typename R, typename Record>
concept MaybeConst = std::same_as<std::remove_const_t<R>, Record>;

template <typename T>
concept Record = MaybeConst<T, Environment> || MaybeConst<T, Series> || MaybeConst<T, Table> ||
    MaybeConst<T, Result>;

template <MaybeConst<Result> R, typename Visit>
void each_field(R& r, Visit&& visit) {
  visit("id", r.id);
  visit("name", r.name);
  visit("arm", r.arm);
  visit("op", r.op);
  visit("variant", r.variant);
  visit("dtype", r.dtype);
  visit("device", r.device);
  visit("oracle", r.oracle);
  visit("seed", r.seed);
  visit("threads", r.threads);
  visit("verdict", r.verdict);
  visit("expected", r.expected);
  visit("ok", r.ok);
  visit("where", OrNull{r.where});
  visit("scope", OrNull{r.scope});
  visit("severity", r.severity);
  visit("r", r.r);
  visit("rho", r.rho);
  visit("r_eager", r.r_eager);
  visit("lost_bits", r.lost_bits);
  visit("max_abs", r.max_abs);
  visit("max_rel", r.max_rel);
  visit("max_ulp", r.max_ulp);
  visit("nmse", r.nmse);
  visit("nan", r.nan);
  visit("inf", r.inf);
  visit("worst_index", r.worst_index);
  visit("path", r.path);
  visit("path_hash", OrNull{r.path_hash});
  visit("digest", OrNull{r.digest});
  visit("tags", r.tags);
  visit("seconds", r.seconds);
  visit("oracle_seconds", r.oracle_seconds);
  visit("message", r.message);
  visit("replay", r.replay);
  visit("series", r.series);
  visit("tables", r.tables);
}

template <MaybeConst<Environment> R, typename Visit>
void each_field(R& e, Visit&& visit) {
  visit("plumb", e.plumb);
  visit("git", e.git);
  visit("torch", e.torch);
  visit("cuda", OrNull{e.cuda});
  visit("cublas", OrNull{e.cublas});
  visit("driver", OrNull{e.driver});
  visit("cpu_capability", e.cpu_capability);
  visit("threads", e.threads);
  visit("seed", e.seed);
  visit("time", e.time);
}

template <MaybeConst<Series> R, typename Visit>
void each_field(R& s, Visit&& visit) {
  visit("name", s.name);
  visit("x", s.x);
  visit("y", s.y);
}

template <MaybeConst<Table> R, typename Visit>
void each_field(R& t, Visit&& visit) {
  visit("name", t.name);
  visit("columns", t.columns);
  visit("rows", t.rows);
}

}  // namespace plumb::fields
