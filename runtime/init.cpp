#include "runtime/init.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/pipe.h"
#include "base/text.h"
#include "runtime/codec.h"
#include "runtime/core/hosted.h"
#include "runtime/core/task_info.h"
#include "runtime/instance.h"
#include "runtime/net/hosts.h"
#include "runtime/nodes.h"

namespace rt {

namespace {

constexpr const char* kHosts = "--trellis-hosts=";
constexpr const char* kAgent = "--trellis-agent=";

std::atomic<bool> called{false};
std::vector<std::string> hosts;
std::vector<std::string> arguments;  ///< of the program, without ours

/// What an agent is told on its standard input: nobody else can read that.
struct Orders {
  net::Identity identity;
  std::string address;
  std::int32_t part = 1;  ///< of the cores, from 1
  std::int32_t parts = 1;
  std::int32_t workers = 0;  ///< CPU workers; 0: one for each of those cores
};

[[noreturn]] void be_agent(const std::string& node) {
  int code = base::exit_code(base::Errc::internal);
  try {
    const std::string input = base::read_all(STDIN_FILENO);
    const auto orders = decode<Orders>(base::as_bytes(input));
    base::take_part_of_cores(orders.part, orders.parts);
    const Runtime runtime({.workers = orders.workers});
    AgentConfig agent;
    agent.identity = orders.identity;
    agent.address = [&orders] { return orders.address; };
    agent.node = node;
    agent.build = program_stamp();
    std::string text;
    const net::Dismissal why = serve(agent, text);
    if (!text.empty()) base::warn(text);
    code = exit_code(why);
  } catch (const base::Error& error) {
    base::warn(error.what());
    code = base::exit_code(error.kind());
  }
  std::exit(code);
}

class HostedAgents final : public detail::Hosted {
 public:
  explicit HostedAgents(Config& config)
      : workers_(config.workers), authority_(net::load_network().make_authority()) {
    auto nodes = std::make_shared<NodesConfig>();
    nodes->identity = net::load_network().issue(authority_, true);
    nodes->listen_at = net::address_towards(hosts);
    nodes->build = program_stamp();
    nodes->changed = [this](const net::AgentView& agent, std::size_t again) {
      if (agent.state != net::AgentState::lost) return;
      processes_.lost(agent.node);
      base::warn(base::cat("node ", agent.node, " was lost: ", agent.why, "; ", again,
                           " tasks run again elsewhere"));
    };
    nodes->tick = [this] {
      for (const auto& ended : processes_.look())
        base::warn(base::cat("the agent on ", ended.node, " has ended ", ended.how));
      // Nobody can start another one: the calls that are left would wait for ever.
      if (started_ && processes_.alive() == 0) give_up_calls();
    };
    nodes->complete = [this] {
      std::size_t working = 0;
      for (const net::AgentView& agent : agents())
        working += agent.state == net::AgentState::working ? 1 : 0;
      return started_ && working == processes_.alive();
    };
    config.nodes = std::move(nodes);
  }
  void start() override {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    for (const net::HostAgent& agent : net::agents_on(hosts)) {
      net::HostStart start;
      start.host = agent.host;
      start.node = agent.node;
      start.words = {program, kAgent + start.node};
      start.words.insert(start.words.end(), arguments.begin(), arguments.end());
      Orders orders;
      orders.identity = net::load_network().issue(authority_, false);
      orders.address = nodes_address();
      orders.part = agent.part;
      orders.parts = agent.parts;
      orders.workers = workers_;
      start.input = base::as_text(encode(orders));
      processes_.start(start);
    }
    started_ = true;
  }

 private:
  int workers_;
  net::Authority authority_;
  net::HostProcesses processes_;
  bool started_ = false;
};

}  // namespace

namespace detail {

bool initialised() noexcept { return called.load(std::memory_order_acquire); }

void require_before_init(const char* what) {
  if (initialised())
    throw base::Error(base::Errc::usage,
                      std::string(what) + " after rt::init: agents would not do the same");
}

std::unique_ptr<Hosted> host_agents(Config& config) {
  if (hosts.empty() || config.nodes) return nullptr;
  return std::make_unique<HostedAgents>(config);
}

}  // namespace detail

void init(int& argc, char** argv) {
  detail::require_distinct_tasks();
  if (called.exchange(true)) throw base::Error(base::Errc::usage, "rt::init was called before");
  std::optional<std::string> agent;
  int kept = 0;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    if (i > 0 && word.starts_with(kHosts)) {
      hosts = net::hosts_of(word.substr(std::strlen(kHosts)), "--trellis-hosts");
    } else if (i > 0 && word.starts_with(kAgent)) {
      agent = word.substr(std::strlen(kAgent));
    } else {
      if (i > 0) arguments.push_back(word);
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  if (agent) be_agent(*agent);
}

}  // namespace rt
