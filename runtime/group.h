// Groups of tasks: the scope of a cancellation, a box in the graph's picture, a name in the trace.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace rt::inline v0 {

namespace detail {
struct GroupState;
}

/// A set of tasks that can be cancelled and waited for together. Groups nest: one made while
/// another is entered lies inside it and is cancelled with it. A handle: copies name the same
/// group, and the group lives as long as a handle or a task does. Driver thread only, except
/// cancel(), cancelled() and stop_token().
class Group {
 public:
  /// A new group inside the one that is entered at the moment. Needs a rt::Runtime.
  explicit Group(std::string_view name);
  Group(const Group&) noexcept;
  Group(Group&&) noexcept;
  Group& operator=(Group) noexcept;
  ~Group();

  /// While the scope lives, tasks called (and groups made) on this thread belong to the group.
  /// Scopes nest like blocks. Inside a coroutine a scope stays with the coroutine over its
  /// `co_await`s and does not touch what runs in between.
  class [[nodiscard]] Scope {
   public:
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend class Group;
    explicit Scope(detail::GroupState* group);
    detail::GroupState* before_;  ///< one reference
  };
  Scope enter() const;

  /// Cancels the group and those inside it, for good: tasks that did not start end as cancelled,
  /// running ones see the stop token, and tasks called later are cancelled at once. Values that are
  /// done stay done. Thread-safe.
  void cancel() const noexcept;
  [[nodiscard]] bool cancelled() const noexcept;
  /// Asked to stop when the group is cancelled.
  [[nodiscard]] std::stop_token stop_token() const noexcept;

  /// Waits until every task called in the group and in those inside it has ended, in whatever way;
  /// then rethrows the error of the first one that failed with the policy `fail`, if any. Blocks
  /// the driver thread; coroutines do not go on meanwhile.
  void wait() const;

  /// How long at least one task of the group, or of one inside it, ran so far. Thread-safe.
  [[nodiscard]] base::Duration busy() const noexcept;
  /// Whether one runs at the moment. Thread-safe.
  [[nodiscard]] bool running() const noexcept;

  /// The path from the outermost group, e.g. "study/trial-7".
  [[nodiscard]] std::string path() const;

 private:
  detail::GroupState* state_;
};

}  // namespace rt::inline v0
