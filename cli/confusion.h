#pragma once
// What a network took for what, as people read it.

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

/// A table of `counts` (row by true class, column by given one); of more than 12 classes the
/// mistakes made most often instead. One line each, with line ends.
[[nodiscard]] std::string confusion_lines(const std::vector<std::string>& classes,
                                          const std::vector<std::vector<std::int64_t>>& counts);

}  // namespace cli
