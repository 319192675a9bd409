// A group as the runtime sees it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "runtime/core/counted.h"
#include "runtime/core/version.h"

namespace rt::inline v0::detail {

struct GroupState {
  std::atomic<std::uint32_t> refs{1};
  std::atomic<bool> cancelled{false};
  std::atomic<std::int64_t> unfinished{0};  ///< tasks handed over or queued, in it and inside it
  std::string name;
  GroupState* parent;  ///< one reference; null for the root
  std::stop_source stop;
  std::mutex mutex;  ///< guards what follows
  std::vector<GroupState*> children;
  Failure* failure = nullptr;  ///< of the first task with the policy `fail`
  std::uint32_t box = 0;       ///< in the picture of the graph
  int bodies = 0;              ///< that run now; not counted in the root
  base::Moment busy_since{};   ///< while there is one
  base::Duration busy{};       ///< before that
  base::Moment ran_until{};    ///< end of the last body that ran on another node

  /// A group inside `outer` (which may be null), cancelled from the start if that is.
  GroupState(std::string group_name, GroupState* outer);
  ~GroupState();
  GroupState(const GroupState&) = delete;
  GroupState& operator=(const GroupState&) = delete;

  void ref() noexcept { refs.fetch_add(1, std::memory_order_relaxed); }
  void unref() noexcept {
    if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// This group and all inside it. `cause`, if any, is what wait() rethrows.
  void cancel(Failure* cause) noexcept;
  /// Counts a task in or out, here and in all outer groups. True when a count reached zero.
  void begin_task() noexcept;
  bool end_task() noexcept;
  /// A body of a task inside it begins or ends; counts here and in all outer groups but the root.
  void body_begins(base::Moment at) noexcept;
  void body_ends(base::Moment at) noexcept;
  /// Likewise for a body that ran on another node and took so long. Time in which several ran
  /// counts once.
  void body_ran(base::Duration took, base::Moment end) noexcept;
  [[nodiscard]] bool inside(const GroupState* outer) const noexcept;
  [[nodiscard]] std::string path() const;
};

/// Owner of one reference to a group; null: the root.
using GroupPtr = Counted<GroupState, &GroupState::ref, &GroupState::unref>;

}  // namespace rt::inline v0::detail
