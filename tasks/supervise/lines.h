// What the supervisor and the library that it loads into a program agree on.
#pragma once

namespace tasks {

/// The library, beside the supervisor.
inline constexpr char kLinesLibrary[] = "trellis-lines.so";

/// The pipe that the program prints into, as /proc calls it.
inline constexpr char kLinesVariable[] = "TRELLIS_OUTPUT";

}  // namespace tasks
