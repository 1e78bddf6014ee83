#include "reports/console.hpp"

#include <algorithm>
#include <array>

#include "harness/text.hpp"
#include "reports/text.hpp"
#include "reports/words.hpp"

namespace plumb {
namespace {

constexpr std::size_t kStatusWidth = 11;   // "as expected"
constexpr std::size_t kVerdictWidth = 16;  // "invariant-broken"
constexpr std::string_view kGap = "  ";

/// Columns on a terminal, taking one per code point.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// Exactly `width` columns: padded, or cut and ended by "…".
std::string fit(std::string text, std::size_t width) {
  if (width_of(text) > width) {
    while (width_of(text) >= std::max<std::size_t>(width, 1)) {
      while ((static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
      text.pop_back();
    }
    text += "…";
  }
  return text + std::string(width - std::min(width, width_of(text)), ' ');
}

/// The same for "name/arm": the arm tells more than the end of the name.
std::string fit_name(const std::string& text, std::size_t width) {
  const std::size_t slash = text.rfind('/');
  const std::string arm = slash == std::string::npos ? "" : text.substr(slash);
  if (arm.empty() || width_of(text) <= width || width_of(arm) + 4 > width) return fit(text, width);
  return fit(text.substr(0, slash), width - width_of(arm)) + arm;
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string painted(const std::string& text, Status status, bool colour) {
  if (!colour) return text;
  constexpr std::array<std::string_view, 4> kCodes = {"\x1b[1;31m", "\x1b[33m", "\x1b[32m",
                                                      "\x1b[2m"};
  return std::string(kCodes[static_cast<std::size_t>(status)]) + text + "\x1b[0m";
}

std::string badge(const Result& result, bool colour) {
  const std::string word(to_string(status(result)));
  return painted(fit(word, kStatusWidth), status(result), colour) + std::string(kGap) +
         fit(std::string(to_string(result.verdict)), kVerdictWidth) + std::string(kGap);
}

using Cells = std::array<std::string, 5>;  // what, operator, how, r, how many

/// The most urgent result speaks for its group.
Cells cells(const Group& group) {
  const Result& result = *group.front();
  std::string how = dtypes_of(group);
  if (result.variant != "eager") how += " " + one_line(result.variant);
  if (result.device != "cpu") how += " " + one_line(result.device);
  std::string op = one_line(result.op);
  if (op.starts_with("aten::")) op.erase(0, 6);
  const std::string r = r_text(result);
  return {name_and_arm(result), op, how, r.empty() ? "" : "r " + r,
          group.size() > 1 ? "×" + std::to_string(group.size()) : ""};
}

/// The widths the cells ask for, with operators and names shortened until the row fits; on a narrow
/// terminal columns are left out (width 0), the least telling first.
std::array<std::size_t, 5> column_widths(const std::vector<Cells>& rows, std::size_t room) {
  std::array<std::size_t, 5> widths{};
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  constexpr std::size_t kLeast = 12;  // of a column that is shortened
  std::size_t fixed = kStatusWidth + kVerdictWidth + 5 * kGap.size() + widths[2] + widths[3];
  if (widths[4] > 0) fixed += kGap.size() + widths[4];
  const auto left = [&] { return room > fixed ? room - fixed : 0; };
  // The operator gives way first: the name is what a person looks for.
  for (const std::size_t column : {1, 2, 3}) {
    const std::size_t name = column == 1 ? widths[0] : std::min(widths[0], kLeast);
    if (left() >= name + std::min(widths[1], kLeast)) break;
    fixed -= std::min(fixed, (column == 1 ? 0 : widths[column]) + kGap.size());
    widths[column] = 0;
  }
  const std::size_t most = std::max(left(), kLeast);
  if (widths[1] > 0) {
    widths[1] = std::min(widths[1], std::max(most - std::min(most, widths[0]), kLeast));
  }
  widths[0] = std::min(widths[0], most - widths[1]);
  return widths;
}

/// Text broken between words, so that nothing is cut away, each line behind `columns` spaces.
std::string indented(const std::string& text, std::size_t columns, std::size_t width) {
  const std::string indent(columns, ' ');
  std::string lines, line;
  for (const std::string& word : split(text, ' ')) {
    const bool full = columns + width_of(line) + 1 + width_of(word) > width;
    if (full && !line.empty()) {
      lines += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? lines : lines + indent + line + "\n";
}

/// As a person can paste it where they are.
std::string replay_of(const Result& result, const ConsoleStyle& style) {
  std::string replay = printable(result.replay);
  if (replay.starts_with("plumb ")) replay.replace(0, 5, style.program);
  return replay;
}

/// `replays`: below each failure the command that shows it again.
std::string table(const std::vector<Group>& groups, const ConsoleStyle& style, bool replays) {
  std::vector<Cells> rows;
  for (const Group& group : groups) rows.push_back(cells(group));
  const std::array<std::size_t, 5> widths = column_widths(rows, style.width);
  const std::string indent(kStatusWidth + kGap.size(), ' ');
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Result& result = *groups[i].front();
    std::string line = badge(result, style.colour);
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] == 0) continue;
      line += c == 0 ? fit_name(rows[i][c], widths[c]) : fit(rows[i][c], widths[c]);
      line += kGap;
    }
    text += trimmed(line) + "\n";
    if (result.ok && status(result) != Status::not_judged) continue;
    // What went wrong, or why nothing can be said.
    const std::string where = place(result);
    const std::string message = one_line(result.message);
    text += indented(where + (where.empty() || message.empty() ? "" : ": ") + message,
                     indent.size(), style.width);
    // Never broken into lines: it is there to be pasted.
    if (replays && !result.ok && !result.replay.empty()) {
      text += indent + replay_of(result, style) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string result_line(const Result& result, bool colour) {
  std::string line = badge(result, colour) + one_line(result.id);
  if (const std::string r = r_text(result); !r.empty()) line += std::string(kGap) + "r " + r;
  if (const std::string where = place(result); !where.empty()) line += std::string(kGap) + where;
  const bool explain = !result.ok || status(result) == Status::not_judged;
  if (explain && !result.message.empty()) line += ": " + one_line(result.message);
  return line;
}

std::string summary(const Report& report, const ConsoleStyle& style) {
  std::vector<Group> shown = by_cause(report);
  const std::size_t all = shown.size();
  const auto first_ok = std::find_if(shown.begin(), shown.end(),
                                     [](const Group& group) { return group.front()->ok; });
  const auto bad = static_cast<std::size_t>(first_ok - shown.begin());
  const bool merged =
      std::any_of(shown.begin(), first_ok, [](const Group& group) { return group.size() > 1; });
  shown.resize(style.listed ? bad : std::min(all, std::max(bad, style.most_rows)));

  std::string text;
  if (style.listed) {
    for (const Result* result : by_urgency(report)) text += result_line(*result) + "\n";
    // What the list does not show is what belongs together.
    if (merged) text += "\nthe failures, one line for what likely has one cause:\n";
  }
  if (!style.listed || merged) text += table(shown, style, bad > 1);
  if (!style.listed && shown.size() < all) {
    text += "… and " + std::to_string(all - shown.size()) + " more that are ok\n";
  }
  if (all > 0) text += "\n";
  text += headline(report) + "\n";
  for (const Tally& tally : tallies(report)) {
    if (tally.count == 0) continue;
    const std::string word = fit(std::string(to_string(tally.status)), kStatusWidth);
    const std::size_t columns = kStatusWidth + 2 * kGap.size();
    text += std::string(kGap) + painted(word, tally.status, style.colour) + std::string(kGap) +
            indented(tally.verdicts, columns, style.width).substr(columns);
  }
  if (bad > 0 && !shown.front().front()->replay.empty()) {
    const bool only = bad == 1 && !merged;
    text += (only ? "replay it: " : "replay the worst: ") +
            replay_of(*shown.front().front(), style) + "\n";
  }
  return text;
}

}  // namespace plumb
