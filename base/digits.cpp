#include "base/digits.h"

#include <charconv>

namespace base {

double rounded_to_digits(double x, int digits) {
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, digits - 1).ptr;
  double rounded = x;
  std::from_chars(text, end, rounded);
  return rounded;
}

}  // namespace base
