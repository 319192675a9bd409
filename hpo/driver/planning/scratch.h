#pragma once
// Where the log of a simulated study is put.

#include <filesystem>

#include "base/file.h"

namespace hpo {

/// Memory, because the log is deleted after the simulation.
[[nodiscard]] inline base::Path scratch_parent() {
  const base::Path memory = "/dev/shm";
  return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
}

}  // namespace hpo
