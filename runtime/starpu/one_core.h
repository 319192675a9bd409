// SimGrid's threads take turns, so a second core is of no use to them, and to wake each other on
// another core takes several times as long.
#pragma once

#include <sched.h>

namespace rt::inline v0::detail {

/// While it lives, the calling thread and those that it starts stay on the core that it is on.
/// Where the system refuses they go where they like.
class OneCore {
 public:
  OneCore() noexcept {
    const int here = ::sched_getcpu();
    if (here < 0 || here >= CPU_SETSIZE) return;
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(here), &one);
    held_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~OneCore() {
    if (held_) ::sched_setaffinity(0, sizeof before_, &before_);
  }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_{};
  bool held_ = false;
};

}  // namespace rt::inline v0::detail
