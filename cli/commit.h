#pragma once
// The commit that the program was built from.

namespace cli {

/// The commit as tools/commit.py names it; empty where nobody knows.
[[nodiscard]] const char* commit();

}  // namespace cli
