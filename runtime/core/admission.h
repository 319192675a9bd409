// Memory and cores that tasks with needs are promised, and the tasks that wait for them.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "runtime/core/idle_accounting.h"
#include "runtime/core/node.h"

namespace rt::inline v0::detail {

/// Admits tasks in the order in which they ask, so that one with large needs is never overtaken for
/// ever. No task may need more than there is: its call checks that. Any thread.
class Admission {
 public:
  /// `memory` in bytes; `cores` for the tasks that need several. `idle_accounting` hears who has to
  /// wait.
  Admission(std::uint64_t memory, int cores, IdleAccounting& accounting) noexcept
      : memory_(memory), cores_(cores), accounting_(accounting) {}

  /// Returns the bytes that tasks are promised at most, all together.
  [[nodiscard]] std::uint64_t memory() const noexcept { return memory_; }

  /// Promises the node what it needs. Returns false, and queues the node, while others wait or too
  /// little is left.
  [[nodiscard]] bool admit(Node& node);
  /// Takes back what an admitted node was promised when it ends. Returns the nodes that are
  /// admitted by that, in their order.
  [[nodiscard]] std::vector<Node*> give_back(const Node& node) noexcept;

 private:
  [[nodiscard]] bool fits(const Node& node) const noexcept;
  void take(Node& node) noexcept;

  const std::uint64_t memory_;
  const int cores_;
  IdleAccounting& accounting_;
  std::mutex mutex_;  ///< guards what follows; held while the accounting is told
  std::uint64_t memory_used_ = 0;
  int cores_used_ = 0;  ///< by tasks that need several
  std::deque<Node*> queue_;
};

}  // namespace rt::inline v0::detail
