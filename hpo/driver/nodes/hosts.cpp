#include "hpo/driver/nodes/hosts.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/bytes.h"
#include "base/executable.h"
#include "base/text.h"
#include "hpo/driver/nodes/agent.h"
#include "hpo/driver/nodes/net_folder.h"
#include "hpo/driver/nodes/slurm_jobs.h"
#include "hpo/driver/programs/trial_folder.h"
#include "hpo/study/words.h"
#include "runtime/codec.h"
#include "runtime/net/step.h"

namespace hpo {

std::string program_file() {
  const base::Path self = base::this_program();
  const base::Path door = self.parent_path() / "trellis";
  return self.filename() == "trellis-engine" && base::file_size(door) ? door : self;
}

std::vector<std::string> agent_words(const StudySpec& study, const RunOptions& options) {
  std::vector<std::string> words{program_file(), "agent",
                                 std::filesystem::absolute(options.folder).string()};
  const auto add = [&](const char* option, std::string value) {
    words.emplace_back(option);
    words.push_back(std::move(value));
  };
  if (options.workers > 0) add("--workers", std::to_string(options.workers));
  if (options.engine != Engine::automatic)
    add("--executor", std::string(engine_word(options.engine)));
  std::ranges::move(isa_words(study), std::back_inserter(words));
  return words;
}

std::vector<std::string> isa_words(const StudySpec& study) {
  if (study.resources.isa == study::Isa::any) return {};
  return {"--isa", std::string(study::to_word(study.resources.isa))};
}

std::vector<std::string> hosts_to_reach(const RunOptions& options) {
  std::vector<std::string> hosts = options.hosts;
  if (options.step != nullptr && !options.step->peer.empty()) hosts.push_back(options.step->peer);
  if (options.slurm.agents > 0) hosts.push_back(some_slurm_node());
  return hosts;
}

std::string ending_text(const rt::net::HostProcesses::Ended& ended) {
  // As ssh of a machine that it does not know.
  const std::vector<std::string> last = last_lines_of(ended.log, 1);
  return base::cat(ended.how, ": see ", ended.log.string(),
                   last.empty() ? "" : base::cat(", which ends in '", last.front(), "'"));
}

void start_agents(const StudySpec& study, const RunOptions& options,
                  const std::function<AgentOrders(bool beside)>& orders,
                  rt::net::HostProcesses& processes) {
  const base::Path folder = std::filesystem::absolute(options.folder);
  std::vector<rt::net::HostAgent> agents = rt::net::agents_on(options.hosts);
  if (const rt::net::Step* const step = options.step)
    agents.push_back({"localhost", step->node, step->part, step->parts});
  for (const rt::net::HostAgent& agent : agents) {
    rt::net::HostStart start;
    start.host = agent.host;
    start.node = agent.node;
    start.log = NetFolder(folder).path() / (start.node + ".log");
    start.words = agent_words(study, options);
    for (const char* word : {"--orders", "--node", start.node.c_str()})
      start.words.emplace_back(word);
    const bool beside = options.step != nullptr && agent.node == options.step->node;
    if (beside && options.workers == 0 && options.step->cores > 0) {
      start.words.emplace_back("--workers");
      start.words.push_back(std::to_string(options.step->cores));
    }
    if (agent.parts > 1) {
      start.words.emplace_back("--part");
      start.words.push_back(base::cat(agent.part, "/", agent.parts));
    }
    start.input = base::as_text(rt::encode(orders(rt::net::is_here(agent.host))));
    processes.start(start);
  }
}

}  // namespace hpo
