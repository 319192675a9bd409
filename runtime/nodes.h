// Several processes: a driver that lets agents run its pure tasks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "runtime/net/agent.h"
#include "runtime/net/dispatcher.h"
#include "runtime/net/transport.h"

namespace rt::inline v0 {

/// How a driver takes agents in. Part of Config.
struct NodesConfig {
  net::Identity identity;  ///< of the driver
  std::string listen_at = "127.0.0.1";
  std::uint64_t epoch = 1;  ///< one more each time that a driver takes the study over
  std::string build;        ///< what agents must have been built from
  std::string arithmetic;   ///< and compute with
  /// What lets one with that other arithmetic work, said after what differs: "; ...". None:
  /// nothing.
  std::function<std::string(const std::string& theirs)> cure;
  base::Duration patience = std::chrono::seconds(3);  ///< silence after which an agent is lost
  /// Called on the driver thread when an agent has come, goes or is gone; with how many calls run
  /// again elsewhere.
  std::function<void(const net::AgentView& agent, std::size_t again)> changed;
  /// Called on the driver thread for an agent that cannot work for this driver.
  std::function<void(const std::string& node, const std::string& why)> refused;
  /// Whether an agent waits for the next driver at the end of this one, as it does when a driver
  /// dies. Called on the driver thread. None: no agent does.
  std::function<bool(const net::AgentView& agent)> waits;
  /// Called on the driver thread several times a second.
  std::function<void()> tick;
  /// Whether all agents are there that will ever be: a call that none of them can take fails then.
  /// None: more may come, and such a call waits.
  std::function<bool()> complete;
  /// Called on the driver thread once another driver has taken over.
  std::function<void(std::uint64_t epoch)> fenced;
};

/// Where agents reach the driver of this process: "host:port". Driver thread only.
[[nodiscard]] std::string nodes_address();
/// Whether agents run this process's calls, or will. Driver thread only.
[[nodiscard]] bool takes_agents();
/// The agents that there are and the last that were. Driver thread only.
[[nodiscard]] std::vector<net::AgentView> agents();
/// What all agents have counted for this driver (AgentConfig::totals), by the time of their last
/// answers. Driver thread only.
[[nodiscard]] std::vector<double> agent_totals();
/// Sends one away. Driver thread only.
void dismiss_agent(std::uint32_t number);

/// Lets a content that an agent keeps come into the store of this process, which has one. False
/// where none keeps it. Driver thread only.
bool bring_to_store(base::Key key);
/// Contents that are on their way there. Driver thread only.
[[nodiscard]] std::size_t coming_to_store();

/// Ends all calls that agents were to run as lost, for want of agents. Driver thread only.
void give_up_calls();

/// What an agent's tasks could use workers of other agents for, and what workers of this one do for
/// theirs (net::Lend). Driver thread only.
class Loans {
 public:
  virtual ~Loans() = default;
  /// Returns what this agent could use now. Asked several times a second.
  [[nodiscard]] virtual std::vector<net::Wish> wishes() = 0;
  /// Uses a worker of this agent that has no task as those terms say, until end(). Does not throw.
  virtual void begin(std::uint64_t loan, const base::Bytes& terms) = 0;
  /// Ends such a use: a task is about to need the worker.
  virtual void end(std::uint64_t loan) = 0;
  /// Returns the loans whose use has ended by itself, since the last time. Asked as wishes().
  [[nodiscard]] virtual std::vector<std::uint64_t> take_ended() = 0;
};

/// How a process serves as an agent.
struct AgentConfig {
  net::Identity identity;
  std::function<std::string()> address;  ///< asked each time that it knocks; empty: no driver now
  std::string node;                      ///< this machine's name
  std::string build;
  std::string arithmetic;
  base::Duration orphan = std::chrono::seconds(120);  ///< without a driver, before it ends
  std::function<void()> welcomed = {};                ///< a driver has taken it in
  std::function<bool()> stopping;                     ///< whether it is to leave
  base::Duration leave = std::chrono::seconds(15);    ///< for the calls that it has then
  /// Numbers that this process counts, at most 16: agent_totals() sums them for the driver. Null:
  /// none.
  std::function<std::vector<double>()> totals;
  Loans* loans = nullptr;  ///< null: it lends no workers, and wishes for none
};

/// Runs what a driver sends, with the Runtime that there is, until the driver says bye, the agent
/// is unwanted or leaves, or there has been no driver for too long. Returns which, and sets `text`
/// to what the driver said. The calling thread is the driver thread of that Runtime.
net::Dismissal serve(const AgentConfig& config, std::string& text);

/// An agent's exit code: 0 over, 2 unwanted, 75 orphaned.
[[nodiscard]] int exit_code(net::Dismissal why) noexcept;

/// What two programs must have in common to share work: made from the executable's bytes.
[[nodiscard]] std::string program_stamp();

}  // namespace rt::inline v0
