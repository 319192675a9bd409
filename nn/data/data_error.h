#pragma once
// The one exception of the data loaders.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace nn {

/// A data file, or what a study says about it, cannot be used (kind: data). what() is one line,
/// `path:line:column: text`; line and column count from 1 (bytes, so that an editor jumps there)
/// and are left out when 0.
class DataError : public base::Error {
 public:
  DataError(std::string path, std::size_t line, std::size_t column, const std::string& text);
  DataError(std::string path, const std::string& text) : DataError(std::move(path), 0, 0, text) {}

  /// The same with more at the end of its text.
  [[nodiscard]] DataError with(const std::string& more) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] std::size_t column() const { return column_; }

 private:
  std::string path_, text_;
  std::size_t line_, column_;
};

/// Text out of a file as it may stand in a message: in quotes, on one line, control characters
/// escaped, cut after `longest` bytes (not inside a UTF-8 character).
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t longest = 40);

/// ", did you mean 'age'?" for the nearest of the names, or "" where none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> names);

/// "17 bytes", or "3 MiB" from one MiB on.
[[nodiscard]] std::string size_text(std::size_t bytes);

}  // namespace nn
