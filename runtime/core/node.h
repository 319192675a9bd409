// A call of a task: made by the driver, handed to an executor once its inputs allow it, run by a
// worker.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <source_location>
#include <span>

#include "base/clock.h"
#include "runtime/core/launch.h"
#include "runtime/core/task_info.h"

namespace rt::inline v0::detail {

struct GroupState;
struct PackMember;

/// What a node reads. Waits for the version on behalf of its node.
struct Input : Waiter {
  Version* version = nullptr;  ///< one hold, given back when the node ends
  BoxRef box;                  ///< the content, from the hand-over to the end
  bool claimed = false;        ///< updated in place
  std::uint8_t access = kNoAccess;

  static constexpr std::uint8_t kNoAccess = 255;
};

/// What a node makes.
struct Output {
  Version* version = nullptr;  ///< one reference
  BoxRef box;                  ///< its content, once known
  std::uint8_t access = Input::kNoAccess;
};

/// Where a node is in its life. Written by the driver up to `scheduled`.
enum class Phase : std::uint8_t { pending, scheduled, handed, ended };

struct Node : Launch {
  const TaskInfo* info;
  GroupState* group = nullptr;  ///< one reference; null: the root
  Input* inputs = nullptr;      ///< info->signature->inputs of them
  Output* outputs = nullptr;    ///< info->signature->outputs of them
  /// One for each output that somebody holds, one while it is pending (a task that is not pure) or
  /// runs.
  std::atomic<std::uint32_t> refs{1};
  std::atomic<std::int32_t> missing{0};  ///< inputs to wait for before the hand-over
  std::atomic<Phase> phase{Phase::pending};
  bool missed = false;        ///< driver: the store was asked in vain
  bool keyed = false;         ///< driver: key is known (pure tasks)
  bool keys_awaited = false;  ///< driver: an event will come once an input without a key is there
  bool listed = false;        ///< among the pure nodes that nobody asked for
  bool emptied = false;       ///< inputs and constants were given back
  std::uint32_t number = 0;   ///< in the order of calls, for the picture and the trace
  std::source_location where;
  base::Key key{};
  Resources needs;
  bool travels = false;          ///< driver: other processes run it (shipping.h)
  bool limited = false;          ///< has needs that must be admitted
  bool admitted = false;         ///< and given back at the end
  base::Duration ran{};          ///< the last attempt's body
  PackMember* member = nullptr;  ///< owned; of one that others may take along (packs.h)
  Node* next = nullptr;          ///< in whatever list it is at the moment
  Node* prev = nullptr;
  std::size_t size = 0;  ///< of the allocation

  explicit Node(const TaskInfo* task) noexcept : info(task) {}

  [[nodiscard]] const Signature& signature() const noexcept { return *info->signature; }
  [[nodiscard]] std::span<Input> all_inputs() const noexcept {
    return {inputs, info->signature->inputs};
  }
  [[nodiscard]] std::span<Output> all_outputs() const noexcept {
    return {outputs, info->signature->outputs};
  }
  /// Returns the failure of the first input that is poisoned; null if none is.
  [[nodiscard]] Failure* first_failure() const noexcept {
    for (const Input& input : all_inputs()) {
      if (input.version->at() > Stage::ready) return input.version->failure;
    }
    return nullptr;
  }
  /// True if its group is this one or inside it.
  [[nodiscard]] bool inside(const GroupState& outer) const noexcept;
  void ref() noexcept { refs.fetch_add(1, std::memory_order_relaxed); }
  void unref() noexcept {
    if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(this);
  }
  /// A reference to a node that may be dying. False: too late.
  [[nodiscard]] bool try_ref() noexcept;
  /// Gives back inputs and constants, once.
  void empty() noexcept;

 private:
  static void destroy(Node* node) noexcept;
};

/// Memory for nodes and versions, recycled: the driver takes, anybody gives back. `size` up to 1
/// KiB is pooled.
[[nodiscard]] void* pool_take(std::size_t size);
void pool_give(void* memory, std::size_t size) noexcept;

}  // namespace rt::inline v0::detail
