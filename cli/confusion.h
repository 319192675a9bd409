#pragma once
// What a network took for what, as people read it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cli {

/// Rows of a class that were taken for another one.
struct Mistake {
  std::int64_t rows = 0;
  std::size_t truth = 0, given = 0;
};

/// A table of `counts` (row by true class, column by given one); of more than 12 classes the
/// mistakes made most often instead. One line each, with line ends.
[[nodiscard]] std::string confusion_lines(const std::vector<std::string>& classes,
                                          const std::vector<std::vector<std::int64_t>>& counts);

/// The first ten of these mistakes, a line each.
[[nodiscard]] std::string mistake_lines(const std::vector<std::string>& classes,
                                        const std::vector<Mistake>& mistakes);

}  // namespace cli
