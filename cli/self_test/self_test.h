#pragma once
// `doctor --self-test`: whether this program keeps its promises on this machine.

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// The outcome of one check.
struct SelfCheck {
  std::string name;
  bool passed = false;
  std::string found;  ///< one line for people: what was seen, or what was wrong
  double seconds = 0;
};

/// Names of all checks, in the order in which they run.
[[nodiscard]] std::vector<std::string> self_check_names();

inline constexpr std::string_view kAllChecks = "all";

/// Runs kAllChecks, or the one of that name. They start this program in a temporary folder: a
/// program that crashes, hangs or cannot start is a check that failed. Takes a minute at most.
/// Throws base::Error: usage for another name, storage if the folder cannot be made.
[[nodiscard]] std::vector<SelfCheck> self_test(const std::string& which);

/// Runs the study of the checks once and returns the checksum of its export: the value that
/// tests/golden keeps for each instruction set. Throws base::Error.
[[nodiscard]] std::string self_test_checksum();

}  // namespace cli
