#pragma once
// The one exception type of nn/, and its messages.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace nn {

/// A spec, a value or a file that cannot be used. what() is one line: where, what, what was
/// expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Text fit for one line of a message: control characters escaped; what is longer than `longest`
/// bytes is cut, not inside a UTF-8 character, and ends in "...".
[[nodiscard]] std::string one_line(std::string_view text, std::size_t longest = 1500);

/// An error in a model's description, of whose words some may be a file's: the message becomes one
/// line. `layer` is the index into ModelSpec::layers (-1: the model as a whole) and `field` the
/// name of the offending field (empty: the layer as a whole), so that a caller who knows the text
/// behind the spec can point at a line.
class SpecError : public Error {
 public:
  SpecError(int layer, std::string field, const std::string& message)
      : Error(one_line(message)), layer_(layer), field_(std::move(field)) {}

  [[nodiscard]] int layer() const noexcept { return layer_; }
  [[nodiscard]] const std::string& field() const noexcept { return field_; }

 private:
  int layer_;
  std::string field_;
};

}  // namespace nn
