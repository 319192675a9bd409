// The store's upper layer: entries in memory within a budget. See runtime/store.h for the rule of
// what goes first.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

#include "base/bytes.h"
#include "base/hash.h"
#include "runtime/store/pins.h"

namespace rt::store {

/// Thread-safe; every call is one short critical section.
class MemoryLayer {
 public:
  /// What `pins` hold stays; it outlives this. Null where a disk keeps that.
  MemoryLayer(std::uint64_t budget, const Pins* pins) : budget_(budget), pins_(pins) {}

  [[nodiscard]] std::shared_ptr<const base::Bytes> find(base::Key key);
  /// Keeps an entry unless it is there already or takes more than a quarter of the budget. Returns
  /// the number evicted.
  std::uint64_t put(base::Key key, std::shared_ptr<const base::Bytes> bytes, double cost);
  void erase(base::Key key);
  [[nodiscard]] std::uint64_t used() const;

 private:
  /// The order of eviction: the cheapest to compute again per byte, then the longest unused.
  struct Rank {
    int worth;
    std::uint64_t used;
    base::Key key;
    auto operator<=>(const Rank&) const = default;
  };
  struct Entry {
    std::shared_ptr<const base::Bytes> bytes;
    Rank rank;
  };

  std::uint64_t evict();

  const std::uint64_t budget_;
  const Pins* const pins_;
  mutable std::mutex mutex_;
  std::unordered_map<base::Key, Entry> entries_;
  std::set<Rank> ranks_;
  std::uint64_t used_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace rt::store
