#pragma once
// What was taken for what.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nn {

/// More classes than anybody reads make no table.
inline constexpr std::size_t kMostConfused = 100;
/// Mistakes that are worth a line each.
inline constexpr std::size_t kMostMistakes = 10;

/// Rows by their class and by the class that a network gave them. Encodable.
struct Confusion {
  std::int64_t classes = 0;
  std::vector<std::int64_t> counts;  ///< [classes, classes]: row by true class, column by given one
  auto operator<=>(const Confusion&) const = default;

  [[nodiscard]] std::int64_t at(std::size_t truth, std::size_t given) const {
    return counts[truth * static_cast<std::size_t>(classes) + given];
  }
};

/// The class that a row of outputs means: the first largest one; -1 where one is no number.
[[nodiscard]] std::int32_t class_of(std::span<const float> outputs);

/// Counts `labels.size()` rows of `classes` outputs each. Rows that were given no class are nowhere
/// in the table.
[[nodiscard]] Confusion count_confusion(std::span<const float> outputs,
                                        std::span<const std::int32_t> labels, std::size_t classes);

/// The class that each row of outputs means, [rows].
[[nodiscard]] std::vector<std::int32_t> given_classes(std::span<const float> outputs,
                                                      std::size_t classes);

/// The same rows without the table.
struct ClassCounts {
  std::vector<std::int64_t> truth;  ///< [classes] rows of a class
  std::vector<std::int64_t> given;  ///< [classes] rows that were given it
  std::vector<std::int64_t> right;  ///< [classes] rows of it that were given it
};
[[nodiscard]] ClassCounts count_classes(std::span<const float> outputs,
                                        std::span<const std::int32_t> labels, std::size_t classes);

/// Counts rows of which row i counts `counts[i]` times; `given` as given_classes() returns it.
[[nodiscard]] ClassCounts count_classes(std::span<const std::int32_t> given,
                                        std::span<const std::int32_t> labels,
                                        std::span<const std::uint32_t> counts, std::size_t classes);

/// Rows of a class that were given another one.
struct Mistake {
  std::int64_t rows = 0;
  std::int32_t truth = 0, given = 0;
  auto operator<=>(const Mistake&) const = default;
};

/// The mistakes made most often, at most kMostMistakes, in descending order; those of equally many
/// rows by class, then by the class given.
[[nodiscard]] std::vector<Mistake> worst_mistakes(std::span<const float> outputs,
                                                  std::span<const std::int32_t> labels,
                                                  std::size_t classes);

}  // namespace nn
