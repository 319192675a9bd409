#pragma once
// Kernels against the oracle, on numbers for which every right answer is known.

#include <string>

namespace cli {

/// Runs products and convolutions of whole numbers, whose sums no order of summation changes, and
/// functions of real ones, on so many threads at once. Returns what came out wrong, or an empty
/// text. The answer depends on neither processor nor libraries.
[[nodiscard]] std::string wrong_arithmetic(int threads);

}  // namespace cli
