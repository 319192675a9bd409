#pragma once
// Some lines at the bottom of a terminal that take the place of each other.

#include <string>
#include <vector>

namespace cli {

/// Not thread-safe. Writes to a descriptor that is a terminal.
class LiveBlock {
 public:
  explicit LiveBlock(int fd) : fd_(fd) {}

  /// Rows and columns that lines may take.
  [[nodiscard]] int width() const;
  [[nodiscard]] int rows() const;

  /// Replaces the lines of the last time. None is wider than width().
  void paint(const std::vector<std::string>& lines);
  /// Takes the lines away, so that something else may be written there.
  void clear();
  /// Leaves what is shown where it is; the next lines come below.
  void forget() { painted_ = 0; }

 private:
  int fd_;
  int painted_ = 0;        ///< lines
  int painted_width_ = 0;  ///< of the terminal then
};

}  // namespace cli
