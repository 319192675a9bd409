// The driver thread's loop: the thread that made the rt::Runtime calls tasks, resumes coroutines
// and waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <source_location>

#include "base/clock.h"
#include "runtime/async.h"

namespace rt::inline v0 {

/// Hands over what was called, then resumes every coroutine whose value is there, until none is
/// left. Returns how many were resumed. Throws what a spawned coroutine threw that nobody can hear
/// of.
std::size_t poll();

/// Sleeps until something happened that poll() would act on, a wake(), or the time-out; without
/// one, for ever. True unless it was the time-out. Hands over what was called before it sleeps.
/// Sleeping costs nothing.
bool wait_event(std::optional<base::Duration> timeout = std::nullopt);

/// Makes the wait_event() of the driver return, now or the next time. Async-signal-safe, any
/// thread; without effect when there is no Runtime.
void wake() noexcept;

/// Demands everything that was called and that a handle still names, waits until all of it has
/// ended, and rethrows the first error of a task whose policy was `fail`; after that, tasks can be
/// called again. Other failures stay in their values. Blocks the driver thread; coroutines do not
/// go on meanwhile.
void wait_all();

/// Starts the coroutine and polls until it is done. Returns or rethrows what it does. When nothing
/// is left that could bring it on, because it waits for a promise that nobody sets, that is a
/// base::Error (usage) naming the promise.
template <class T>
T run(Async<T> body, std::source_location where = std::source_location::current()) {
  Value<T> result = spawn(std::move(body), where);
  while (poll() != 0 || !result.ready()) {
    if (!result.ready()) detail::wait_progress(result.version().get());
  }
  if constexpr (std::is_void_v<T>) {
    result.get();
  } else {
    return std::move(result).get();
  }
}

}  // namespace rt::inline v0
