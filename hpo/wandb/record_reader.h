#pragma once
// The records of a run's file, run-ID.wandb: a log of LevelDB's format
// (https://github.com/google/leveldb/blob/main/doc/log_format.md) behind a header of W&B, with the
// checksums of zlib.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpo::wandb {

/// Takes the bytes of a file piece by piece, from its beginning. Not thread-safe.
class RecordReader {
 public:
  /// Returns the records that these bytes complete. Throws base::Error (data) where they are no
  /// such file, or were damaged; what comes after that is not read.
  [[nodiscard]] std::vector<std::string> add(std::string_view bytes);

 private:
  void join(unsigned kind, std::string_view part, std::vector<std::string>& out);

  std::string pending_;   ///< bytes of a record that is not there yet
  std::uint64_t at_ = 0;  ///< where they begin in the file
  std::string record_;    ///< the parts of a record so far
  bool whole_ = false;    ///< they begin with its first part
};

}  // namespace hpo::wandb
