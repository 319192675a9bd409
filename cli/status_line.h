#pragma once
// What goes to stderr while something runs: whole lines, and on a terminal one line at the bottom
// that repaints itself.

#include <string>

namespace cli {

/// Not thread-safe. Quiet: nothing is printed.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  [[nodiscard]] bool quiet() const { return quiet_; }
  /// Whether paint() is wanted; where it is not, lines say what it would.
  [[nodiscard]] bool live() const { return live_; }

  /// One line for good, above the painted one.
  void line(const std::string& text);
  /// Replaces the painted line, cut to the terminal's width. Only when live().
  void paint(const std::string& text);
  /// Takes the painted line away, so that results start on a fresh one.
  void clear();

 private:
  bool quiet_, live_, painted_ = false;
};

}  // namespace cli
