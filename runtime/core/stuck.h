// Waits of the driver that would last for ever, because a promise behind them cannot be set.
//
// Promises are set on the driver thread. So while that blocks, a task behind a promise cannot run,
// nor what needs it: once nothing else is left to run either, the wait would never end. What is
// behind an open promise can be walked by the driver at any time: no worker touches it before the
// promise is set. Driver thread only.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/core/version.h"

namespace rt::inline v0::detail {

class Engine;
struct GroupState;

/// What the driver blocks for, in the words of an error when it would wait for ever.
struct Wait {
  const char* action;                 ///< "rt::wait_all"
  const Version* awaited = nullptr;   ///< one version; null: many
  const GroupState* group = nullptr;  ///< the tasks of one group; null: all
  bool coroutines = false;            ///< coroutines go on meanwhile
};

/// Returns why a wait would never end, naming a task and a promise.
[[nodiscard]] std::string why_stuck(const Wait& wait);
/// Returns how many scheduled nodes cannot start before a promise is set.
[[nodiscard]] std::uint64_t count_held_back();
/// Poisons the promises that tasks wait for, and warns. Returns false if there was none.
bool give_up_promises(Engine& engine) noexcept;

}  // namespace rt::inline v0::detail
