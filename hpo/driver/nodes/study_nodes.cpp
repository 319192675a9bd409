#include "hpo/driver/nodes/study_nodes.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "base/words.h"
#include "tasks/tasks.h"

namespace hpo {

namespace {

constexpr const char* kHere = "127.0.0.1";

/// This machine's address on the way to a host: nothing is sent.
std::string address_towards(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const std::string name = host.substr(host.find('@') == host.npos ? 0 : host.find('@') + 1);
  if (::getaddrinfo(name.c_str(), "9", &hints, &found) != 0 || found == nullptr) return "0.0.0.0";
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, &::freeaddrinfo);
  const base::File socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  socklen_t size = sizeof own;
  if (socket.fd() < 0 || ::connect(socket.fd(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&own), &size) != 0)
    return "0.0.0.0";
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &own.sin_addr, text, sizeof text);
  return text;
}

}  // namespace

StudyNodes::StudyNodes(const StudySpec& study, const RunOptions& options, EventLog& log,
                       Observer& observer)
    : study_(study), options_(options), log_(log), observer_(observer), folder_(options.folder) {
  if (!options.hosts.empty()) agents_.emplace(options, observer);
}

void StudyNodes::configure(rt::Config& config) {
  if (!agents_) return;
  auto nodes = std::make_shared<rt::NodesConfig>();
  const auto away = std::ranges::find_if_not(options_.hosts, is_here);
  nodes->listen_at = away != options_.hosts.end() ? address_towards(*away) : kHere;
  nodes->identity = rt::net::load_network().issue(folder_.authority(), true);
  nodes->epoch = static_cast<std::uint64_t>(log_.epoch());
  nodes->build = program_stamp();
  nodes->arithmetic = tasks::arithmetic(study_.precision);
  nodes->changed = [this](const rt::net::AgentView& agent, std::size_t again) {
    changed(agent, again);
  };
  nodes->tick = [this] { agents_->look(); };
  config.nodes = std::move(nodes);
}

void StudyNodes::open() {
  if (!agents_) return;
  folder_.publish({rt::nodes_address(), log_.epoch()});
  agents_->start();
}

void StudyNodes::changed(const rt::net::AgentView& agent, std::size_t again) {
  switch (agent.state) {
    case rt::net::AgentState::working:
      return observer_.note(
          base::cat("node ", agent.node, " has come: ", base::counted(agent.slots, "worker"),
                    agent.gpus > 0 ? ", " + base::counted(agent.gpus, "gpu") : ""));
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
  const std::vector<rt::net::AgentView> all = rt::agents();
  if (std::ranges::none_of(all, [](const rt::net::AgentView& one) {
        return one.state == rt::net::AgentState::working;
      }))
    observer_.note(base::cat("no agent is left; the study waits for one: trellis agent ",
                             options_.folder.string()));
}

}  // namespace hpo
