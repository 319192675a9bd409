#pragma once
// What a terminal would show of a line of output.

#include <string>
#include <vector>

namespace hpo {

/// The lines that a reader sees of `line`: colors and other looks are left out; where the cursor
/// moves, as by a carriage return, or a part is wiped out, another line begins. Of a line with any
/// of that, empty lines are left out.
[[nodiscard]] std::vector<std::string> visible_lines(const std::string& line);

/// True if a line has nothing in it but blanks.
[[nodiscard]] bool is_blank(const std::string& line);

}  // namespace hpo
