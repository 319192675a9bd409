#pragma once
// A driver's side of a study on several agents.

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>

#include "hpo/driver/nodes/hosts.h"
#include "hpo/driver/nodes/net_folder.h"
#include "hpo/driver/nodes/slurm_array.h"
#include "hpo/log/event_log.h"
#include "hpo/study/trial_spec.h"
#include "runtime/config.h"
#include "runtime/nodes.h"

namespace hpo {

/// Lets agents run a study's tasks, if RunOptions::on_agents(); else does nothing. To be made
/// before the runtime, which it configures, and to go after it.
class StudyNodes {
 public:
  static constexpr std::int64_t kMostSlots = 4096;  ///< of a search

  StudyNodes(const StudySpec& study, const RunOptions& options, EventLog& log, Observer& observer);

  /// Lets the runtime of that configuration take agents in.
  void configure(rt::Config& config);
  /// Says where the driver is, and starts the agents; else that no driver takes any in. The runtime
  /// is there, and study.yaml.
  /// `parallel`: slots of the search.
  void open(std::int64_t parallel);

  /// The search begins. Only from here on do agents that others start learn where the driver is,
  /// and only when it waits: a study that turns out to be over needs none.
  void begin() noexcept { begun_ = true; }

  /// Throws base::Error (no_device) with the cure if every agent that was asked for has come and
  /// cannot work for this study: nothing would ever run.
  void require_some() const;

  /// Trials of that need that the agents which work now hold together, at least 1.
  [[nodiscard]] static std::int64_t slots(const TrialResources& asked);

  /// The study is over: no other driver will need its agents.
  void finish();

  /// To go right before the runtime, which waits for all calls that are left. Where no agent is
  /// there to end them, or an error ends the study, nobody needs them any more.
  class Closing {
   public:
    explicit Closing(StudyNodes& nodes) : nodes_(nodes) {}
    ~Closing();
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;

   private:
    StudyNodes& nodes_;
    int errors_ = std::uncaught_exceptions();
  };

 private:
  [[nodiscard]] static bool any_works();
  [[nodiscard]] bool none_can_work() const;
  void give_up_if_alone();
  void see_who_ended();
  void say_alone();
  void say_nobody_came();
  void publish();
  void changed(const rt::net::AgentView& agent, std::size_t again);
  void refused(const std::string& node, const std::string& why);
  void say_idle();
  void stop(const std::string& why);
  void dismiss(const std::string& node);
  void leave_to_next();

  const StudySpec& study_;
  const RunOptions& options_;
  EventLog& log_;
  Observer& observer_;
  NetFolder folder_;
  std::int64_t parallel_ = 0;
  std::uint64_t ticks_ = 0;
  bool everywhere_ = false;  ///< it listens on all networks of this machine
  std::string reached_at_;   ///< host
  std::string unpublished_;  ///< address; empty: agents are told it
  bool begun_ = false;
  base::Moment opened_{};
  bool awaits_first_ = false;                   ///< others start agents, and none has come yet
  std::map<std::string, std::string> refused_;  ///< of agents that were asked for: why, by node
  bool over_ = false;
  bool stopping_ = false;  ///< or was asked to
  bool closing_ = false;   ///< the runtime waits for the calls that are left
  std::optional<rt::net::HostProcesses> agents_;
  std::optional<SlurmArray> array_;
};

}  // namespace hpo
