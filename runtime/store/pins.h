// Entries that eviction leaves alone: what unfinished work would have to compute again.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/hash.h"

namespace rt::store {

/// The keys that owners in this process name, and their lists in a folder, where every process that
/// trims it reads them: `.pins/<hash of the owner>`, one key a line. A list outlives its process,
/// so that a killed study finds its checkpoints again; one that nobody wrote for 30 days counts no
/// more. Thread-safe; nothing throws: a list that cannot be written protects only from this
/// process.
class Pins {
 public:
  /// An empty folder: lists are kept in memory only.
  explicit Pins(base::Path folder) : folder_(std::move(folder)) {}

  /// What a new list says that the one before did not, and what it says no more.
  struct Change {
    std::vector<base::Key> added, removed;
  };
  /// Replaces an owner's list.
  Change set(std::string_view owner, std::vector<base::Key> keys);
  [[nodiscard]] bool held(base::Key key) const;
  /// Brings lists that changed since the last time to the folder.
  void write() noexcept;

 private:
  const base::Path folder_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<base::Key>, std::less<>> lists_;  ///< in ascending order
  std::unordered_map<base::Key, std::uint32_t> held_;                 ///< by so many lists
  std::set<std::string, std::less<>> changed_;
};

/// The keys of all lists in a store's folder; lists that count no more are removed on the way.
[[nodiscard]] std::set<base::Key> pinned_in(const base::Path& folder);

}  // namespace rt::store
