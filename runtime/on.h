// Which kind of device calls are for.
#pragma once

#include "runtime/context.h"

namespace rt::inline v0 {

/// While it lives, calls on the driver thread are for that kind of device, if their task has a body
/// for it; a task's own needs come first. The kind is part of a pure task's key. Not to be held
/// across a co_await.
class On {
 public:
  /// Throws base::Error (usage) as a call would: without a Runtime, or in a body.
  explicit On(Device kind);
  ~On();
  On(const On&) = delete;
  On& operator=(const On&) = delete;

 private:
  Device before_;
};

}  // namespace rt::inline v0
