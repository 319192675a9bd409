// The store's lower layer: one file an entry, and one for all small ones, in a folder that several
// processes share.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/hash.h"
#include "runtime/store/entry.h"
#include "runtime/store/known_files.h"
#include "runtime/store/pack.h"
#include "runtime/store/pins.h"

namespace rt::store {

/// Thread-safe, and safe between processes: a file appears whole by rename, is
/// never changed, and whoever finds one damaged removes it; small entries are a Pack's. Nothing
/// here throws; what the file system refuses is counted and said once.
///
/// Entries are renamed into place without fsync. A power cut may leave a torn one under its final
/// name, which the checksum finds; the price of syncing (ms for every task's result) would buy
/// nothing that computing again does not give.
class DiskLayer {
 public:
  /// `pins` outlives this; its lists are written before anything is removed.
  DiskLayer(base::Path folder, std::uint64_t budget, Pins& pins);
  ~DiskLayer();
  DiskLayer(const DiskLayer&) = delete;
  DiskLayer& operator=(const DiskLayer&) = delete;

  [[nodiscard]] Found find(base::Key key);
  [[nodiscard]] bool contains(base::Key key);
  /// Whether it is there now. For a while after the file system has refused one, nothing is.
  bool put(base::Key key, const base::Bytes& bytes, double cost);
  /// Whether it is such a while.
  [[nodiscard]] bool rests() const;
  /// Ends it.
  void try_again() { rests_until_ = 0; }
  void erase(base::Key key);

  [[nodiscard]] std::uint64_t evicted() const { return evicted_; }
  [[nodiscard]] std::uint64_t damaged() const { return damaged_ + pack_.damaged(); }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  [[nodiscard]] std::string path_of(base::Key key) const;
  void refuse_read(const std::string& path, int code);
  void refuse_write(const std::string& path, int code);
  void account();
  [[nodiscard]] int write(const std::string& path, base::Key key, const base::Bytes& bytes,
                          double cost);

  const base::Path folder_;
  const std::uint64_t budget_;
  Pins& pins_;
  Pack pack_;
  KnownFiles files_;
  std::atomic<std::uint64_t> unaccounted_{0};  ///< bytes written and not yet handed to `trim`
  std::atomic<std::int64_t> rests_until_{0};   ///< nanoseconds
  std::atomic<bool> warned_read_{false}, warned_write_{false};
  std::atomic<std::uint64_t> evicted_{0}, damaged_{0}, refused_{0};
};

/// Tells a store folder that `written` more bytes were put there; `budget` is what it may hold. The
/// folder's count is kept in its file `.trim`, shared by all processes. Each time the count passes
/// 1/64 of the budget the entries are added up and, when they are more than the budget, the
/// cheapest to compute again per byte, then the longest unused, are removed down to 7/8 of it, but
/// none that a list of pins names (pins.h). The file of small entries counts, and
/// keeps its own limit. Temporary files that a dead process left an hour ago go
/// too. Returns the number of entries removed, or nothing when another process is at it (tell it
/// again later); never throws.
std::optional<std::uint64_t> trim(const base::Path& folder, std::uint64_t written,
                                  std::uint64_t budget) noexcept;

}  // namespace rt::store
