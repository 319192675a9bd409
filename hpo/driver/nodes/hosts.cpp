#include "hpo/driver/nodes/hosts.h"

#include "base/bytes.h"
#include "base/text.h"
#include "hpo/driver/nodes/agent.h"
#include "hpo/driver/nodes/net_folder.h"
#include "hpo/driver/nodes/slurm_step.h"
#include "runtime/codec.h"

namespace hpo {

void start_agents(const RunOptions& options, const std::function<AgentOrders()>& orders,
                  rt::net::HostProcesses& processes) {
  const base::Path folder = std::filesystem::absolute(options.folder);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<rt::net::HostAgent> agents = rt::net::agents_on(options.hosts);
  if (const SlurmStep* const step = options.step)
    agents.push_back({"localhost", step->node, step->part, step->parts});
  for (const rt::net::HostAgent& agent : agents) {
    rt::net::HostStart start;
    start.host = agent.host;
    start.node = agent.node;
    start.log = NetFolder(folder).path() / (start.node + ".log");
    start.words = {program, "agent", folder.string(), "--orders", "--node", start.node};
    start.input = base::as_text(rt::encode(orders()));
    const auto add = [&](const char* option, std::string value) {
      start.words.emplace_back(option);
      start.words.push_back(std::move(value));
    };
    if (options.workers > 0) add("--workers", std::to_string(options.workers));
    if (options.engine != Engine::automatic)
      add("--executor", std::string(engine_word(options.engine)));
    if (agent.parts > 1) add("--part", base::cat(agent.part, "/", agent.parts));
    processes.start(start);
  }
}

}  // namespace hpo
