// The driver's mailbox: what other threads have for the driver thread, and how it sleeps until
// something comes.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "base/clock.h"

namespace rt::inline v0::detail {

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

/// Many senders, one receiver: no mutex, the events are a stack of atomics.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Makes the driver sleep by that bell from now on; null: as usual. Driver thread only, before
  /// anything was sent.
  void use(Bell* bell) noexcept { bell_ = bell; }

  /// Leaves an event for the driver and wakes it if it sleeps. Any thread.
  void send(Event* event) noexcept;
  /// Wakes the driver if it sleeps, so that it looks at its conditions again. Any thread.
  void nudge() noexcept;
  /// Makes the next sleep return at once. Async-signal-safe. Any thread.
  void wake() noexcept;

  /// True if nothing was sent that the driver has not taken. Any thread.
  [[nodiscard]] bool empty() const noexcept { return head_.load() == nullptr; }

  // --- driver thread only

  /// Handles everything sent so far, in the order of sending. Throws what the events throw.
  void handle_events(Engine& engine);
  /// Handles what was sent, and sleeps if the condition then holds: until something is sent, a
  /// nudge or a wake(), for the time-out at most.
  template <class Condition>
  void sleep_once(Engine& engine, Condition condition, std::optional<base::Duration> timeout) {
    handle_events(engine);
    // The condition is looked at a last time after the announcement: whatever happens from here on
    // ends the sleep.
    sleeping_.store(true);
    if (!condition() || !empty()) return sleeping_.store(false);
    if (sleep(timeout)) woke_up_ = true;
  }
  /// Returns true if a wake() has ended a sleep since it was last called.
  [[nodiscard]] bool take_wake() noexcept { return std::exchange(woke_up_, false); }

 private:
  [[nodiscard]] Event* take() noexcept;
  /// Returns true when it was a wake() rather than an event, a nudge or the time-out.
  bool sleep(std::optional<base::Duration> timeout) noexcept;

  std::atomic<Event*> head_{nullptr};
  std::atomic<bool> sleeping_{false};
  std::atomic<bool> woken_{false};
  bool woke_up_ = false;  ///< the driver's own
  Bell* bell_ = nullptr;
  int fd_;
};

}  // namespace rt::inline v0::detail
