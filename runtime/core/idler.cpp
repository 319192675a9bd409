#include "runtime/core/idler.h"

#include <utility>

namespace rt::detail {

Idler::Idler(Backend& backend, std::function<std::uint64_t()> in_flight, Duration patience)
    : backend_(backend),
      in_flight_(std::move(in_flight)),
      patience_(patience),
      thread_([this] { watch(); }) {}

Idler::~Idler() { stop(); }

void Idler::stop() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (paused_.exchange(false)) backend_.resume();
}

void Idler::resume() {
  {
    const std::scoped_lock lock(mutex_);
    if (!paused_.exchange(false)) return;
    backend_.resume();
  }
  changed_.notify_all();
}

void Idler::watch() {
  std::unique_lock lock(mutex_);
  bool idle = false;
  while (!stopping_) {
    if (paused_.load()) {
      changed_.wait(lock);
      idle = false;
      continue;
    }
    changed_.wait_for(lock, patience_);
    if (stopping_) break;
    const bool was_idle = std::exchange(idle, in_flight_() == 0);
    if (!idle || !was_idle) continue;
    // The driver counts a launch before it looks at the flag, we set the flag before we look at the
    // count: one of the two sees the other.
    paused_.store(true);
    if (in_flight_() != 0) {
      paused_.store(false);
      continue;
    }
    backend_.pause();
  }
}

}  // namespace rt::detail
