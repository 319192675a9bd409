#include "base/process/supervision.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace base {

namespace {

constexpr std::size_t kPiece = 65536;  ///< bytes that a pipe holds
constexpr int kMostPieces = 64;        ///< of each pipe, once the process is over
constexpr Duration kLongestRest = std::chrono::hours(1);
/// From kill to kill: a process that was just forked may have been missed.
constexpr Duration kKillAgain = std::chrono::milliseconds(10);

}  // namespace

void Supervision::read(int fd, std::function<void(std::string_view)> took) {
  piece_.resize(kPiece);
  polled_.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  sources_.push_back({.took = std::move(took), .ready = {}});
}

void Supervision::watch(int fd, short events, std::function<void()> ready) {
  polled_.push_back({.fd = fd, .events = events, .revents = 0});
  sources_.push_back({.took = {}, .ready = std::move(ready)});
}

void Supervision::forget(int fd) {
  for (pollfd& polled : polled_) {
    if (polled.fd == fd) polled.fd = -1;
  }
}

void Supervision::serve() {
  started_ = progressed_ = now();
  while (!is_over()) {
    // After a signal nothing is said of the descriptors.
    const bool ready = ::poll(polled_.data(), polled_.size(), milliseconds_left()) > 0;
    for (std::size_t i = 0; ready && i < polled_.size(); ++i) {
      if (polled_[i].revents == 0 || polled_[i].fd < 0) continue;
      if (sources_[i].ready)
        sources_[i].ready();
      else
        (void)take(i);
    }
    turn();
    keep_limits();
  }
  over_ = true;
}

/// Reads a piece; false when there is none now.
bool Supervision::take(std::size_t source) {
  pollfd& polled = polled_[source];
  const ssize_t bytes = polled.fd < 0 ? 0 : ::read(polled.fd, piece_.data(), piece_.size());
  if (bytes > 0) {
    progressed();
    sources_[source].took({piece_.data(), static_cast<std::size_t>(bytes)});
    return true;
  }
  if (bytes == 0 || (errno != EAGAIN && errno != EINTR)) polled.fd = -1;
  return false;
}

void Supervision::drain() {
  for (std::size_t i = 0; i < polled_.size(); ++i) {
    for (int piece = 0; sources_[i].took && piece < kMostPieces && take(i); ++piece) continue;
  }
}

void Supervision::keep_limits() {
  const Moment here = now();
  const auto broken = [&](Duration limit, Moment since) {
    return limit > Duration::zero() && here - since >= limit;
  };
  if (broken(limits_.time, started_)) cut(ProcessEnd::timed_out);
  if (broken(limits_.stall, progressed_)) cut(ProcessEnd::stalled);
  if (cut_ && here - *cut_ >= limits_.grace) kill();
}

Duration Supervision::rest(Moment) const { return kLongestRest; }

int Supervision::milliseconds_left() const {
  const Moment here = now();
  Duration left = rest(here);
  const auto consider = [&](Duration limit, Moment since) {
    left = std::min(left, limit - (here - since));
  };
  if (killed_)
    consider(kKillAgain, here);
  else if (cut_)
    consider(limits_.grace, *cut_);
  if (!cut_ && limits_.time > Duration::zero()) consider(limits_.time, started_);
  if (!cut_ && limits_.stall > Duration::zero()) consider(limits_.stall, progressed_);
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::max<std::int64_t>(whole, 0)) + 1;
}

void Supervision::cut(ProcessEnd why) {
  if (cut_ || over_) return;
  cut_ = now();
  why_ = why;
  ask_to_end();
}

void Supervision::kill() {
  killed_ = true;
  kill_all();
}

bool Supervision::in_grace() const { return cut_ && !killed_ && now() - *cut_ < limits_.grace; }

ProcessOutcome Supervision::outcome(int wait_status) const {
  return cut_ ? ProcessOutcome{why_, 0} : outcome_of(wait_status);
}

}  // namespace base
