// What the runtime knows about the calling thread.
#pragma once

#include <atomic>

namespace rt::inline v0::detail {

struct Node;
struct Worker;
class Running;

struct ThisThread {
  bool driver = false;         ///< made the current Runtime
  Worker* worker = nullptr;    ///< a worker of the executor (the driver, while the sequential
                               ///< executor runs a task)
  Running* running = nullptr;  ///< the task whose body runs on this thread
  Node* ready_first =
      nullptr;  ///< nodes that became ready on this thread and wait to be handed over
  Node* ready_last = nullptr;
  bool handing_over = false;
};

/// The state of the calling thread of the system.
extern constinit thread_local ThisThread own_thread;
/// Finds that of the caller where threads are not the system's: those of a simulated machine take
/// turns on one. Null: they are the system's.
using FindThread = ThisThread& (*)();
extern constinit std::atomic<FindThread> find_thread;

inline ThisThread& this_thread() noexcept {
  const FindThread find = find_thread.load(std::memory_order_relaxed);
  return find == nullptr ? own_thread : find();
}

}  // namespace rt::inline v0::detail
