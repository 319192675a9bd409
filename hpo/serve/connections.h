#pragma once
// The connections that are open, and who has to go where there are too many.

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>

#include "base/clock.h"

namespace hpo::serve {

/// Thread-safe.
class Connections {
 public:
  /// Takes in a connection that says nothing yet.
  void add(int socket);
  void remove(int socket);
  /// Whether it is asked for something now: such a connection is never closed for another one.
  void set_busy(int socket, bool busy);

  /// Called before one more thread serves a connection. From 64 on the one that has been silent
  /// for the longest time has to go. False where there is no room.
  [[nodiscard]] bool begin_thread();
  void end_thread();

  /// Closes all, and waits for their threads at most so long. True when all have ended.
  bool end(base::Duration patience);
  [[nodiscard]] bool is_closing() const;

 private:
  struct One {
    base::Moment since;
    bool busy = false;
  };

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::map<int, One> open_;
  std::size_t threads_ = 0;
  bool closing_ = false;
};

}  // namespace hpo::serve
