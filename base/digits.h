// Decimal digits of a double. Thread-safe; no locale is ever used.
#pragma once

namespace base {

/// The nearest double with so many significant decimal digits, from 1 to 17.
[[nodiscard]] double rounded_to_digits(double x, int digits);

}  // namespace base
