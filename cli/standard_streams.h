#pragma once
// The three streams that every program begins with.

namespace cli {

/// Opens /dev/null in place of each of stdin, stdout and stderr that this process was started
/// without: the next file that it opens would be taken for one, and get its progress and errors.
void open_standard_streams() noexcept;

}  // namespace cli
