#include "hpo/driver/nodes/study_nodes.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "hpo/driver/nodes/slurm_step.h"
#include "hpo/log/node_info.h"
#include "runtime/net/slurm.h"
#include "tasks/tasks.h"

namespace hpo {

StudyNodes::StudyNodes(const StudySpec& study, const RunOptions& options, EventLog& log,
                       Observer& observer)
    : study_(study), options_(options), log_(log), observer_(observer), folder_(options.folder) {
  if (options.on_agents()) agents_.emplace();
}

namespace {

/// Machines from which agents come; the address of the driver is the one that leads to them.
std::vector<std::string> hosts_to_reach(const RunOptions& options) {
  std::vector<std::string> hosts = options.hosts;
  if (options.step != nullptr && !options.step->peer.empty()) hosts.push_back(options.step->peer);
  if (options.slurm.agents > 0) {
    std::string node = some_slurm_node();
    if (!node.empty()) hosts.push_back(std::move(node));
  }
  return hosts;
}

}  // namespace

void StudyNodes::configure(rt::Config& config) {
  if (!agents_) return;
  // Asks Slurm, which may take seconds: a driver that waits for that later loses its agents.
  (void)rt::net::job_ends_soon();
  auto nodes = std::make_shared<rt::NodesConfig>();
  nodes->listen_at = rt::net::address_towards(hosts_to_reach(options_));
  nodes->identity = rt::net::load_network().issue(folder_.authority(), true);
  nodes->epoch = static_cast<std::uint64_t>(log_.epoch());
  nodes->build = rt::program_stamp();
  nodes->arithmetic = tasks::arithmetic(study_.precision);
  nodes->changed = [this](const rt::net::AgentView& agent, std::size_t again) {
    changed(agent, again);
  };
  nodes->fenced = [this](std::uint64_t epoch) { log_.fence(static_cast<std::int64_t>(epoch)); };
  nodes->tick = [this] {
    if (!stopping_ && rt::net::job_ends_soon()) {
      stopping_ = true;
      observer_.note("the time of this job is over in a minute: stopping");
      (void)::raise(SIGTERM);
    }
    for (const std::string& node : asked_to_dismiss(options_.folder)) dismiss(node);
    for (const auto& ended : agents_->look())
      observer_.note(base::cat("the agent on ", ended.node, " has ended ", ended.how, ": see ",
                               ended.log.string()));
    if (const auto news = array_ ? array_->news() : std::nullopt)
      observer_.note(base::cat("job ", array_->job(), " of Slurm: ", *news));
  };
  config.nodes = std::move(nodes);
}

void StudyNodes::open(std::int64_t parallel) {
  if (!agents_) return;
  parallel_ = parallel;
  folder_.publish({rt::nodes_address(), log_.epoch()});
  if (options_.step != nullptr) StepNews(options_.folder, *options_.step).begun();
  const std::string study = base::read_file(options_.folder / "study.yaml");
  const auto orders = [&] {
    return AgentOrders{rt::net::load_network().issue(folder_.authority(), false),
                       rt::nodes_address(), study};
  };
  start_agents(options_, orders, *agents_);
  if (options_.slurm.agents > 0)
    array_.emplace(std::filesystem::absolute(options_.folder), options_.slurm,
                   agent_words(options_));
}

StudyNodes::Closing::~Closing() {
  if (nodes_.agents_ && (std::uncaught_exceptions() > errors_ || !any_works())) rt::give_up_calls();
}

bool StudyNodes::any_works() {
  const std::vector<rt::net::AgentView> all = rt::agents();
  return std::ranges::any_of(
      all, [](const rt::net::AgentView& one) { return one.state == rt::net::AgentState::working; });
}

/// A search feeds as many workers as it has slots.
void StudyNodes::say_idle() {
  std::int64_t workers = 0;
  for (const rt::net::AgentView& agent : rt::agents()) {
    if (agent.state == rt::net::AgentState::working) workers += agent.slots;
  }
  if (workers > parallel_)
    observer_.note(base::cat("parallel: ", parallel_, " keeps ", parallel_, " of ", workers,
                             " workers busy; a larger one uses them all, and is another search"));
}

void StudyNodes::dismiss(const std::string& node) {
  for (const rt::net::AgentView& agent : rt::agents()) {
    if (agent.node == node && agent.state != rt::net::AgentState::lost &&
        agent.state != rt::net::AgentState::left)
      rt::dismiss_agent(agent.number);
  }
}

void StudyNodes::changed(const rt::net::AgentView& agent, std::size_t again) {
  switch (agent.state) {
    case rt::net::AgentState::working:
      observer_.note(base::cat("node ", agent.node,
                               " has come: ", base::counted(agent.slots, "worker"),
                               agent.gpus > 0 ? ", " + base::counted(agent.gpus, "gpu") : ""));
      return say_idle();
    case rt::net::AgentState::leaving:
      return observer_.note(base::cat("node ", agent.node, " is leaving"));
    case rt::net::AgentState::left:
      return observer_.note(base::cat("node ", agent.node, " has left"));
    case rt::net::AgentState::lost:
      break;
  }
  agents_->lost(agent.node);
  const std::string what =
      base::cat("node ", agent.node, " was lost: ", agent.why, "; ", base::counted(again, "task"),
                again == 1 ? " runs" : " run", " again elsewhere");
  log_.note(base::cat("lost agent ", agent.number, " of epoch ", log_.epoch()), what);
  observer_.note(what);
  if (!any_works())
    observer_.note(base::cat("no agent is left; the study waits for one: trellis agent ",
                             options_.folder.string()));
}

}  // namespace hpo
