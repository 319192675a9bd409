#include "hpo/driver/nodes/agent.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/process/attachment.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "hpo/driver/interrupt.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/driver/nodes/agent_orders.h"
#include "hpo/driver/nodes/agent_share.h"
#include "hpo/driver/nodes/lent_workers.h"
#include "hpo/driver/nodes/net_folder.h"
#include "hpo/driver/nodes/slurm_jobs.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/programs/program_host.h"
#include "hpo/driver/run_config.h"
#include "hpo/log/study_reader.h"
#include "hpo/study/asked.h"
#include "runtime/instance.h"
#include "runtime/net/slurm.h"
#include "runtime/nodes.h"
#include "tasks/tasks.h"

namespace hpo {

std::string_view engine_word(Engine engine) noexcept {
  switch (engine) {
    case Engine::sequential:
      return "sequential";
    case Engine::starpu_cpu:
      return "cpu";
    case Engine::starpu_cuda:
      return "cuda";
    case Engine::automatic:
      break;
  }
  return "automatic";
}

namespace {

/// Where an agent finds its study, and its driver.
struct Seat {
  base::Path folder;
  bool shared = true;  ///< the driver's own folder
  std::string study;
  rt::net::Identity identity;
  std::function<std::string()> address;
};

Seat seat_in(const base::Path& folder) {
  const NetFolder net(folder);
  if (!net.driver()) {
    const StudyReader study(folder);
    if (study.info().state == StudyState::finished)
      throw base::Error(base::Errc::usage, base::cat(folder.string(),
                                                     ": the study is finished, so there is no "
                                                     "work"));
    refuse_agents(folder, study.driver().has_value());
  }
  return {.folder = folder,
          .study = base::read_file(folder / "study.yaml"),
          .identity = rt::net::load_network().issue(net.authority(), false),
          .address = [net] {
            const auto driver = net.driver();
            return driver ? driver->address : std::string();
          }};
}

/// What a ticket says instead of a driver. Throws base::Error (usage).
AgentOrders orders_of(const Ticket& ticket) {
  require_keys(ticket);
  return {ticket.identity, ticket.address, ticket.study};
}

/// Ties an agent to the process that started it.
class Tie {
 public:
  explicit Tie(bool by_input)
      : attachment_(
            by_input,
            [this](const std::stop_token& ends) {
              lost_ = true;
              const base::Moment begun = base::now();
              while (base::seconds_since(begun) < kEnding) {
                if (ends.stop_requested()) return;
                base::sleep_for(std::chrono::milliseconds(50));
              }
              // Its driver does without it by now, and whoever started it may count on its end.
              ::_exit(base::exit_code(base::Errc::cancelled));
            },
            base::first_parent()) {}

  [[nodiscard]] bool is_lost() const noexcept { return lost_; }

