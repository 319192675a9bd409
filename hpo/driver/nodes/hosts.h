#pragma once
// The agents that a sweep starts.

#include <functional>
#include <string>
#include <vector>

#include "hpo/driver/nodes/agent_orders.h"
#include "hpo/driver/sweep.h"
#include "runtime/net/hosts.h"

namespace hpo {

/// The program that a person starts, where this is the one that it starts in turn.
[[nodiscard]] std::string program_file();

/// The words that start an agent of the study, here or on a machine that has the same files.
[[nodiscard]] std::vector<std::string> agent_words(const StudySpec& study,
                                                   const RunOptions& options);

/// Those that hold a process of the study to its instruction set; none where it leaves that open.
[[nodiscard]] std::vector<std::string> isa_words(const StudySpec& study);

/// Machines from which processes come that must reach this one.
[[nodiscard]] std::vector<std::string> hosts_to_reach(const RunOptions& options);

/// "with status 3: see FILE, which ends in 'LINE'".
[[nodiscard]] std::string ending_text(const rt::net::HostProcesses::Ended& ended);

/// Starts an agent (`trellis agent`) on each host of RunOptions::hosts, with orders of its own, and
/// one here in a step of a Slurm job.
/// Throws as rt::net::HostProcesses::start.
void start_agents(const StudySpec& study, const RunOptions& options,
                  const std::function<AgentOrders(bool beside)>& orders,
                  rt::net::HostProcesses& processes);

}  // namespace hpo
