#include "hpo/driver/nodes/study_nodes.h"

#include <signal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/driver/nodes/slurm_jobs.h"
#include "hpo/driver/nodes/slurm_step.h"
#include "hpo/log/node_info.h"
#include "hpo/log/stop_driver.h"
#include "hpo/study/gpus.h"
#include "runtime/net/slurm.h"
#include "tasks/tasks.h"

namespace hpo {

StudyNodes::StudyNodes(const StudySpec& study, const RunOptions& options, EventLog& log,
                       Observer& observer)
    : study_(study), options_(options), log_(log), observer_(observer), folder_(options.folder) {
  if (!options.on_agents()) return;
  agents_.emplace();
  base::remove_file(stop_wish(options.folder));  // of a driver before
  folder_.retract();
}

namespace {

/// The word behind `name` in an arithmetic.
std::string word_behind(const std::string& arithmetic, std::string_view name) {
  const std::size_t at = arithmetic.find(name);
  if (at == arithmetic.npos) return {};
  const std::size_t from = at + name.size();
  return arithmetic.substr(from, arithmetic.find_first_of(" ;", from) - from);
}

/// What lets an agent with another arithmetic work for the study.
std::string cure_for(const StudySpec& study, const std::string& theirs, const std::string& ours) {
  if (may_use_gpus(study)) return "; with GPUs, drive it from a machine that has the agents' GPU";
  constexpr const char* kSameProcessor = "; drive it from a machine that has the agents' processor";
  constexpr std::string_view kMaker = "; cpu ", kCompiler = "; gcc ", kFunctions = "; elementary ";
  for (const std::string_view same : {kMaker, kCompiler, kFunctions}) {
    if (word_behind(theirs, same) != word_behind(ours, same)) return kSameProcessor;
  }
  if (study.resources.isa != study::Isa::any) return kSameProcessor;
  return "; resources: {isa: avx2} in the study file lets both compute the same";
}

}  // namespace

void StudyNodes::configure(rt::Config& config) {
  if (!agents_) return;
  // Asks Slurm, which may take seconds: a driver that waits for that later loses its agents.
  (void)rt::net::job_ends_soon();
  auto nodes = std::make_shared<rt::NodesConfig>();
  const std::vector<std::string> away = hosts_to_reach(options_);
  // Agents that somebody starts elsewhere must reach a driver, too, that knows of no other machine.
  everywhere_ = std::ranges::all_of(away, rt::net::is_here);
  reached_at_ = everywhere_ ? rt::net::address_outside() : rt::net::address_towards(away);
  nodes->listen_at = everywhere_ ? "0.0.0.0" : reached_at_;
  nodes->identity = rt::net::load_network().issue(folder_.authority(), true);
  nodes->epoch = static_cast<std::uint64_t>(log_.epoch());
  nodes->build = rt::program_stamp();
  nodes->arithmetic = tasks::arithmetic(study_.precision);
  nodes->changed = [this](const rt::net::AgentView& agent, std::size_t again) {
    changed(agent, again);
  };
  if (!study_.runs_command)
    nodes->cure = [this, ours = nodes->arithmetic](const std::string& theirs) {
      return cure_for(study_, theirs, ours);
    };
  nodes->waits = [this](const rt::net::AgentView& agent) {
    return !over_ && !options_.attached && !agents_->has(agent.node);
  };
  nodes->refused = [this](const std::string& node, const std::string& why) {
    observer_.note(base::cat("node ", node, " cannot work for this study: ", why));
    refused(node, why);
  };
  nodes->fenced = [this](std::uint64_t epoch) { log_.fence(static_cast<std::int64_t>(epoch)); };
  nodes->tick = [this] {
    try {
      if (begun_) publish();
    } catch (const base::Error&) {
      // The next tick tries again.
    }
    // Who waits for agents commits nothing, and would not see that they are another driver's now.
    constexpr std::uint64_t kTicks = 8;
    if (++ticks_ % kTicks == 0 && !log_.stands()) log_.fence(log_.epoch() + 1);
    if (rt::net::job_ends_soon()) stop("the time of this job is over in a minute: stopping");
    if (base::file_size(stop_wish(options_.folder))) stop("asked to stop");
    for (const std::string& node : asked_to_dismiss(options_.folder)) dismiss(node);
    see_who_ended();
    say_nobody_came();
    if (const auto news = array_ ? array_->news() : std::nullopt)
      observer_.note(base::cat("job ", array_->jobs(), " of Slurm: ", *news));
    give_up_if_alone();
  };
  config.nodes = std::move(nodes);
}

/// Only of those that this driver has started: Slurm may give a job another node, and one that a
/// person has started was not asked for.
void StudyNodes::refused(const std::string& node, const std::string& why) {
  if (agents_->has(node)) refused_.insert_or_assign(node, why);
}

bool StudyNodes::none_can_work() const {
  const bool only_hosts =
      options_.step == nullptr && options_.slurm.agents == 0 && !options_.hosted;
  return only_hosts && !refused_.empty() && rt::agents().empty() &&
         refused_.size() >= options_.hosts.size();
}

void StudyNodes::require_some() const {
  if (!none_can_work()) return;
  const auto& [node, why] = *refused_.begin();
  throw base::Error(
      base::Errc::no_device,
      base::cat("no agent that was asked for can work for this study; node ", node, ": ", why));
}

void StudyNodes::see_who_ended() {
  const auto all = agents_->look();
  for (const auto& ended : all)
    observer_.note(base::cat("the agent on ", ended.node, " has ended ", ending_text(ended)));
  // Of agents that had come, changed() says it.
  if (!all.empty() && agents_->alive() == 0 && rt::agents().empty() && !array_ && !none_can_work())
    say_alone();
}

/// Whoever starts agents may have an error to show, and shows it elsewhere.
void StudyNodes::say_nobody_came() {
  if (!awaits_first_) return;
  if (!rt::agents().empty()) {
    awaits_first_ = false;
  } else if (base::now() - opened_ > options_.first_agent) {
    awaits_first_ = false;
    observer_.note(
        base::cat("no agent has come in ", base::seconds(options_.first_agent),
                  " s, so nothing runs: look at the output of what starts them, such as the tasks "
                  "of an engine or the log of a job"));
  }
}

void StudyNodes::say_alone() {
  observer_.note(base::cat("no agent is left; the study waits for one: trellis agent ",
                           options_.folder.string()));
}

/// As a signal would, unless there was one already: the second one ends the process at once.
void StudyNodes::stop(const std::string& why) {
  if (std::exchange(stopping_, true)) return;
  if (options_.interrupts != nullptr && options_.interrupts->load() > 0) return;
  observer_.note(why);
  (void)::raise(SIGTERM);
}

void StudyNodes::open(std::int64_t parallel) {
  if (!agents_) return folder_.retract();
  parallel_ = parallel;
  opened_ = base::now();
  awaits_first_ = options_.hosted;
  const std::string listens = rt::nodes_address();
  const std::string port = listens.substr(listens.rfind(':'));
  const std::string address = reached_at_ + port;
  unpublished_ = address;
  if (!options_.hosted || !options_.hosts.empty()) publish();
  if (options_.step != nullptr) StepNews(options_.folder, *options_.step).begun();
  const std::string study = base::read_file(options_.folder / "study.yaml");
  const auto orders = [&](bool beside) {
    // One beside the driver reaches it whatever becomes of this machine's networks.
    return AgentOrders{rt::net::load_network().issue(folder_.authority(), false),
                       beside && everywhere_ ? "127.0.0.1" + port : address, study,
                       beside ? log_.epoch() : 0};
  };
  start_agents(study_, options_, orders, *agents_);
  if (options_.slurm.agents > 0)
    array_.emplace(std::filesystem::absolute(options_.folder), options_.slurm,
                   agent_words(study_, options_));
}

void StudyNodes::publish() {
  if (unpublished_.empty()) return;
  folder_.publish({unpublished_, log_.epoch()});
  unpublished_.clear();
}

void StudyNodes::finish() {
  over_ = true;
  if (agents_) forget_submitted_driver(options_.folder);
}

/// What a driver that is a job of Slurm leaves to its next start, if there is one.
void StudyNodes::leave_to_next() {
  const std::vector<rt::net::AgentView> all = rt::agents();
  const bool worked =
      std::ranges::any_of(all, [](const rt::net::AgentView& agent) { return agent.done > 0; });
  if (!worked) {
    observer_.note("no task was done: this job is not to be started again");
    base::write_file_atomic(stop_wish(options_.folder), "", base::Durability::cached);
  }
  const bool goes_on = !base::file_size(stop_wish(options_.folder)) && job_goes_on();
  if (array_ && goes_on) array_->keep();
}

StudyNodes::Closing::~Closing() {
  try {
    if (nodes_.agents_ && !nodes_.over_ && is_submitted_driver()) nodes_.leave_to_next();
    // Agents that wait for the next driver learn from it that there was one.
    if (nodes_.agents_ && (nodes_.over_ || nodes_.options_.attached)) nodes_.folder_.retract();
  } catch (const base::Error& error) {
    base::warn(error.what());
  }
  if (!nodes_.agents_) return;
  nodes_.closing_ = true;
  if (std::uncaught_exceptions() > errors_) rt::give_up_calls();
  nodes_.give_up_if_alone();
}

/// The last agents may leave while the runtime waits for the calls that they have.
void StudyNodes::give_up_if_alone() {
  if (closing_ && !any_works()) rt::give_up_calls();
}

bool StudyNodes::any_works() {
  const std::vector<rt::net::AgentView> all = rt::agents();
  return std::ranges::any_of(
      all, [](const rt::net::AgentView& one) { return one.state == rt::net::AgentState::working; });
}

std::int64_t StudyNodes::slots(const TrialResources& asked) {
  std::int64_t all = 0;
  for (const rt::net::AgentView& agent : rt::agents()) {
    if (agent.state != rt::net::AgentState::working) continue;
    std::int64_t here = agent.slots / std::max<std::int64_t>(1, asked.cpus);
    if (asked.gpus > 0)
      here = std::min(here, static_cast<std::int64_t>(std::floor(agent.gpus / asked.gpus)));
    all += here;
  }
  return std::clamp<std::int64_t>(all, 1, kMostSlots);
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
  if (!any_works() && !closing_) say_alone();
}

}  // namespace hpo
