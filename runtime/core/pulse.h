// Something that happens again and again on a thread of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "base/clock.h"

namespace rt::inline v0::detail {

/// Calls a function at once and then at intervals, until it goes.
class Pulse {
 public:
  Pulse(base::Duration interval, std::function<void()> beat)
      : interval_(interval), beat_(std::move(beat)), thread_([this] { run(); }) {}
  ~Pulse() {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      lock.unlock();
      beat_();
      lock.lock();
      changed_.wait_for(lock, interval_, [this] { return over_; });
    }
  }

  const base::Duration interval_;
  const std::function<void()> beat_;
  std::mutex mutex_;  ///< guards `over_`
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace rt::inline v0::detail
