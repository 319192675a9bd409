// What each worker does at every moment, and why those are idle that are.
//
// Only changes are written down: a task becomes ready, is taken, begins, ends. Between two changes
// an idle worker of a kind has one cause, so it is enough to add up, for each kind, the time that
// passed under each cause; what a gap of a worker was due to is the difference between its two
// ends.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "runtime/context.h"
#include "runtime/core/use_buckets.h"
#include "runtime/summary.h"
#include "runtime/trace.h"

namespace rt::inline v0::detail {

/// Any thread. A moment that is older than the last one written down counts as that one.
class IdleAccounting {
 public:
  /// Adds a worker, idle from `at` on; its number is the next one from 0. `lane` is its lane in the
  /// trace. Before any other thread calls.
  void add(Device kind, unsigned lane, base::Moment at);
  /// Adds idle gaps and transfers to `trace` as spans; null: no more. Before any other thread
  /// calls.
  void show_in(Trace* trace) noexcept { trace_ = trace; }

  /// Notes how many chains of tasks the driver keeps going (Runtime::set_window).
  void set_window(int chains, base::Moment at);
  /// Notes that a task has to wait for what it needs, or has it now.
  void held(Device kind, base::Moment at);
  void admitted(Device kind, base::Moment at);
  /// Note the steps of a task, in this order; `taken` may be left out.
  void ready(Device kind, base::Moment at);
  void taken(unsigned worker, Device kind, base::Moment at);
  void begun(unsigned worker, Device kind, base::Moment at);
  void ended(unsigned worker, base::Moment at);
  /// Notes that a worker without a task of its own gives its core to that of another, or does not
  /// any more.
  void stands_aside(unsigned worker, base::Moment at);
  void is_back(unsigned worker, base::Moment at);
  /// Notes that a worker without a task helps with parts of other tasks, or has, for `busy` of that
  /// time.
  void helps(unsigned worker, base::Moment at);
  void helped(unsigned worker, base::Duration busy, base::Moment at);

  /// Returns the times of a worker up to `at`, in seconds.
  [[nodiscard]] WorkerTimes use_of(unsigned worker, base::Moment at);
  /// Returns the use of all workers over time, up to `at`.
  [[nodiscard]] UseSeries series(base::Moment at);
  /// Ends what goes on at the moment, for the trace.
  void close(base::Moment at);

 private:
  enum class State : std::uint8_t { idle, moving, busy };

  struct Lane {
    Device kind = Device::cpu;
    unsigned trace_lane = 0;
    int pending = 0;  ///< taken and not begun
    bool running = false;
    base::Moment since;   ///< in its state
    CauseNanos passed{};  ///< of its kind, then
    WorkerTimes nanos;    ///< before that
    [[nodiscard]] State state() const noexcept {
      return running ? State::busy : pending > 0 ? State::moving : State::idle;
    }
  };

  /// One kind of device.
  struct Kind {
    int ready = 0, held = 0;
    CauseNanos passed{};      ///< under each cause
    base::Moment last_taken;  ///< a task for the kind
    CauseNanos passed_then{};
  };

  [[nodiscard]] static std::size_t index(Device kind) noexcept {
    return kind == Device::cpu ? 0 : 1;
  }
  [[nodiscard]] IdleCause cause_for(std::size_t kind) const noexcept;
  void advance(base::Moment at) noexcept;
  base::Moment pass_to(base::Moment at) noexcept;
  void add_to(UseBuckets& use, const Lane& lane, base::Moment until,
              const CauseNanos& passed) const;
  /// Ends the span of time that the worker's state has lasted.
  void settle(Lane& lane, base::Moment at);
  /// Returns the moment up to which an idle worker's gap, which lasts until `now`, counts: time
  /// behind the last task does not.
  [[nodiscard]] base::Moment idle_until(const Lane& lane, base::Moment now) const;
  /// Returns what had passed for the worker's kind at that moment.
  [[nodiscard]] const CauseNanos& passed_by(const Lane& lane, base::Moment until) const;
  [[nodiscard]] unsigned number(const Lane& lane) const {
    return static_cast<unsigned>(&lane - lanes_.data());
  }
  void note_taken(Lane& lane, Device kind, base::Moment at) noexcept;
  [[nodiscard]] static Span span_of(const Lane& lane, base::Moment at, const CauseNanos& parts);
  void show(const Lane& lane, base::Moment at, const CauseNanos& parts) const;

  std::mutex mutex_;  ///< guards all of it
  Trace* trace_ = nullptr;
  std::vector<Lane> lanes_;
  std::array<Kind, 2> kinds_;
  int under_way_ = 0;          ///< tasks that are held or ready, were taken, or run
  std::optional<int> window_;  ///< none: nobody said
  base::Moment last_{};
  UseBuckets use_;
};

}  // namespace rt::inline v0::detail
