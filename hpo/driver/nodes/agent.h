#pragma once
// `trellis agent RUN`: a process that runs a study's tasks for its driver.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "hpo/driver/sweep.h"

namespace hpo {

/// How an agent runs.
struct AgentOptions {
  base::Path folder;    ///< the study's
  bool orders = false;  ///< its driver tells it what it needs (agent_orders.h)
  int workers = 0;      ///< CPU workers; 0: one for each core of its part
  Engine engine = Engine::automatic;
  std::string node;  ///< what it is called; empty: the machine's name
  int part = 1;      ///< of the cores of this machine that this process may use, from 1
  int parts = 1;
  base::Duration orphan = std::chrono::seconds(120);  ///< without a driver, before it ends
  /// Whether the study is over, as far as can be known without a driver; asked when there is none.
  /// None: an agent waits for the next one.
  std::function<bool()> over = {};
};

/// Works until the study ends, its driver sends it away, it is asked to leave by a signal, or no
/// driver has been there for long enough. Returns the exit code: 0, 2 for another build or
/// arithmetic, 75 without a driver. Throws base::Error for a folder that has no study to join.
[[nodiscard]] int run_agent(const AgentOptions& options);

/// The word for an engine on the command line: "automatic", "sequential", "cpu", "cuda".
[[nodiscard]] std::string_view engine_word(Engine engine) noexcept;

}  // namespace hpo
