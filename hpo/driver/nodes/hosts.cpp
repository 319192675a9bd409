#include "hpo/driver/nodes/hosts.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "hpo/driver/nodes/agent.h"
#include "hpo/driver/nodes/net_folder.h"

namespace hpo {

void start_agents(const RunOptions& options, rt::net::HostProcesses& processes) {
  const base::Path folder = std::filesystem::absolute(options.folder);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto here = std::ranges::count_if(options.hosts, rt::net::is_here);
  std::map<std::string, int> seen;
  int part = 0;
  for (const std::string& host : options.hosts) {
    const int number = ++seen[host];
    rt::net::HostStart start;
    start.host = host;
    start.node = number == 1 ? host : base::cat(host, "-", number);
    start.log = NetFolder(folder).path() / (start.node + ".log");
    start.words = {program, "agent", folder.string(), "--node", start.node};
    const auto add = [&](const char* option, std::string value) {
      start.words.emplace_back(option);
      start.words.push_back(std::move(value));
    };
    if (options.workers > 0) add("--workers", std::to_string(options.workers));
    if (options.engine != Engine::automatic)
      add("--executor", std::string(engine_word(options.engine)));
    if (rt::net::is_here(host)) add("--part", base::cat(++part, "/", here));
    processes.start(start);
  }
}

}  // namespace hpo
