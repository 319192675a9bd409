#pragma once
// What was taken for what.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nn {

/// Rows by their class and by the class that a network gave them. Encodable.
struct Confusion {
  std::int64_t classes = 0;
  std::vector<std::int64_t> counts;  ///< [classes, classes]: row by true class, column by given one
  std::vector<std::int64_t> none;    ///< [classes]: rows of a class that were given no class
  auto operator<=>(const Confusion&) const = default;

  [[nodiscard]] std::int64_t at(std::size_t truth, std::size_t given) const {
    return counts[truth * static_cast<std::size_t>(classes) + given];
  }
  /// Rows of a class, and rows that were given it.
  [[nodiscard]] std::int64_t of_class(std::size_t truth) const;
  [[nodiscard]] std::int64_t given(std::size_t column) const;
};

/// Classes that `width` outputs a row tell apart: one each, or two by one output, which is the
/// logit of the second.
[[nodiscard]] constexpr std::size_t classes_of(std::size_t width) { return width == 1 ? 2 : width; }

/// The class that a row of outputs means: the first largest one, of one output the second where it
/// is above 0; -1 where an output is no number.
[[nodiscard]] std::int32_t class_of(std::span<const float> outputs);

/// Counts `labels.size()` rows of `width` outputs each.
[[nodiscard]] Confusion count_confusion(std::span<const float> outputs,
                                        std::span<const std::int32_t> labels, std::size_t width);

}  // namespace nn
