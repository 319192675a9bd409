// The loop around a process that runs: its output is read as it comes, and its limits are kept.
// Throws nothing of its own, so that the supervisor, a program that is built without exceptions,
// can use it too.
#pragma once

#include <poll.h>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/process/end.h"

namespace base {

/// What a process may do. Zero: no limit; without grace it is killed at once.
struct ProcessLimits {
  Duration time{};   ///< from the beginning of serve()
  Duration stall{};  ///< without progress, such as output
  Duration grace{};  ///< between SIGTERM and SIGKILL
};

/// Who derives from it says when the process is over and what a signal reaches. One thread uses it.
class Supervision {
 public:
  explicit Supervision(const ProcessLimits& limits) : limits_(limits) {}
  Supervision(const Supervision&) = delete;
  Supervision& operator=(const Supervision&) = delete;
  virtual ~Supervision() = default;

  /// Calls `took` with each piece that comes from `fd`, which must not block, up to its end. Such a
  /// piece is progress. Before serve(), and so is watch().
  void read(int fd, std::function<void(std::string_view)> took);
  /// Calls `ready` whenever poll() finds one of `events`, or the end, at `fd`. A negative
  /// descriptor is never ready.
  void watch(int fd, short events, std::function<void()> ready);
  /// Ends read() or watch() of a descriptor.
  void forget(int fd);

  /// Serves descriptors and limits until the process is over. What `took` and `ready` throw goes
  /// through.
  void serve();

  /// Asks the process to end, and kills it after its grace. The first reason counts. Without effect
  /// once serve() is through.
  void cut(ProcessEnd why);

 protected:
  [[nodiscard]] virtual bool is_over() = 0;
  /// Sends SIGTERM. A process that is suspended takes it only with SIGCONT.
  virtual void ask_to_end() = 0;
  /// Sends SIGKILL; more than once where the process does not end.
  virtual void kill_all() = 0;
  /// Called each time when serve() has served what was ready, before it looks at the limits.
  virtual void turn() {}
  /// The longest time from `here` to the next turn().
  [[nodiscard]] virtual Duration rest(Moment here) const;

  void progressed() { progressed_ = now(); }
  /// Ends the grace.
  void kill();
  [[nodiscard]] bool in_grace() const;
  /// Reads what the pipes of an ended process hold. Others may write for ever: then only a part.
  void drain();
  /// Why the process was asked to end, or else how it ended by itself.
  [[nodiscard]] ProcessOutcome outcome(int wait_status) const;

 private:
  struct Source {
    std::function<void(std::string_view)> took;
    std::function<void()> ready;
  };

  bool take(std::size_t source);
  void keep_limits();
  [[nodiscard]] int milliseconds_left() const;

  ProcessLimits limits_;
  std::vector<pollfd> polled_;
  std::vector<Source> sources_;  ///< of `polled_`
  std::vector<char> piece_;
  Moment started_, progressed_;
  std::optional<Moment> cut_;  ///< when it was asked to end
  ProcessEnd why_ = ProcessEnd::exited;
  bool killed_ = false;
  bool over_ = false;
};

}  // namespace base