 private:
  static constexpr double kEnding = 5;  ///< seconds
  std::atomic<bool> lost_ = false;
  base::Attachment attachment_;
};

/// The folder, if this machine sees it: a later driver can be found there.
Seat seat_by(const AgentOrders& orders, const base::Path& folder,
             std::optional<base::HeldFolder>& room) {
  if (sees_folder(folder, orders)) {
    Seat seat = seat_in(folder);
    if (orders.beside > 0)
      seat.address = [net = NetFolder(folder), orders] {
        const auto driver = net.driver();
        if (!driver) return std::string();
        return driver->epoch == orders.beside ? orders.address : driver->address;
      };
    return seat;
  }
  room.emplace(base::node_folder(), "trellis-agent-");
  return {.folder = room->path(),
          .shared = false,
          .study = orders.study,
          .identity = orders.identity,
          .address = [address = orders.address] { return address; }};
}

/// With the ticket's address for as long as its driver is there: whoever made it may have said how
/// that one is reached.
Seat seat_with(const Ticket& ticket, std::optional<base::HeldFolder>& room) {
  Seat seat = seat_by(orders_of(ticket), ticket.folder, room);
  if (!seat.shared) return seat;
  const auto port = [](const std::string& address) { return address.substr(address.rfind(':')); };
  seat.address = [port, own = ticket.address, last = std::move(seat.address)] {
    std::string now = last();
    return !now.empty() && port(now) == port(own) ? own : now;
  };
  return seat;
}

Seat seat_of(const AgentOptions& options, std::optional<base::HeldFolder>& room) {
  if (options.ticket) return seat_with(*options.ticket, room);
  return options.orders ? seat_by(read_orders(), options.folder, room) : seat_in(options.folder);
}

/// Without an address of its own, an agent trains its networks alone, and lends no workers.
void open_to_visitors(std::optional<VisitorTrainings>& trainings, const StudySpec& study,
                      const rt::net::Identity& own, const std::string& at) {
  try {
    trainings.emplace(study, own, at);
  } catch (const base::Error& error) {
    base::warn(base::cat("workers of other agents cannot join trainings here: ", error.what()));
  }
}

}  // namespace

int run_agent(const AgentOptions& options) {
  std::optional<base::HeldFolder> room;
  const Seat seat = seat_of(options, room);
  base::take_part_of_cores(options.part, options.parts);
  // Slurm may leave a task all cores of its machine, and count on its good will.
  const int workers = options.workers > 0 ? options.workers
                                          : std::min(rt::net::slurm_cores(), base::usable_cores());
  const AgentShare share({.workers = workers,
                          .gpus = options.gpus,
                          .insists = options.insists,
                          .asked = options.workers > 0});
  std::optional<Tie> tie;
  if (options.ticket) tie.emplace(options.attached);
  (void)rt::net::job_ends_soon();  // asks Slurm, before the driver waits for signs of life
  const StudySpec study =
      parse_study(seat.study, "study.yaml", "/", {.data_elsewhere = !seat.shared});
  if (!study.runs_command) {
    require_isa(study);
    tasks::setup_process();
  }
  RunOptions run;
  run.folder = seat.folder;
  run.sharing = seat.shared;
  run.workers = share.workers();
  run.engine = options.engine;
  const Interrupts interrupts;
  std::atomic<bool> over = false;
  const auto leaving = [&] {
    return over || interrupts.asked()->load() > 0 || (tie && tie->is_lost()) ||
           rt::net::job_ends_soon();
  };
  std::optional<ProgramHost> programs;
  if (study.runs_command) programs.emplace(study, seat.folder, seat.shared, leaving);
  rt::Config config = config_of(run, study);
  config.pace_file.clear();
  if (options.gpus >= 0) config.gpus = options.gpus;
  const std::string at = lends_workers(study) ? address_for_agents(seat.address()) : std::string();
  std::optional<VisitorTrainings> trainings;
  if (!at.empty()) open_to_visitors(trainings, study, seat.identity, at);
  const rt::Runtime runtime(config);
  if (run.engine == Engine::automatic && runtime.executor() == rt::Executor::sequential)
    throw base::Error(base::Errc::no_device,
                      "an agent needs StarPU: without it nothing is heard of an agent that runs a "
                      "task, so that its driver thinks it lost");
  if (!study.runs_command) prepare_gpu(trial_resources(study, study.space.middle()));
  rt::AgentConfig agent;
  agent.identity = seat.identity;
  agent.address = [&] {
    if (options.over && options.over()) over = true;
    return over ? std::string() : seat.address();
  };
  agent.node = options.node.empty() ? share.node() : options.node;
  agent.build = rt::program_stamp();
  agent.arithmetic = tasks::arithmetic(study.precision);
  // Who starts it by hand looks at its output; that of others is a log.
  if (!options.orders)
    agent.welcomed = [&] {
      base::note(base::cat("node ", agent.node, " works for the driver at ", seat.address()));
    };
  agent.stopping = leaving;
  agent.orphan = options.orphan;
  // A program has its time to end, and some to say so.
  if (study.runs_command)
    agent.leave = agent.leave + std::chrono::nanoseconds(std::llround(1e9 * study.limits.grace));
  agent.totals = counted_by_tasks;
  std::optional<LentWorkers> loans;
  if (trainings) loans.emplace(study, *trainings, seat.identity, at, agent.node);
  agent.loans = loans ? &*loans : nullptr;
  std::string text;
  const rt::net::Dismissal why = rt::serve(agent, text);
  if (!text.empty()) base::warn(text);
  // One that has no driver, or that this study cannot use, is not started again.
  if (why == rt::net::Dismissal::over && !over && leaving() && is_submitted_agent())
    requeue_this_job();
  return rt::exit_code(why);
}

}  // namespace hpo
