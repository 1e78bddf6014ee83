#include "bench/verdict/tally.hpp"

#include <cstdio>

namespace plumb::bench {
namespace {

using Row = std::vector<std::string>;

std::string share(int part, int whole, int digits = 4) {
  if (whole == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, static_cast<double>(part) / whole);
  return text;
}

std::string rounded(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// Columns of UTF-8 text that a terminal shows.
std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return width;
}

std::string line_of(const Row& row, const std::vector<std::size_t>& widths, bool markdown) {
  std::string line = markdown ? "|" : "";
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string padding(widths[i] - width_of(row[i]), ' ');
    const std::string cell = i == 0 ? row[i] + padding : padding + row[i];
    line += markdown ? " " + cell + " |" : cell + (i + 1 < row.size() ? "  " : "");
  }
  return line + "\n";
}

std::string table_of(const std::vector<Row>& rows, bool markdown) {
  std::vector<std::size_t> widths(rows[0].size(), 3);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text = line_of(rows[0], widths, markdown);
  Row rule;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    rule.push_back(std::string(widths[i] - 1, '-') + (markdown && i > 0 ? ":" : "-"));
  }
  text += line_of(rule, widths, markdown);
  for (std::size_t i = 1; i < rows.size(); ++i) text += line_of(rows[i], widths, markdown);
  return text;
}

}  // namespace

void RuleTally::add_healthy(Opinion opinion, bool ill_conditioned) {
  if (opinion == Opinion::undecided) ++undecided;
  if (opinion != Opinion::alarm) return;
  ++false_alarms;
  if (ill_conditioned) ++false_alarms_ill;
}

void RuleTally::add_planted(Opinion opinion, Harm harm) {
  if (opinion == Opinion::undecided) ++undecided;
  if (opinion != Opinion::alarm) return;
  ++caught;
  if (harm == Harm::precision) ++caught_precision;
}

double RuleTally::precision() const {
  return caught == 0 ? 0 : static_cast<double>(caught) / (caught + false_alarms);
}

double Tally::recall(const RuleTally& rule) const {
  return planted == 0 ? 0 : static_cast<double>(rule.caught) / planted;
}

std::string rule_table(const Tally& tally, bool markdown) {
  std::vector<Row> rows = {{"rule", "recall", "precision", "false alarms", "ill-conditioned",
                            "precision bugs", "undecided", "µs per output"}};
  const int outputs = tally.healthy + tally.planted;
  for (const RuleTally& rule : tally.rules) {
    rows.push_back({rule.name, share(rule.caught, tally.planted), rounded(rule.precision(), 4),
                    share(rule.false_alarms, tally.healthy),
                    share(rule.false_alarms_ill, tally.healthy_ill),
                    share(rule.caught_precision, tally.planted_precision),
                    share(rule.undecided, outputs), rounded(rule.seconds * 1e6 / outputs, 1)});
  }
  return table_of(rows, markdown);
}

std::string kind_table(const Tally& tally, bool markdown) {
  std::vector<Row> rows = {{"bug", "planted", "excluded", "caught", "missed"}};
  KindTally all;
  for (const auto& [kind, count] : tally.kinds) {
    rows.push_back({kind, std::to_string(count.planted), std::to_string(count.excluded),
                    std::to_string(count.caught), std::to_string(count.missed)});
    all.planted += count.planted, all.excluded += count.excluded;
    all.caught += count.caught, all.missed += count.missed;
  }
  rows.push_back({"all", std::to_string(all.planted), std::to_string(all.excluded),
                  std::to_string(all.caught), std::to_string(all.missed)});
  return table_of(rows, markdown);
}

}  // namespace plumb::bench
