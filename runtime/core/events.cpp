#include "runtime/core/events.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>

#include "base/error.h"

namespace rt::inline v0::detail {

namespace {

void ring(int fd) noexcept {
  const std::uint64_t one = 1;
  const int saved = errno;  // may run in a signal handler
  [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
  errno = saved;
}

}  // namespace

Mailbox::Mailbox() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (fd_ < 0) throw base::Error(base::Errc::internal, "eventfd: " + base::errno_words(errno));
}

Mailbox::~Mailbox() { ::close(fd_); }

void Mailbox::send(Event* event) noexcept {
  Event* head = head_.load(std::memory_order_relaxed);
  do {
    event->next_event = head;
  } while (!head_.compare_exchange_weak(head, event));
  nudge();
}

void Mailbox::nudge() noexcept {
  if (!sleeping_.load() || !sleeping_.exchange(false)) return;
  bell_ != nullptr ? bell_->ring() : ring(fd_);
}

void Mailbox::wake() noexcept {
  woken_.store(true);
  ring(fd_);
}

Event* Mailbox::take() noexcept {
  Event* head = head_.exchange(nullptr);
  Event* in_order = nullptr;
  while (head != nullptr) {
    Event* next = head->next_event;
    head->next_event = in_order;
    in_order = head;
    head = next;
  }
  return in_order;
}

void Mailbox::handle_events(Engine& engine) {
  for (Event* event = take(); event != nullptr;) {
    Event* next = event->next_event;
    event->handle(event, engine);
    event = next;
  }
}

bool Mailbox::sleep(std::optional<base::Duration> timeout) noexcept {
  if (bell_ != nullptr) {
    bell_->wait(timeout);
    sleeping_.store(false);
    return woken_.exchange(false);
  }
  pollfd waiting{fd_, POLLIN, 0};
  timespec limit{};
  if (timeout) {
    const auto left = timeout->count() > 0 ? timeout->count() : 0;
    limit.tv_sec = static_cast<time_t>(left / 1'000'000'000);
    limit.tv_nsec = static_cast<long>(left % 1'000'000'000);
  }
  ::ppoll(&waiting, 1, timeout ? &limit : nullptr, nullptr);
  sleeping_.store(false);
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(fd_, &count, sizeof count);
  return woken_.exchange(false);
}

}  // namespace rt::inline v0::detail
