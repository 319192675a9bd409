// The workers of a task that needs several cores: one runs the body, the others stand aside until
// it is done.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "runtime/core/launch.h"

namespace rt::inline v0::detail {

class Backend;

/// Made when the task is admitted, deletes itself when the last of its workers has left. At most as
/// many workers as there are are promised to gangs at a time (Admission), so those that stand
/// aside never keep the last one from coming.
class Gang {
 public:
  explicit Gang(int cpus);
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;

  /// Sends for the workers that will stand aside.
  void call(Backend& backend);
  /// By the worker with the body: waits until all others stand aside.
  void assemble();
  /// By the worker with the body: the others may go, and so does this one.
  void dismiss() noexcept;
  /// By a worker that stands aside.
  void attend() noexcept;

 private:
  void leave(std::unique_lock<std::mutex> lock) noexcept;

  std::mutex mutex_;
  std::condition_variable changed_;
  int missing_;
  int present_;
  bool done_ = false;
  std::vector<Launch> helpers_;
};

}  // namespace rt::inline v0::detail
