// Answers to pure calls that spare a run: equal calls whose values are there or under way, and the
// store.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "base/hash.h"
#include "runtime/core/node.h"
#include "runtime/store.h"

namespace rt::inline v0::detail {

class Records;

class Answers {
 public:
  /// `store` may be null.
  Answers(Store* store, Records& records) noexcept : store_(store), records_(records) {}

  /// Enters the versions that a node is going to make, so that equal calls find them. Driver thread
  /// only.
  void enlist(const Node& node);
  /// Takes out a version that nobody holds any more. Any thread.
  void forget(const Version& version) noexcept;

  /// Returns true if the version gets the content of an equal one or of the store: at once, or as
  /// soon as the equal one is complete. Driver thread only.
  [[nodiscard]] bool answer(Version& version);
  /// Returns what the store has under a key, and sets `found`. Drops an entry that is no longer of
  /// such a type, and does not find it. Driver thread only.
  [[nodiscard]] BoxRef read_stored(const TypeOps& ops, base::Key key, bool& found);

  /// Returns how many calls the store has answered. Driver thread only.
  [[nodiscard]] std::uint64_t stored() const noexcept { return stored_; }
  /// Returns how many calls equal ones have answered. Driver thread only.
  [[nodiscard]] std::uint64_t merged() const noexcept { return merged_; }

 private:
  bool answer_from_live(Version& version);
  bool answer_from_store(Version& version);

  Store* const store_;
  Records& records_;
  std::mutex mutex_;  ///< guards the table; while it is held, no version of the table is destroyed
  std::unordered_map<base::Key, Version*> live_;
  std::uint64_t stored_ = 0;
  std::uint64_t merged_ = 0;
};

}  // namespace rt::inline v0::detail
