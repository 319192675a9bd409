// Who waits for a worker and may be taken along by one that runs such a call, and who is wanted
// back (Task::packs).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/core/pack_calls.h"

namespace rt::inline v0::detail {

/// Any thread.
class Packs {
 public:
  /// Enters a node whose launch waits for nothing but a worker any more: it gets a member, and a
  /// reference for its launch. Leaves one alone that cannot run anywhere but in its own launch.
  void wait(Node& node) noexcept;
  /// Returns true if the worker that the launch of a member has come to is to run it; else others
  /// did, to its end. Waits while others run it.
  [[nodiscard]] bool begin(PackMember& own) noexcept;
  /// Returns `own`, then what the worker that runs it takes along: its share, as one of so many
  /// workers, of those that may run together. A call that is the first of several is soon followed
  /// by the others, so where nobody waits yet it looks again after a thousandth of its own time.
  [[nodiscard]] std::vector<PackMember*> take(PackMember& own, int workers);
  /// Leaves a taken member to its launch: nobody else may touch it from now on.
  void give_back(PackMember& member) noexcept;
  /// Takes a member out whose node has ended.
  void end(PackMember& member) noexcept;

 private:
  /// Calls with the same PackFit::with that have not ended.
  struct Alike {
    std::vector<PackMember*> waiting;
    int all = 0;
  };
  [[nodiscard]] bool is_alone(const PackMember& own);

  std::mutex mutex_;  ///< guards the table, and of each member where it stands
  std::condition_variable left_;
  std::unordered_map<std::uint64_t, Alike> alike_;
};

}  // namespace rt::inline v0::detail
