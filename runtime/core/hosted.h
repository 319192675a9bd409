// What rt::init knows, for the runtimes that follow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/config.h"

namespace rt::inline v0::detail {

/// True from the call of rt::init on.
[[nodiscard]] bool initialised() noexcept;
/// Throws base::Error (usage) naming `what` if rt::init was called.
void require_before_init(const char* what);

/// The agents of a runtime that rt::init was told of. Goes after the runtime.
class Hosted {
 public:
  virtual ~Hosted() = default;
  /// The runtime is there: the agents are started.
  virtual void start() = 0;
  /// The runtime is about to end.
  virtual void end() {}
};

/// Lets the configuration take agents in if rt::init was told of hosts, and if it says nothing of
/// agents itself; else returns null.
[[nodiscard]] std::unique_ptr<Hosted> host_agents(Config& config);

}  // namespace rt::inline v0::detail
