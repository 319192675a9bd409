// Entries that wait to be written, so that writing takes no more than its share of the time.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "runtime/store/pins.h"

namespace rt::store {

/// Thread-safe. Never much more than `limit` bytes and the newest entry: what is cheapest to
/// compute again, per second that writing it takes, has to go then.
class Pending {
 public:
  struct Item {
    base::Key key;
    std::shared_ptr<const base::Bytes> bytes;
    double cost = 0;
  };

  /// `pins` outlives this.
  Pending(std::uint64_t limit, const Pins& pins) : limit_(limit), pins_(pins) {}

  [[nodiscard]] std::shared_ptr<const base::Bytes> find(base::Key key) const;
  [[nodiscard]] bool empty() const;
  /// Takes an entry, which stays whatever its size: nobody could protect it yet. Returns those that
  /// do not fit any more, for the caller to write now or to give up; they stay until `done`.
  [[nodiscard]] std::vector<Item> put(Item item);
  /// What to write next: the dearest of those that the pins hold, else the dearest. It stays until
  /// `done`, so that it is always found here or on disk.
  [[nodiscard]] std::optional<Item> next() const;
  /// The pins have changed what they say of these.
  void look_again(const std::vector<base::Key>& keys);
  /// What came last.
  [[nodiscard]] std::optional<Item> newest() const;
  void done(base::Key key);
  /// All that wait.
  [[nodiscard]] std::vector<Item> all() const;

 private:
  struct Rank {
    double worth;  ///< cost to compute again for each byte to write
    std::uint64_t age;
    base::Key key;
    auto operator<=>(const Rank&) const = default;
  };
  struct Entry {
    Item item;
    Rank rank;
  };
  void remove(base::Key key);

  const std::uint64_t limit_;
  const Pins& pins_;
  mutable std::mutex mutex_;
  std::unordered_map<base::Key, Entry> entries_;
  std::set<Rank> ranks_;
  std::set<Rank> held_;  ///< those of them that the pins hold
  std::uint64_t used_ = 0, next_age_ = 0;
};

}  // namespace rt::store
