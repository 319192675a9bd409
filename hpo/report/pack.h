#pragma once
// Columns of numbers as text: the bytes of each column by their place in the number, compressed,
// in base64. Equal columns give equal texts.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpo::report {

/// Collects columns, which page/data.js reads in the same order.
class Pack {
 public:
  void bytes(std::string_view name, std::span<const std::uint8_t> column);
  /// Whole numbers; what does not fit becomes 2^32 - 1.
  void whole(std::string_view name, std::span<const std::int64_t> column);
  /// As f32. `short_mantissa`: to 5 digits, which packs better.
  void floats(std::string_view name, std::span<const double> column, bool short_mantissa = false);

  /// [["state", "u1", 60], ...]: a name, a type and a length each, as JSON.
  [[nodiscard]] std::string contents() const { return "[" + contents_ + "]"; }
  /// Compressed, in base64.
  [[nodiscard]] std::string text() const;

 private:
  void add(std::string_view name, std::string_view type, std::size_t length);
  void planes(std::span<const std::uint32_t> words);

  std::string contents_;
  std::vector<std::uint8_t> raw_;
};

[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace hpo::report
