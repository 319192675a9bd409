#include "runtime/starpu/resting.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rt::inline v0::detail {

namespace {

// Real time, not base::now(): a simulated clock stands still while workers rest.
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::milliseconds(1);
constexpr auto kLongestRest = std::chrono::milliseconds(20);

const starpu_sched_policy* base = nullptr;
starpu_sched_policy resting{};

std::mutex mutex;
std::condition_variable pushed;
std::uint64_t pushes = 0;  // under the mutex; only those that somebody may sleep through
std::atomic<int> resters = 0, kept_awake = 0;

/// Since when the calling worker finds nothing; the epoch: it has found something.
thread_local Clock::time_point idle_since{};

int push(starpu_task* task) {
  const int code = base->push_task(task);
  if (resters.load() > 0) {
    const std::scoped_lock lock(mutex);
    ++pushes;
    pushed.notify_all();  // StarPU has chosen who may take it, and does not say whom
  }
  return code;
}

starpu_task* rest(unsigned context) {
  // A task that is pushed after we took the count wakes us; one pushed before is found here.
  ++resters;
  const std::uint64_t before = [] {
    const std::scoped_lock lock(mutex);
    return pushes;
  }();
  starpu_task* task = base->pop_task(context);
  if (task == nullptr) {
    starpu_worker_relax_on();
    {
      std::unique_lock lock(mutex);
      pushed.wait_for(lock, kLongestRest,
                      [&] { return pushes != before || kept_awake.load() > 0; });
    }
    starpu_worker_relax_off();
  }
  --resters;
  return task;
}

starpu_task* pop(unsigned context) {
  starpu_task* task = base->pop_task(context);
  if (task == nullptr) {
    const auto now = Clock::now();
    if (idle_since == Clock::time_point{}) idle_since = now;
    if (now - idle_since > kPatience && kept_awake.load() == 0) task = rest(context);
  }
  if (task != nullptr) idle_since = {};
  return task;
}

}  // namespace

starpu_sched_policy* resting_policy(const char* name) {
  for (starpu_sched_policy** one = starpu_sched_get_predefined_policies(); *one != nullptr; ++one) {
    if (std::string_view((*one)->policy_name) != name) continue;
    base = *one;
    resting = *base;
    resting.push_task = push;
    resting.pop_task = pop;
    return &resting;
  }
  throw base::Error(base::Errc::internal, std::string("StarPU has no policy ") + name);
}

Awake::Awake() {
  ++kept_awake;
  const std::scoped_lock lock(mutex);
  pushed.notify_all();
}

Awake::~Awake() { --kept_awake; }

}  // namespace rt::inline v0::detail
