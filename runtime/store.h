// Results by key: what a pure task computed once is found here instead of being computed again, in
// this run, after a crash, by another study under the same folder.
//
// The store is a cache and nothing else. Losing any entry changes no result, only the time to get
// it; so it never throws into a task, a full or read-only disk costs one warning, and its files are
// not synced to the disk: every entry carries a checksum, so one that a power cut tore or a fault
// flipped counts as absent, is named in a warning and removed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/hash.h"

namespace rt::inline v0 {

/// Where results are kept and how many bytes of them.
struct StoreConfig {
  base::Path folder;  ///< of the entries on disk, made when first needed; empty: memory only
  /// Budget in memory. An entry above a quarter of it is kept on disk only, and one of up to 1 KiB
  /// where there is a disk.
  std::uint64_t memory_bytes = 16ULL << 20;
  std::uint64_t disk_bytes =
      16ULL << 30;  ///< budget on disk, for all processes together; kept within 1/16 or so
  /// Share of the time that writing may take, in [0, 1]: entries then wait in memory until
  /// `persist` writes them, the protected ones first. It writes no others but those that writing
  /// takes no more than the share of what computing them took, at 200 MB/s and as if each had 32
  /// KiB more: at 3.5% what a second computed is written up to 7 MB; and about once a second the
  /// newest of the others. Of what does not fit into memory_bytes beside the newest entry
  /// while it waits the cheapest entries are written at once if they are worth it or the share has
  /// room for them, and dropped else. Entries of up to 1 KiB never wait. None: `insert` writes each
  /// one at once.
  std::optional<double> overhead = {};
  /// Entries that no longer fit are written in any case: for work that asks again for much of what
  /// it made, as trials of a grid that begin alike do.
  bool spill = false;
};

/// What the store did so far in this process.
struct StoreStats {
  std::uint64_t memory_hits = 0;
  std::uint64_t disk_hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t inserts = 0;
  std::uint64_t evicted = 0;  ///< entries dropped from memory or disk to stay in the budget
  std::uint64_t damaged = 0;  ///< entries on disk whose checksum, length or name was wrong
  std::uint64_t refused = 0;  ///< entries that the file system did not take
  double writing = 0;         ///< seconds that writing took
};

/// A map from key to bytes in two layers, memory over disk. Thread-safe; several processes, on one
/// machine or on a shared file system, may use one folder at a time. Entries are
/// `folder/ab/cdef...`: the key's hexadecimal digits; those of up to 1 KiB lie together in
/// `folder/.packed`, where machines that write over a network at the same time may lose each
/// other's.
///
/// When a layer is over its budget it drops the entries that are cheapest to get back: the lowest
/// cost per byte first (in steps of a factor of two), the longest unused first among equals, down
/// to 7/8 of the budget. Protected entries stay, even beyond the budget.
class Store {
 public:
  /// The bytes of an entry, shared and never changed.
  using Blob = std::shared_ptr<const base::Bytes>;

  explicit Store(StoreConfig config = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The bytes of a key, or null. A key that is absent costs a few hash look-ups and, with a
  /// folder, now and then a stat. What another process put is found after a twentieth of a second
  /// at the latest.
  [[nodiscard]] Blob lookup(base::Key key);

  /// Whether `lookup` would very likely find it: like lookup without reading (a damaged entry is
  /// not noticed).
  [[nodiscard]] bool contains(base::Key key);

  /// Keeps the bytes under a key. `cost` is what it takes to compute them again, in seconds: it
  /// decides what goes first. A key that is there already stays as it is: equal keys mean equal
  /// bytes. The zero key is ignored. Never throws.
  void insert(base::Key key, base::Bytes bytes, double cost = 0) noexcept;
  void insert(base::Key key, Blob bytes, double cost = 0) noexcept;

  /// Replaces what `owner` protects from eviction, here and in every process that trims the folder.
  /// It stays protected after the end of this process, so that work which was cut short finds it
  /// again: 30 days, or until an owner of the same name says otherwise.
  void protect(std::string_view owner, std::vector<base::Key> keys);

  /// Whether entries wait and their share of the time allows to write some. Cheap.
  [[nodiscard]] bool due() const;
  /// Writes entries that wait, until their share of the time is used up; nothing when another
  /// thread is at it. Never throws.
  void persist() noexcept;
  /// Writes all entries that wait, whatever it takes. The end of a store does so.
  void flush() noexcept;
  /// Gives up the entries that wait and are not worth their share, but for the protected ones: for
  /// work that has come to its end, and needs them no more.
  void drop_cheap() noexcept;

  /// Drops a key from both layers (for a value that turned out to be wrong).
  void erase(base::Key key);

  [[nodiscard]] StoreStats stats() const;
  [[nodiscard]] const StoreConfig& config() const noexcept;

 private:
  struct Layers;
  std::unique_ptr<Layers> layers_;
};

}  // namespace rt::inline v0
