#include "scenarios/serving/smollm2_record.hpp"

#include <cstdio>
#include <stdexcept>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "scenarios/plot.hpp"
#include "scenarios/words.hpp"

namespace plumb::smollm2 {
namespace {

at::Tensor wide(const at::Tensor& x) { return x.to(at::kCPU, at::kDouble); }

double largest(const at::Tensor& x) { return x.abs().amax().item<double>(); }

bool is_finite(const at::Tensor& x) { return x.isfinite().all().item<bool>(); }

double largest_finite(const Trial& trial) { return traits(*format_of(trial.dtype())).max_finite; }

/// Enough digits for 65504.
std::string exactly(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Root mean square over tokens of |y - g| / |g|: no token, and so not the first with its huge
/// activations, outweighs the others.
double relative_error(const at::Tensor& y, const at::Tensor& g) {
  const at::Tensor truth = wide(g);
  const at::Tensor error = (wide(y) - truth).norm(2, -1) / truth.norm(2, -1);
  return error.square().mean().sqrt().item<double>();
}

/// What both passes predict.
struct Predictions {
  at::Tensor run, twin;          // log-probabilities [tokens, vocabulary]
  at::Tensor run_top, twin_top;  // the most probable token
  at::Tensor margin;             // of the twin's first over its second
  at::Tensor flipped;            // where the first differs
  at::Tensor next;               // the text's own next tokens

  explicit Predictions(const Evidence& e)
      : run(wide(e.run.at(kLogits)).log_softmax(-1)),
        twin(wide(e.twin.at(kLogits)).log_softmax(-1)),
        run_top(run.argmax(-1)),
        twin_top(twin.argmax(-1)),
        flipped(run_top.ne(twin_top)),
        next(at::tensor(e.tokens, at::kLong).slice(0, 1).unsqueeze(-1)) {
    const at::Tensor top2 = std::get<0>(twin.topk(2, -1));
    margin = top2.select(-1, 0) - top2.select(-1, 1);
  }

  double nll(const at::Tensor& log_probabilities) const {
    return -log_probabilities.slice(0, 0, -1).gather(-1, next).mean().item<double>();
  }

  /// argmax of NaN is an index too: "47 of 47 flipped" would be a statement about nothing.
  bool speaks() const { return is_finite(run); }

  std::string agreement() const {
    if (!speaks()) return "none: the logits are not finite";
    const auto flips = flipped.sum().item<std::int64_t>();
    return std::to_string(flipped.numel() - flips) + " of " + std::to_string(flipped.numel());
  }

  Cell smallest_flipped_margin() const {
    if (!speaks()) return "";
    const at::Tensor margins = margin.masked_select(flipped);
    if (margins.numel() == 0) return "none flipped";
    return margins.min().item<double>();
  }
};

/// The block that makes the largest residual grow most.
std::string greatest_growth(const Record& run) {
  double best = 0;
  std::string text;
  for (int block = 1; block < run.blocks(); ++block) {
    const double before = largest(run.at(kAfterMlp, block - 1));
    const double after = largest(run.at(kAfterMlp, block));
    if (!(after / before > best)) continue;
    best = after / before;
    text = "block " + std::to_string(block) + ": " + exactly(before) + " to " + exactly(after);
  }
  return text;
}

void add_flips(Trial& trial, const Predictions& p, const Vocabulary& vocabulary) {
  if (!p.speaks()) return;
  std::vector<std::vector<Cell>> rows;
  const at::Tensor places = p.flipped.nonzero().flatten();
  for (std::int64_t i = 0; i < places.numel(); ++i) {
    const auto at = places[i].item<std::int64_t>();
    rows.push_back({double(at), vocabulary.text({p.twin_top[at].item<std::int64_t>()}),
                    vocabulary.text({p.run_top[at].item<std::int64_t>()}),
                    p.margin[at].item<double>()});
  }
  if (rows.empty()) return;
  trial.table("flipped predictions", {"position", "float64 twin", "this type", "top-2 margin"},
              std::move(rows));
}

void add_series(Trial& trial, const Evidence& e) {
  std::vector<double> headroom;
  std::vector<double> error;
  for (int block = 0; block < e.run.blocks(); ++block) {
    headroom.push_back(largest_finite(trial) / largest(e.run.at(kAfterMlp, block)));
    error.push_back(relative_error(e.run.at(kAfterMlp, block), e.twin.at(kAfterMlp, block)));
  }
  plot(trial, "headroom by block: largest finite / largest residual", headroom);
  plot(trial, "relative error of the residual by block", error);
}

}  // namespace

const at::Tensor& Record::at(std::string_view name, int block) const {
  for (const Seen& seen : seen_) {
    if (seen.place.name == name && seen.place.block == block) return seen.value;
  }
  throw std::out_of_range("no tensor called '" + std::string(name) + "' was met");
}

Record::Peak Record::peak(std::string_view name) const {
  Peak peak;
  for (const Seen& seen : seen_) {
    if (seen.place.name != name) continue;
    const double value = largest(seen.value);
    if (std::isnan(value)) return {value, seen.place.block};
    if (value > peak.value) peak = {value, seen.place.block};
  }
  return peak;
}

int Record::blocks() const {
  int blocks = 0;
  for (const Seen& seen : seen_) blocks = std::max(blocks, seen.place.block + 1);
  return blocks;
}

std::vector<at::Tensor> Record::ones() const {
  std::vector<at::Tensor> ones;
  for (const Seen& seen : seen_) {
    if (seen.place.name != kLogits) ones.push_back(at::ones_like(seen.value));
  }
  return ones;
}

const Record::Seen* Record::first_nonfinite() const {
  for (const Seen& seen : seen_) {
    if (!is_finite(seen.value)) return &seen;
  }
  return nullptr;
}

std::string add_figures(Trial& trial, const Evidence& e) {
  const Predictions p(e);
  const double limit = largest_finite(trial);
  const auto peak = [](const Record& record, std::string_view name) {
    return Cell(record.peak(name).value);
  };
  const Record::Peak residual = e.run.peak(kAfterMlp);
  const double divergence = (p.twin.exp() * (p.twin - p.run)).sum(-1).mean().item<double>();
  trial.table("figures", {"figure", "this type", "float64 twin"},
              {{"NLL per token", p.nll(p.run), p.nll(p.twin)},
               {"mean KL divergence from the twin", divergence, 0.0},
               {"top-1 agreement with the twin", p.agreement(), ""},
               {"smallest top-2 margin where flipped", p.smallest_flipped_margin(), ""},
               {"largest attention score", peak(e.run, kScores), peak(e.twin, kScores)},
               {"largest MLP product", peak(e.run, kProduct), peak(e.twin, kProduct)},
               {"largest residual", peak(e.run, kAfterMlp), peak(e.twin, kAfterMlp)},
               {"smallest headroom", limit / residual.value, limit / e.twin.peak(kAfterMlp).value},
               {"greatest growth", greatest_growth(e.run), greatest_growth(e.twin)}});
  add_flips(trial, p, e.vocabulary);
  add_series(trial, e);
  return "NLL " + exactly(p.nll(p.run)) + " (float64 " + exactly(p.nll(p.twin)) + "), top-1 " +
         p.agreement() + ", headroom " + brief(limit / residual.value) + " at block " +
         std::to_string(residual.block);
}

void blame_first_nonfinite(Trial& trial, const Evidence& e) {
  const at::Tensor bad_rows = e.run.at(kLogits).isfinite().all(-1).logical_not().cpu();
  const Record::Seen* first = e.run.first_nonfinite();
  const bool reaches_logits = bad_rows.any().item<bool>() && is_finite(e.twin.at(kLogits));
  if (first == nullptr || !reaches_logits) return;
  const at::Tensor bad = first->value.isfinite().logical_not().cpu();
  const at::Tensor index = bad.nonzero()[0];
  at::Tensor right = e.twin.at(first->place.name, first->place.block);
  for (std::int64_t d = 0; d < index.numel(); ++d) right = right[index[d].item<std::int64_t>()];
  // Tensors of the attention are [heads, tokens, …], all others [tokens, …].
  const auto token = index[index.numel() == 3 ? 1 : 0].item<std::int64_t>();
  const auto decoded = e.run.at(kLogits)[-1].argmax().item<std::int64_t>();
  const auto count = [](const at::Tensor& flags) {
    return std::to_string(flags.sum().item<std::int64_t>()) + " of " +
           std::to_string(flags.numel());
  };
  trial.conclude(Verdict::nonfinite, describe(first->place),
                 describe(first->place) + " is the first tensor that is not finite: " + count(bad) +
                     " elements, first at token " + std::to_string(token) + " '" +
                     e.vocabulary.text({e.tokens[std::size_t(token)]}) +
                     "', where the float64 twin has " + exactly(right.item<double>()) + " and " +
                     dtype_name(trial.dtype()) + " ends at " + exactly(largest_finite(trial)) +
                     "; it makes " + count(bad_rows) +
                     " rows of the logits NaN, whose argmax decodes '" +
                     e.vocabulary.text({decoded}) + "' all the same");
}

}  // namespace plumb::smollm2
