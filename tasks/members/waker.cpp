#include "tasks/members/waker.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/error.h"

namespace tasks {

Waker::Waker() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw base::storage_error("make", "an event for a gang", errno);
}

void Waker::wake() const noexcept {
  const std::uint64_t one = 1;
  (void)!::write(event_.fd(), &one, sizeof one);
}

void Waker::reset() const noexcept {
  std::uint64_t times = 0;
  (void)!::read(event_.fd(), &times, sizeof times);
}

}  // namespace tasks
