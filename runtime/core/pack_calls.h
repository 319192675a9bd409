// The calls that a worker runs as one (Task::packs), and what comes of each.
#pragma once

#include <any>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "runtime/core/box.h"
#include "runtime/core/task_info.h"

namespace rt::inline v0::detail {

class Packs;

/// A call that may run in a pack. Lives as long as its node. Its own launch always comes to a
/// worker, and takes it back from the pack that it runs in at that moment: so a worker with nothing
/// else to do takes from one that has too much.
struct PackMember {
  PackMember(Node& of, PackFit fits) noexcept : node(of), fit(fits) {}

  /// waits: for a worker. runs: on the one that its launch came to. taken: on another one. back:
  /// its launch goes on with it. over: its node has ended.
  enum class Stands : std::uint8_t { waits, runs, taken, back, over };

  Node& node;
  PackFit fit;
  Stands stands = Stands::waits;    ///< guarded by Packs
  std::atomic<bool> wanted{false};  ///< while taken: by the worker that its launch came to
  std::any progress;                ///< what the pack left that gave it back
  // Of the worker that runs it:
  std::array<void*, kMostParameters> slots{};
  bool ended = false;  ///< with a result or an error
  bool stop_seen = false;
  BoxRef result;
  std::exception_ptr error;
};

/// What the body of a pack sees: its calls, the one whose launch it is first.
class PackCalls {
 public:
  PackCalls(Packs& packs, std::vector<PackMember*> members) noexcept
      : packs_(packs), members_(std::move(members)) {}

  [[nodiscard]] int size() const noexcept { return static_cast<int>(members_.size()); }
  [[nodiscard]] PackMember& at(int call) const noexcept {
    return *members_[static_cast<std::size_t>(call)];
  }
  [[nodiscard]] bool stop_requested(int call) const noexcept;
  void finish(int call, BoxRef result) const noexcept;
  void fail(int call, std::exception_ptr error) const noexcept;
  void give_back(int call, std::any progress);
  /// Those that were not given back, each with what came of it: a call that the body left open
  /// failed with `error`, or where there is none by the body's mistake.
  [[nodiscard]] std::vector<PackMember*> settle(std::exception_ptr error);

 private:
  Packs& packs_;
  std::vector<PackMember*> members_;  ///< null: given back
};

}  // namespace rt::inline v0::detail
