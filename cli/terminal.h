#pragma once
// What the terminal can show. Results go to stdout, progress to stderr; colour (of states) and live
// display only on a terminal.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Seconds between two lines of progress where the display cannot repaint itself.
inline constexpr double kPlainPeriod = 5.0;

/// True when progress may repaint itself: stderr is a terminal that understands it (TERM is set and
/// not "dumb").
[[nodiscard]] bool live_display();
/// Columns of the terminal that a descriptor leads to, by default stderr; 80 when unknown.
[[nodiscard]] int terminal_width(int fd = 2);

/// Whether results may be coloured: stdout is a terminal, TERM is not "dumb" and NO_COLOR (see
/// no-color.org) is not set.
[[nodiscard]] bool coloured_results();
/// The same for progress, which goes to stderr.
[[nodiscard]] bool coloured_progress();
/// Whether results may take the place of older ones: stdout is a terminal and TERM is not "dumb".
[[nodiscard]] bool repaints_results();
/// A state's word (or what begins with it) in its colour: complete and finished green, running
/// cyan, stopped and interrupted yellow, failed red. As it is where results are not coloured.
[[nodiscard]] std::string tinted(std::string_view state);

/// Columns that a text takes: its code points; colours (ESC [ ... m) take none.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Text cut to `width` columns, with an ellipsis when something was lost. Counts code points;
/// colours take no room and stay.
[[nodiscard]] std::string clip(std::string_view text, int width);

/// Columns padded to their widest cell, two spaces apart; cells that are numbers are set flush
/// right, but for those of the first `names` columns; colours take no room.
class Table {
 public:
  explicit Table(std::vector<std::string> header, std::size_t names = 0)
      : names_(names), rows_{std::move(header)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string text() const;

 private:
  std::size_t names_;
  std::vector<std::vector<std::string>> rows_;
};

/// 0.9532 -> "0.9532": a value as people read it, four significant digits or fewer.
[[nodiscard]] std::string short_number(double value);
/// 0.96551724137931039 -> "0.965517": a result as people read it, six significant digits or fewer;
/// --json has all of them.
[[nodiscard]] std::string result_number(double value);
/// 3725 -> "1h 02m", 65 -> "1m 05s", 1.234 -> "1.2s".
[[nodiscard]] std::string short_seconds(double seconds);
/// 1.5e9 -> "1.5 G"; `unit` follows.
[[nodiscard]] std::string short_amount(double amount, std::string_view unit);

}  // namespace cli
