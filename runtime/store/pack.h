// The store's small entries, together in one file: making a file takes longer than computing most
// of them.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "runtime/store/entry.h"
#include "runtime/store/pins.h"

namespace rt::store {

/// Payloads of more bytes have files of their own.
inline constexpr std::uint64_t kMostPacked = 1024;

inline constexpr const char* kPackName = ".packed";

/// The file of that name in a folder: one entry behind the other, in the order in which they were
/// put. Thread-safe, and safe between processes: an entry is appended by one write, and what a dead
/// writer tore or a fault flipped is passed over by its checksums, to the next head. Nothing here
/// throws.
///
/// A file that is damaged, or larger than it may be, is written anew and renamed into place; the
/// others notice and read that one. What they append meanwhile is lost, as a cache may lose it.
class Pack {
 public:
  /// A file of more than `most` bytes loses the older half of its entries, but none that a list of
  /// pins names. `pins` outlives this.
  Pack(const base::Path& folder, std::uint64_t most, Pins& pins);

  /// What another process put is found after a twentieth of a second at the latest: so often an
  /// absent key costs one stat, and the reading of what was appended since the last time.
  [[nodiscard]] Found find(base::Key key);
  [[nodiscard]] bool contains(base::Key key);
  /// 0, or the errno value with which the file system refused it.
  [[nodiscard]] int put(base::Key key, const base::Bytes& bytes, double cost);
  /// For this process: another one finds the entry until the file is written anew.
  void erase(base::Key key);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Entries or runs of bytes whose checksum was wrong.
  [[nodiscard]] std::uint64_t damaged() const { return damaged_; }

 private:
  /// Of a whole entry in the file.
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  void forget();
  int open(bool create);
  void look_again();
  void follow();
  bool read_on();
  void renew();
  [[nodiscard]] base::Bytes kept();
  [[nodiscard]] base::Bytes bytes_at(Place place) const;
  [[nodiscard]] bool has_lock();

  const base::Path folder_;
  const std::string path_;
  const std::uint64_t most_;
  Pins& pins_;

  std::mutex mutex_;
  base::File file_;
  bool writable_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::optional<base::Moment> followed_;  ///< when the file was last looked at
  std::uint64_t seen_ = 0;                ///< its size then, and what was put since
  std::uint64_t read_ = 0;                ///< up to where its entries are in the table
  std::uint64_t appended_ = 0;            ///< bytes since then, by this process
  std::uint64_t room_;                    ///< it is written anew when it gets larger
  std::unordered_map<base::Key, Place> places_;
  std::atomic<std::uint64_t> damaged_{0};
};

}  // namespace rt::store
