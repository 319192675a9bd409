#include "cli/long_step.h"

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "cli/terminal.h"

namespace cli {

LongStep::LongStep(std::string what, bool quiet) : what_(std::move(what)), screen_(quiet) {
  if (screen_.live()) painter_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
}

void LongStep::end() {
  painter_.request_stop();
  if (painter_.joinable()) painter_.join();
  screen_.clear();
}

void LongStep::now(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void LongStep::show(const std::stop_token& stop) {
  const base::Moment begun = base::now();
  std::unique_lock lock(mutex_);
  for (;;) {
    ended_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    if (stop.stop_requested()) return;
    screen_.paint(base::cat(what_, " (", short_seconds(base::seconds_since(begun)), ")"));
  }
}

}  // namespace cli
