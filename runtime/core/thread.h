// What the runtime knows about the calling thread.
#pragma once

namespace rt::detail {

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

extern constinit thread_local ThisThread this_thread;

}  // namespace rt::detail
