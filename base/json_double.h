#pragma once
// Doubles in model files.

#include <string>

namespace base {

/// Returns a decimal text that reads back as the same double and always has a point or an exponent:
/// "1.0", "0.0001", "1e-05", "1e+15"; "null" for NaN and infinities. The digits are those of
/// Grisu2 (Florian Loitsch, "Printing Floating-Point Numbers Quickly and Accurately with Integers",
/// PLDI 2010): in one of 300 cases they are not the shortest or nearest ones of format_double().
/// Files and keys of results have them, so they may not change.
[[nodiscard]] std::string json_double(double x);

}  // namespace base
