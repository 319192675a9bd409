#pragma once
// Checksums that tests/golden keeps, as part of the program.

#include <span>
#include <string_view>

namespace cli {

/// The checksum of the self-test's study under one instruction set.
struct GoldenValue {
  std::string_view isa;
  std::string_view arithmetic;  ///< kern::fingerprint() without the number of the kernels
  std::string_view checksum;
};

/// All that are kept. golden_values.py writes this function when the program is built.
[[nodiscard]] std::span<const GoldenValue> golden_values();

}  // namespace cli
