#pragma once
// `trellis agent RUN`: a process that runs a study's tasks for its driver.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "hpo/driver/nodes/ticket.h"
#include "hpo/driver/sweep.h"

namespace hpo {

/// How an agent runs.
struct AgentOptions {
  base::Path folder;                  ///< the study's; with a ticket that one says it
  bool orders = false;                ///< its driver tells it what it needs (agent_orders.h)
  std::optional<Ticket> ticket = {};  ///< what it needs, where somebody else starts it
  bool attached = false;  ///< with a ticket: it ends when standard input does (base::Attachment)
  int workers = 0;        ///< CPU workers; 0: one for each core of its part
  int gpus = -1;          ///< -1: all that it sees
  /// It takes no core that another agent of this machine has (agent_share.h). False where its
  /// driver or its scheduler has dealt the cores.
  bool insists = false;
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
/// driver has been there for long enough; with a ticket, until the process that started it ends,
/// and a few seconds more. Returns the exit code: 0, 2 for another build or arithmetic, 75 without
/// a driver. Throws base::Error for a folder that has no study to join, and where AgentShare does.
[[nodiscard]] int run_agent(const AgentOptions& options);

/// The word for an engine on the command line: "automatic", "sequential", "cpu", "cuda".
[[nodiscard]] std::string_view engine_word(Engine engine) noexcept;

}  // namespace hpo
