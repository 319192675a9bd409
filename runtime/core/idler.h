// Puts an executor's workers to sleep while nothing runs: StarPU's workers spin, two of them burn
// two cores.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "runtime/core/backend.h"

namespace rt::inline v0::detail {

/// A thread that looks now and then whether tasks are in flight, and sleeps for good while the
/// workers do.
class Idler {
 public:
  /// `in_flight` says how many launches the executor has; called on the idler's thread.
  Idler(Backend& backend, std::function<std::uint64_t()> in_flight, base::Duration patience);
  ~Idler();
  Idler(const Idler&) = delete;
  Idler& operator=(const Idler&) = delete;

  /// The driver counted a launch in and is about to hand it over: the workers must be awake. Cheap
  /// when they are.
  void activity() {
    if (paused_.load()) resume();
  }
  /// Workers awake for good (before they are shut down).
  void stop();

 private:
  void resume();
  void watch();

  Backend& backend_;
  std::function<std::uint64_t()> in_flight_;
  base::Duration patience_;
  std::atomic<bool> paused_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace rt::inline v0::detail
