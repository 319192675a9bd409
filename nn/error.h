#pragma once
// The exceptions of nn/. Writing files throws base::Error, too.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/text.h"

namespace nn {

/// A spec, a value or a file that cannot be used. what() is one line: where, what, what was
/// expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Messages that may contain a file's words are cut at so many bytes.
inline constexpr std::size_t kLongestMessage = 1500;

/// An error in a model's description, of whose words some may be a file's: the message becomes one
/// line. `layer` is the index into ModelSpec::layers (-1: the model as a whole) and `field` the
/// name of the offending field (empty: the layer as a whole), so that a caller who knows the text
/// behind the spec can point at a line.
class SpecError : public Error {
 public:
  SpecError(int layer, std::string field, const std::string& message)
      : Error(base::printable(message, kLongestMessage)), layer_(layer), field_(std::move(field)) {}

  [[nodiscard]] int layer() const noexcept { return layer_; }
  [[nodiscard]] const std::string& field() const noexcept { return field_; }

 private:
  int layer_;
  std::string field_;
};

}  // namespace nn
