#include "runtime/core/idler.h"

#include <algorithm>
#include <utility>

namespace rt::inline v0::detail {

namespace {

/// While tasks run it looks so many times more rarely at most.
constexpr int kRarely = 8;

}  // namespace

Idler::Idler(Backend& backend, std::function<std::uint64_t()> in_flight, base::Duration patience)
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
  base::Duration wait = patience_;
  while (!stopping_) {
    if (paused_.load()) {
      changed_.wait(lock);
      idle = false;
      wait = patience_;
      continue;
    }
    changed_.wait_for(lock, wait);
    if (stopping_) break;
    const bool was_idle = std::exchange(idle, in_flight_() == 0);
    wait = idle ? patience_ : std::min(2 * wait, kRarely * patience_);
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

}  // namespace rt::inline v0::detail
