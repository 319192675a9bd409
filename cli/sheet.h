#pragma once
// A page of labelled paragraphs, as `check` prints what it found.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

/// Lines that a page takes where it has to fit a screen.
inline constexpr std::size_t kScreen = 40;

class Sheet {
 public:
  explicit Sheet(std::string title) : title_(std::move(title)) {}

  /// Adds a paragraph under `label`, or under the one before where that is the same. Adds nothing
  /// if `text` is empty. Control characters become printable.
  void add(std::string_view label, const std::string& text);
  void add(std::string_view label, const std::vector<std::string>& texts);

  /// The page with each paragraph on one line, however long.
  [[nodiscard]] std::string text() const;
  /// The page wrapped to `width` columns. The longest paragraphs are cut, with an ellipsis, until
  /// the page has at most `most` lines, or each paragraph one.
  [[nodiscard]] std::string wrapped(std::size_t width, std::size_t most = kScreen) const;

 private:
  struct Paragraph {
    std::string label;  ///< empty: as the one before
    std::string text;
  };
  std::string title_, last_;
  std::vector<Paragraph> paragraphs_;
};

}  // namespace cli
