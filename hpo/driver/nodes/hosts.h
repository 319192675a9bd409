#pragma once
// The agents that a sweep starts.

#include "hpo/driver/sweep.h"
#include "runtime/net/hosts.h"

namespace hpo {

/// Starts an agent (`trellis agent`) on each host of RunOptions::hosts. Throws as
/// rt::net::HostProcesses::start.
void start_agents(const RunOptions& options, rt::net::HostProcesses& processes);

}  // namespace hpo
