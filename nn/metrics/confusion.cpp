#include "nn/metrics/confusion.h"

#include <algorithm>
#include <cmath>

namespace nn {

std::int64_t Confusion::of_class(std::size_t truth) const {
  std::int64_t rows = none[truth];
  for (std::size_t c = 0; c < none.size(); ++c) rows += at(truth, c);
  return rows;
}

std::int64_t Confusion::given(std::size_t column) const {
  std::int64_t rows = 0;
  for (std::size_t c = 0; c < none.size(); ++c) rows += at(c, column);
  return rows;
}

std::int32_t class_of(std::span<const float> outputs) {
  const auto finite = [](float v) { return std::isfinite(v); };
  if (!std::ranges::all_of(outputs, finite)) return -1;
  return static_cast<std::int32_t>(std::ranges::max_element(outputs) - outputs.begin());
}

Confusion count_confusion(std::span<const float> outputs, std::span<const std::int32_t> labels,
                          std::size_t classes) {
  Confusion out{.classes = static_cast<std::int64_t>(classes),
                .counts = std::vector<std::int64_t>(classes * classes),
                .none = std::vector<std::int64_t>(classes)};
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const std::int32_t given = class_of(outputs.subspan(row * classes, classes));
    const auto truth = static_cast<std::size_t>(labels[row]);
    if (given < 0) {
      ++out.none[truth];
    } else {
      ++out.counts[truth * classes + static_cast<std::size_t>(given)];
    }
  }
  return out;
}

}  // namespace nn
