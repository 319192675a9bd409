// Who waits for a worker and may be taken along by one that runs such a call, and who is wanted
// back (Task::packs).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/core/pack_calls.h"

namespace rt::detail {

/// Thread-safe.
class Packs {
 public:
  /// The launch of the node waits for nothing but a worker any more. One that cannot run anywhere
  /// but in its own launch is left alone; another gets a member and a reference, for its launch.
  void wait(Node& node) noexcept;
  /// The launch of a member has come to a worker: that runs it (true), or others did, to its end.
  [[nodiscard]] bool begin(PackMember& own) noexcept;
  /// What the worker that runs `own` takes along: its share, as one of so many workers, of those
  /// that may run together. `own` comes first. A call that is the first of several is soon followed
  /// by the others, so where nobody waits yet it looks again after a thousandth of its own time.
  [[nodiscard]] std::vector<PackMember*> take(PackMember& own, int workers);
  /// Nobody but its launch may touch a taken member from now on.
  void give_back(PackMember& member) noexcept;
  /// Its node has ended.
  void end(PackMember& member) noexcept;

 private:
  /// Calls with the same PackFit::with that have not ended.
  struct Alike {
    std::vector<PackMember*> waiting;
    int all = 0;
  };
  [[nodiscard]] bool is_alone(const PackMember& own);

  std::mutex mutex_;
  std::condition_variable left_;
  std::unordered_map<std::uint64_t, Alike> alike_;
};

}  // namespace rt::detail
