// The driver's mailbox: what other threads have for the driver thread, and how it sleeps until
// something comes.
#pragma once

#include <atomic>
#include <optional>

#include "base/clock.h"

namespace rt::detail {

class Engine;

/// Something to be done on the driver thread. Lies in whoever sends it.
struct Event {
  Event* next_event = nullptr;
  void (*handle)(Event* self, Engine& engine) = nullptr;
};

/// How a driver sleeps whose time is not the machine's.
class Bell {
 public:
  virtual ~Bell() = default;
  /// Ends the wait, or the next one.
  virtual void ring() noexcept = 0;
  virtual void wait(std::optional<base::Duration> timeout) noexcept = 0;
};

/// Many senders, one receiver.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Sleeps by that bell from now on. Before anything was sent.
  void use(Bell* bell) noexcept { bell_ = bell; }

  /// Any thread. Wakes the driver if it sleeps.
  void send(Event* event) noexcept;
  /// Wakes the driver if it sleeps, so that it looks at its conditions again. Any thread.
  void nudge() noexcept;
  /// Makes the next sleep return at once. Async-signal-safe.
  void wake() noexcept;

  /// Everything sent so far, in the order of sending.
  [[nodiscard]] Event* take() noexcept;
  [[nodiscard]] bool empty() const noexcept { return head_.load() == nullptr; }

  /// Between announce() and sleep() the driver looks a last time at what it waits for: whatever
  /// happens after the announcement ends the sleep.
  void announce() noexcept { sleeping_.store(true); }
  /// Returns true when it was a wake() rather than an event, a nudge or the time-out.
  bool sleep(std::optional<base::Duration> timeout) noexcept;
  void stay_awake() noexcept { sleeping_.store(false); }

 private:
  std::atomic<Event*> head_{nullptr};
  std::atomic<bool> sleeping_{false};
  std::atomic<bool> woken_{false};
  Bell* bell_ = nullptr;
  int fd_;
};

}  // namespace rt::detail
