#pragma once
// What nn/ adds to base::Error.

#include <cstddef>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace nn {

/// Messages that may contain a file's words are cut at so many bytes.
inline constexpr std::size_t kLongestMessage = 1500;

/// An error (study) in a model's description, of whose words some may be a file's: the message
/// becomes one line. `layer` is the index into ModelSpec::layers (-1: the model as a whole) and
/// `field` the name of the offending field (empty: the layer as a whole), so that a caller who
/// knows the text behind the spec can point at a line.
class SpecError : public base::Error {
 public:
  SpecError(int layer, std::string field, const std::string& message)
      : Error(base::Errc::study, base::printable(message, kLongestMessage)),
        layer_(layer),
        field_(std::move(field)) {}

  [[nodiscard]] int layer() const noexcept { return layer_; }
  [[nodiscard]] const std::string& field() const noexcept { return field_; }

 private:
  int layer_;
  std::string field_;
};

}  // namespace nn
