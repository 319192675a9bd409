#pragma once
// Files of a trial's folder, on their way between machines that share no folder.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"

namespace hpo {

/// Encodable.
struct TrialFile {
  std::string path;        ///< in the trial's folder
  std::uint32_t mode = 0;  ///< its permissions
  base::Bytes bytes;
};
/// Encodable.
struct TrialFiles {
  std::vector<TrialFile> files;
  std::uint64_t left_out = 0;  ///< regular files that are not among them
};

/// Bytes of files that travel at once.
inline constexpr std::uint64_t kMostTrialFiles = 1 << 30;

/// The regular files that a trial's program left in its folder: its checkpoints, and with `all` the
/// others, but for parameters, reports and logs. Those that cannot be read, or are more than
/// kMostTrialFiles, are left out.
[[nodiscard]] TrialFiles read_trial_files(const base::Path& folder, bool all);

/// Puts them into that folder: the checkpoints as by CheckpointWriter. Throws base::Error
/// (storage), and (data) for a path that leads out of it.
void write_trial_files(const base::Path& folder, const TrialFiles& files);

/// Writes checkpoints beside those that are there, and puts them in their place.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(base::Path folder);

  /// Bytes of a file from `offset` on. Throws base::Error (storage); data for a path that is not
  /// one of a checkpoint.
  void write(std::string_view path, std::uint32_t mode, std::uint64_t offset,
             std::span<const std::byte> bytes);
  /// No checkpoint of before is left; what was not written is not there. Throws base::Error
  /// (storage).
  void commit();

 private:
  base::Path folder_, beside_;
};

}  // namespace hpo
