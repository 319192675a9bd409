// Parts of a running task's work (Context::split), and the idle workers that take them over.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "runtime/core/launch.h"

namespace rt::inline v0::detail {

class Backend;
class Engine;
class Team;
struct Node;
struct Worker;

/// Runs part number `part` on the thread of `worker`.
using PartBody = void (*)(void* body, int part, Worker& worker);

/// The running tasks that split their work, and how many workers help them. A worker is idle while
/// fewer tasks run or could run than there are workers; a helper goes as soon as that changes. Any
/// thread.
class Teams {
 public:
  explicit Teams(Backend& backend) noexcept : backend_(backend) {}

  /// Counts a team in, or out.
  void open() noexcept { open_.fetch_add(1); }
  void close() noexcept { open_.fetch_sub(1); }

  /// Sends idle workers to `team`, up to `wanted` and to its share: workers are dealt out evenly
  /// among the open teams.
  void call(Team& team, int wanted);
  /// Returns true if a helper is to go because a task waits for its worker.
  [[nodiscard]] bool recall() noexcept;
  /// Counts a helper out that returns to the executor.
  void went(bool recalled) noexcept;

 private:
  /// Returns how many workers a team may have, its own one included.
  [[nodiscard]] int share() const noexcept;

  Backend& backend_;
  std::atomic<int> open_{0};
  std::atomic<int> helpers_{0};  ///< sent for and not gone
  std::atomic<int> going_{0};    ///< of those: recalled
};

/// The team of one attempt of one task: its worker (the owner), and those that help. Counted
/// references; the owner drops its one with close().
class Team {
 public:
  Team(Engine& engine, const Node& node);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Runs every part once, on whatever worker of the team; returns when all have ended. Throws what
  /// the part with the lowest number threw. By the owner.
  void run(int parts, PartBody body, void* context, Worker& own);
  /// Sends the helpers away, when the task's body has ended. By the owner.
  void close() noexcept;

 private:
  friend class Teams;
  friend void help(Launch& launch, unsigned worker) noexcept;

  struct Helper : Launch {
    Team* team = nullptr;
  };

  void send_for_helper();
  void attend(Worker& own) noexcept;
  /// The side of the parts that a worker takes from: the owner's is the beginning, that of its
  /// helpers the end, so that the next round finds in a core's cache what it left there.
  enum class Side : std::uint8_t { begin, end };
  bool take_part(Worker& own, Side side) noexcept;
  void run_part(int part, Worker& own) noexcept;
  void record(const Worker& own, base::Moment from, base::Moment to, bool recalled) const;
  void ref() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void unref() noexcept;

  Engine& engine_;
  std::string name_;   ///< of the task
  std::string group_;  ///< of the task
  std::atomic<int> references_{1};
  std::atomic<int> helpers_{0};
  std::atomic<bool> closed_{false};
  /// The parts that nobody has claimed, from the first to behind the last: what a worker claims is
  /// one exchange.
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<int> done_{0};
  PartBody body_ = nullptr;
  void* context_ = nullptr;
  std::mutex mutex_;  ///< guards the error, and the list of helpers
  std::exception_ptr error_;
  int error_part_ = 0;
  std::deque<Helper> launches_;
};

/// Runs the launch of a helper: takes parts until the task ends or the worker is needed.
void help(Launch& launch, unsigned worker) noexcept;

}  // namespace rt::inline v0::detail
