#pragma once
// What a program and the processes that it starts use, looked at from outside while they run.

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace bench {

struct Used {
  double peak_megabytes = 0;  ///< of all its processes together, shared pages counted once (PSS)
  double first_thread_seconds = 0;  ///< processor time of the thread that runs main()
};

/// Looks every few milliseconds, and never for more than a fiftieth of a core's time. What comes
/// and goes between two looks is missed.
class Watcher {
 public:
  explicit Watcher(pid_t program);
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher();

  /// Ends the watch. The program may have ended, but nobody may have waited for it.
  Used stop();

 private:
  void watch();
  void look();

  pid_t program_;
  Used used_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace bench
