// A worker's own things: counters, workspaces, its lane in the trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <typeindex>
#include <unordered_map>

#include "base/clock.h"
#include "runtime/context.h"

namespace rt::inline v0::detail {

/// Written by its own thread; the counters are read by others.
struct alignas(64) Worker {
  std::atomic<std::uint64_t> ended{0};     ///< nodes that ended on this thread
  std::atomic<std::uint64_t> launched{0};  ///< nodes that this thread gave to the executor
  std::atomic<std::uint64_t> returned{0};  ///< nodes that the executor ran on this thread
  std::atomic<std::uint64_t> tasks{0};     ///< bodies run
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> cancelled{0};
  std::atomic<std::uint64_t> retried{0};
  std::atomic<std::uint64_t> copies{0};
  std::atomic<std::uint64_t> parts{0};          ///< taken over from tasks of other workers
  std::atomic<std::uint64_t> packed{0};         ///< bodies run in a pack of another task's
  std::atomic<std::int64_t> busy_nanos{0};      ///< inside bodies
  std::atomic<std::int64_t> moving_nanos{0};    ///< copying and fetching for them
  std::atomic<std::int64_t> overhead_nanos{0};  ///< around them
  WorkerId id;
  unsigned number = 0;  ///< the executor's, and its place among the engine's workers
  unsigned lane = 0;
  double slowness = 1;  ///< test: bodies are stretched by this factor
  std::unordered_map<std::type_index, std::shared_ptr<void>> locals;

  /// Makes up for work that took `took` and would have taken longer here, in a test.
  void slow_down(base::Duration took) const {
    if (slowness <= 1) return;
    base::sleep_for(base::Duration(
        static_cast<std::int64_t>(static_cast<double>(took.count()) * (slowness - 1))));
  }

  [[nodiscard]] std::string name() const {
    return (id.kind == Device::cpu ? "cpu " : "cuda ") + std::to_string(id.index);
  }
};

/// One writer: no read-modify-write needed.
template <class N>
void bump(std::atomic<N>& counter, N by = 1) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

}  // namespace rt::inline v0::detail
