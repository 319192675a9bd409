#pragma once
// Why the system would not start a program.

#include <string>

namespace hpo {

/// "cannot be started: REASON", with what stands in the way of a script or a program for another
/// machine. `path`: the executable; `error`: the errno value of exec.
[[nodiscard]] std::string start_failure(const std::string& path, int error);

}  // namespace hpo
