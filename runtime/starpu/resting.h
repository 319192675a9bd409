// A scheduling policy of StarPU whose workers sleep when they find nothing to do for a while. By
// itself StarPU lets them look for tasks without end, which takes a core each from whatever else
// the machine does while one long task runs alone.
#pragma once

#include <starpu.h>

namespace rt::inline v0::detail {

/// The predefined policy of that name with resting workers. A worker looks for tasks for a
/// millisecond, then sleeps until one is pushed, or for 20 ms: tasks meant for one worker alone do
/// not pass through the policy. Valid for the life of the process; a later call changes the policy
/// that runs. Throws base::Error (internal) when StarPU has no such policy.
[[nodiscard]] starpu_sched_policy* resting_policy(const char* name);

/// Wakes every worker, and lets none fall asleep as long as one of these lives.
class Awake {
 public:
  Awake();
  ~Awake();
  Awake(const Awake&) = delete;
  Awake& operator=(const Awake&) = delete;
};

}  // namespace rt::inline v0::detail
