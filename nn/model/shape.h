#pragma once
// The shape of one row of data, without the batch: a vector of features or an image in NHWC order.

#include <cstdint>
#include <string>
#include <vector>

namespace nn {

/// dims is {features} or {height, width, channels}; empty means "not known". Encodable.
struct Shape {
  std::vector<std::int32_t> dims;

  [[nodiscard]] static Shape features(std::int64_t count) {
    return {{static_cast<std::int32_t>(count)}};
  }
  [[nodiscard]] static Shape image(std::int64_t height, std::int64_t width, std::int64_t channels) {
    return {{static_cast<std::int32_t>(height), static_cast<std::int32_t>(width),
             static_cast<std::int32_t>(channels)}};
  }

  [[nodiscard]] bool is_image() const noexcept { return dims.size() == 3; }
  [[nodiscard]] std::int32_t height() const { return dims.at(0); }
  [[nodiscard]] std::int32_t width() const { return dims.at(1); }
  [[nodiscard]] std::int32_t channels() const { return dims.at(2); }

  /// Numbers in one row; 0 for an unknown shape.
  [[nodiscard]] std::int64_t elements() const noexcept {
    std::int64_t count = dims.empty() ? 0 : 1;
    for (const auto d : dims) count *= d;
    return count;
  }

  /// "784" or "28x28x1".
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const auto d : dims) out += (out.empty() ? "" : "x") + std::to_string(d);
    return out;
  }

  auto operator<=>(const Shape&) const = default;
};

}  // namespace nn
