// Writing results to disk as a task among the others.
#pragma once

#include "runtime/value.h"

namespace rt::inline v0 {

/// Where a persisting task stands among those that are ready.
enum class Persist : unsigned char {
  after_others,   ///< on a worker that would have nothing else to do
  before_others,  ///< when no worker comes to rest
};

/// Calls a task that writes what the store of the Runtime holds back, as far as its share of the
/// time allows (Store::persist). Done at once when there is no store, or another one is at it.
/// Driver thread only.
Value<void> persist_results(Persist when);

}  // namespace rt::inline v0
