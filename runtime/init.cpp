#include "runtime/init.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/executable.h"
#include "base/file.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/pipe.h"
#include "base/text.h"
#include "runtime/codec.h"
#include "runtime/core/hosted.h"
#include "runtime/core/task_info.h"
#include "runtime/instance.h"
#include "runtime/loop.h"
#include "runtime/net/hosts.h"
#include "runtime/net/slurm.h"
#include "runtime/nodes.h"

namespace rt::inline v0 {

namespace {

constexpr const char* kHosts = "--trellis-hosts=";
constexpr const char* kAgent = "--trellis-agent=";

std::atomic<bool> called{false};
std::vector<std::string> hosts;
std::optional<net::Step> step;       ///< whose other tasks are agents
std::vector<std::string> arguments;  ///< of the program, without ours

/// What an agent is told on its standard input: nobody else can read that.
struct Orders {
  net::Identity identity;
  std::string address;
  std::int32_t part = 1;  ///< of the cores, from 1
  std::int32_t parts = 1;
  std::int32_t workers = 0;  ///< CPU workers; 0: one for each of those cores
};

[[noreturn]] void be_agent(const std::string& node, const std::function<Orders()>& read) {
  int code = base::exit_code(base::Errc::internal);
  try {
    const Orders orders = read();
    base::take_part_of_cores(orders.part, orders.parts);
    (void)net::job_ends_soon();  // asks Slurm, before the driver waits for signs of life
    const Runtime runtime({.workers = orders.workers});
    AgentConfig agent;
    agent.identity = orders.identity;
    agent.address = [&orders] { return orders.address; };
    agent.node = node;
    agent.build = program_stamp();
    agent.stopping = net::job_ends_soon;
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

Orders read_orders() {
  const std::string input = base::read_all(STDIN_FILENO);
  return decode<Orders>(base::as_bytes(input));
}

/// In a Slurm step: what the first task leaves for each of the others, in the folder where all of
/// them run.
class StepOrders {
 public:
  explicit StepOrders(const net::Step& step)
      : step_(step), file_(std::filesystem::current_path() / (".trellis-" + step.id)) {}

  /// Nobody but the owner of the file can read it.
  void write(const std::function<Orders()>& make) const {
    std::vector<Orders> all;
    for (int rank = 1; rank < step_.tasks; ++rank) all.push_back(make());
    base::write_private_file(file_, encode(all));
  }
  void remove() const noexcept {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  /// Waits for them.
  [[nodiscard]] Orders read() const {
    constexpr double kMost = 120;
    const base::Moment begin = base::now();
    while (!base::file_size(file_)) {
      if (base::seconds_since(begin) > kMost)
        throw base::Error(base::Errc::cancelled,
                          base::cat(file_.string(), ": not there after ", kMost, " s: does ",
                                    step_.node, " see that folder?"));
      base::sleep_for(std::chrono::milliseconds(50));
    }
    Orders own = decode<std::vector<Orders>>(base::read_bytes(file_))
                     .at(static_cast<std::size_t>(step_.rank - 1));
    own.part = step_.part;
    own.parts = step_.parts;
    return own;
  }

 private:
  const net::Step& step_;
  base::Path file_;
};

class HostedAgents final : public detail::Hosted {
 public:
  explicit HostedAgents(Config& config)
      : workers_(config.workers), authority_(net::load_network().make_authority()) {
    auto nodes = std::make_shared<NodesConfig>();
    nodes->identity = net::load_network().issue(authority_, true);
    nodes->listen_at = net::address_towards(machines());
    nodes->build = program_stamp();
    nodes->changed = [this](const net::AgentView& agent, std::size_t again) {
      if (agent.state == net::AgentState::working) ++come_;
      // One of the step's own tasks is not started again.
      const bool gone =
          agent.state == net::AgentState::lost || agent.state == net::AgentState::left;
      if (gone && others_ > 0 && agent.node != own_) --others_;
      if (agent.state != net::AgentState::lost) return;
      processes_.lost(agent.node);
      base::warn(base::cat("node ", agent.node, " was lost: ", agent.why, "; ", again,
                           " tasks run again elsewhere"));
    };
    nodes->tick = [this] {
      for (const auto& ended : processes_.look())
        base::warn(base::cat("the agent on ", ended.node, " has ended ", ended.how));
      // Nobody can start another one: the calls that are left would wait for ever.
      if (started_ && processes_.alive() == 0 && others_ == 0) give_up_calls();
    };
    nodes->complete = [this] { return started_ && working() == processes_.alive() + others_; };
    config.nodes = std::move(nodes);
  }
  ~HostedAgents() override {
    if (orders_) orders_->remove();
  }
  HostedAgents(const HostedAgents&) = delete;
  HostedAgents& operator=(const HostedAgents&) = delete;

  void start() override {
    const std::string program = base::this_program().string();
    std::vector<net::HostAgent> all = net::agents_on(hosts);
    if (step) {
      all.push_back({"localhost", step->node, step->part, step->parts});
      orders_.emplace(*step).write([this] { return new_orders(); });
    }
    for (const net::HostAgent& agent : all) {
      net::HostStart start;
      start.host = agent.host;
      start.node = agent.node;
      start.words = {program, kAgent + start.node};
      start.words.insert(start.words.end(), arguments.begin(), arguments.end());
      Orders orders = new_orders();
      orders.part = agent.part;
      orders.parts = agent.parts;
      start.input = base::as_text(encode(orders));
      processes_.start(start);
    }
    started_ = true;
  }
  /// A step's task that comes later would wait for a driver that has ended.
  void end() override {
    constexpr double kMost = 10;
    const base::Moment begin = base::now();
    while (step && come_ < static_cast<std::size_t>(step->tasks) &&
           base::seconds_since(begin) < kMost)
      (void)wait_event(std::chrono::milliseconds(50));
  }

 private:
  /// Machines from which agents come.
  [[nodiscard]] static std::vector<std::string> machines() {
    std::vector<std::string> all = hosts;
    if (step && !step->peer.empty()) all.push_back(step->peer);
    return all;
  }
  [[nodiscard]] Orders new_orders() const {
    return {.identity = net::load_network().issue(authority_, false),
            .address = nodes_address(),
            .workers = workers_};
  }
  [[nodiscard]] static std::size_t working() {
    const std::vector<net::AgentView> all = agents();
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& one) {
      return one.state == net::AgentState::working;
    }));
  }

  int workers_;
  net::Authority authority_;
  net::HostProcesses processes_;
  std::optional<StepOrders> orders_;
  std::string own_ = step ? step->node : std::string();  ///< the agent of this task's machine
  std::size_t others_ = step ? static_cast<std::size_t>(step->tasks - 1) : 0;  ///< tasks there
  std::size_t come_ = 0;                                                       ///< agents, so far
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
  if ((hosts.empty() && !step) || config.nodes) return nullptr;
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
  if (agent) be_agent(*agent, read_orders);
  std::optional<net::Step> own = hosts.empty() ? net::slurm_step() : std::nullopt;
  if (own && own->rank > 0) be_agent(own->node, [&] { return StepOrders(*own).read(); });
  step = std::move(own);
}

}  // namespace rt::inline v0
