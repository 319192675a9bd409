#pragma once
// The agents that a sweep starts.

#include <functional>

#include "hpo/driver/nodes/agent_orders.h"
#include "hpo/driver/sweep.h"
#include "runtime/net/hosts.h"

namespace hpo {

/// Starts an agent (`trellis agent`) on each host of RunOptions::hosts, with orders of its own, and
/// one here in a step of a Slurm job.
/// Throws as rt::net::HostProcesses::start.
void start_agents(const RunOptions& options, const std::function<AgentOrders()>& orders,
                  rt::net::HostProcesses& processes);

}  // namespace hpo
