// `bench agents`: what it costs to run tasks on agents: processes on this machine over the real
// transport, and hundreds of agents on the network inside one process, where only the driver's side
// is at work.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>

#include "base/clock.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "runtime/net/agent.h"
#include "runtime/net/in_process.h"
#include "runtime/nodes.h"
#include "runtime/runtime.h"

namespace bench {
namespace {

constexpr const char* kAgent = "TRELLIS_BENCH_AGENT";  ///< folder and number of a process of ours
constexpr int kAgents = 4, kWorkers = 2;

// The promises that these figures are held against.
constexpr double kNapsLimit = 2.6;      // s for 400 tasks of 50 ms
constexpr double kAloneLimit = 2.7;     // s for the same in a program of rt:: alone
constexpr double kParcelLimit = 100;    // us for an empty one
constexpr double kDriverLimit = 50;     // percent of a core at 2,000 parcels a second
constexpr double kIdleAgentsLimit = 5;  // percent of a core, eight of them

const auto nap = rt::task("nap", 1)
                     .cpu([](int number, int run) {
                       base::sleep_for(std::chrono::milliseconds(50));
                       return number + run;
                     })
                     .pure();
const auto empty =
    rt::task("empty", 1).cpu([](int number, int run) { return number + run; }).pure();

std::string read(const base::Path& path) { return base::read_file(path); }

rt::Config config_of(int workers) {
  rt::Config config;
  config.executor = rt::Executor::starpu_cpu;
  config.gpus = 0;
  config.workers = workers;
  return config;
}

/// What a process does that was started as an agent.
[[noreturn]] void be_agent(const std::string& folder_and_number) {
  const std::size_t at = folder_and_number.rfind(':');
  const base::Path folder = folder_and_number.substr(0, at);
  const std::string number = folder_and_number.substr(at + 1);
  {
    const rt::Runtime runtime(config_of(kWorkers));
    rt::AgentConfig agent;
    agent.identity = {read(folder / "ca"), read(folder / "crt"), read(folder / "key")};
    agent.address = [folder] { return read(folder / "address"); };
    agent.node = "agent " + number;
    agent.orphan = std::chrono::seconds(5);
    std::string text;
    (void)rt::serve(agent, text);
  }
  std::exit(0);
}

/// A driver, and agents as processes of their own.
class Cluster {
 public:
  explicit Cluster(int agents) {
    rt::net::Network& network = rt::net::load_network();
    const rt::net::Authority authority = network.make_authority();
    const rt::net::Identity own = network.issue(authority, false);
    const auto write = [&](const char* name, const std::string& text) {
      base::write_file_atomic(folder_.path() / name, text, base::Durability::cached);
    };
    write("ca", own.authority);
    write("crt", own.certificate);
    write("key", own.key);
    auto nodes = std::make_shared<rt::NodesConfig>();
    nodes->identity = network.issue(authority, true);
    rt::Config config = config_of(1);
    config.nodes = nodes;
    config.in_flight = 4096;
    runtime_.emplace(config);
    write("address", rt::nodes_address());
    for (int i = 0; i < agents; ++i) start(i);
    while (static_cast<int>(rt::agents().size()) < agents)
      (void)rt::wait_event(std::chrono::milliseconds(5));
  }
  ~Cluster() {
    runtime_.reset();
    for (const pid_t agent : agents_) ::waitpid(agent, nullptr, 0);
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// CPU seconds that the agents have used so far.
  [[nodiscard]] double agents_cpu() const {
    double seconds = 0;
    for (const pid_t agent : agents_) {
      std::ifstream stat(base::cat("/proc/", agent, "/stat"));
      std::string word;
      for (int i = 0; i < 13; ++i) stat >> word;
      double user = 0;
      double system = 0;
      stat >> user >> system;
      seconds += (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    }
    return seconds;
  }

 private:
  void start(int number) {
    ::setenv(kAgent, base::cat(folder_.path().string(), ":", number).c_str(), 1);
    char name[] = "trellis-bench";
    char verb[] = "bench";
    char what[] = "agents";
    char* words[] = {name, verb, what, nullptr};
    pid_t child = 0;
    if (::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, words, environ) != 0)
      throw base::Error(base::Errc::internal, "an agent cannot be started");
    ::unsetenv(kAgent);
    agents_.push_back(child);
  }

  base::TemporaryFolder folder_{"trellis-bench"};
  std::optional<rt::Runtime> runtime_;
  std::vector<pid_t> agents_;
};

Case limited(std::string name, const std::vector<double>& values, std::string unit, double limit) {
  const Sample sample = sample_of(values);
  Case c{std::move(name), sample.median, std::move(unit), "at most", limit};
  c.ratio = limit / std::max(c.ours, 0.01 * limit);
  c.spread = sample.spread;
  return c;
}

/// Seconds until that many calls have ended, each behind an await of its own.
template <class Task>
double time_calls(const Task& task, int count, int run) {
  std::vector<rt::Value<int>> all;
  all.reserve(static_cast<std::size_t>(count));
  const base::Moment begin = base::now();
  for (int i = 0; i < count; ++i) {
    all.push_back(task(i, run));
    all.back().demand();
  }
  for (const rt::Value<int>& one : all) (void)one.get();
  return base::seconds_since(begin);
}

void processes(const Options& options, std::vector<Case>& cases) {
  const int times = options.quick ? 1 : 5;
  int run = 0;
  Cluster cluster(kAgents);
  std::vector<double> naps, cost, share;
  for (int i = 0; i < times; ++i) naps.push_back(time_calls(nap, options.quick ? 40 : 400, ++run));
  cases.push_back(limited("400 tasks of 50 ms on 4 agents with 2 workers", naps, "s",
                          options.quick ? kNapsLimit / 10 : kNapsLimit));
  const int count = options.quick ? 2'000 : 20'000;
  for (int i = 0; i < times; ++i) {
    const base::Duration before = base::process_cpu_time();
    const double seconds = time_calls(empty, count, ++run);
    const double cpu = base::seconds(base::process_cpu_time() - before);
    cost.push_back(1e6 * seconds / count);
    // What the driver's process used for 2,000 of them, on all its threads.
    share.push_back(100 * cpu / count * 2000);
  }
  cases.push_back(limited("an empty task", cost, "us", kParcelLimit));
  cases.push_back(
      limited("the driver at 2,000 tasks a second", share, "% of a core", kDriverLimit));
}

/// A program that says rt::init and nothing else of agents (naps.cpp).
void alone(const Options& options, std::vector<Case>& cases) {
  const auto program = built_for_bench("trellis-bench-naps");
  if (!program) throw base::Error(base::Errc::internal, "trellis-bench-naps is missing");
  const int calls = options.quick ? 40 : 400;
  const Finished done = run_program({program->string(), std::to_string(kAgents * kWorkers),
                                     std::to_string(calls), options.quick ? "1" : "5",
                                     "--trellis-hosts=localhost,localhost,localhost,localhost"});
  must_end_well(done, "trellis-bench-naps");
  std::istringstream printed(done.output);
  const std::vector<double> seconds{std::istream_iterator<double>(printed), {}};
  cases.push_back(limited("the same with rt::init alone", seconds, "s",
                          options.quick ? kAloneLimit / 10 : kAloneLimit));
}

void idle(const Options& options, std::vector<Case>& cases) {
  Cluster cluster(8);
  const double seconds = options.quick ? 1 : 10;
  base::sleep_for(std::chrono::seconds(1));
  const double before = cluster.agents_cpu();
  const base::Moment begin = base::now();
  while (base::seconds_since(begin) < seconds) (void)rt::wait_event(std::chrono::milliseconds(100));
  const double used = cluster.agents_cpu() - before;
  cases.push_back(limited("eight idle agents", {100 * used / base::seconds_since(begin)},
                          "% of a core", kIdleAgentsLimit));
}

/// An agent whose calls take no time of this process.
class Puppet final : public rt::net::EndPoint, public rt::net::Agent::Work {
 public:
  Puppet(rt::net::InProcess& network, rt::net::InProcess::Node node)
      : network_(network), node_(node) {
    network.attach(node, this);
    rt::net::Agent::Options options;
    options.hello.node = base::cat("node ", node);
    options.hello.slots = kWorkers;
    options.seed = node;
    agent_.emplace(options, network.post(node), *this, network.now());
    tick();
  }
  void opened(rt::net::LinkId link) override { agent_->opened(link, network_.now()); }
  void received(rt::net::LinkId link, std::span<const std::byte> frame) override {
    agent_->received(link, frame, network_.now());
  }
  void closed(rt::net::LinkId link) override { agent_->closed(link, network_.now()); }
  void run(rt::net::Parcel parcel) override {
    network_.after(std::chrono::milliseconds(50), node_, [this, parcel] {
      for (std::uint32_t i = 0; i < parcel.calls.size(); ++i) {
        rt::net::Outcome outcome;
        outcome.outputs.push_back({true, base::Bytes(8), 8});
        agent_->ended(parcel.id, i, parcel.calls[i].outputs.back(), outcome);
      }
    });
  }
  void cancel(rt::net::ParcelId) override {}
  void drop(const std::vector<base::Key>&) override {}
  rt::net::Agent::Blob content(base::Key) override { return nullptr; }
  void arrived(base::Key, const rt::net::Agent::Blob&) override {}
  std::vector<std::pair<base::Key, std::uint64_t>> holds() override { return {}; }
  void dial() override { network_.dial(node_); }
  void welcomed(std::uint32_t, std::uint64_t) override {}
  void dismissed(rt::net::Dismissal, const std::string&) override {}

 private:
  void tick() {
    agent_->tick(network_.now());
    network_.after(std::chrono::milliseconds(500), node_, [this] { tick(); });
  }
  rt::net::InProcess& network_;
  rt::net::InProcess::Node node_;
  std::optional<rt::net::Agent> agent_;
};

/// The driver's side of hundreds of agents; counts its own time alone.
class Lone final : public rt::net::EndPoint, public rt::net::Dispatcher::Client {
 public:
  explicit Lone(rt::net::InProcess& network)
      : network_(network), dispatcher_({}, network.post(0), *this) {
    network.attach(0, this);
    tick();
  }
  void opened(rt::net::LinkId link) override {
    timed([&] { dispatcher_.opened(link, network_.now()); });
  }
  void received(rt::net::LinkId link, std::span<const std::byte> frame) override {
    timed([&] { dispatcher_.received(link, frame, network_.now()); });
  }
  void closed(rt::net::LinkId link) override {
    timed([&] { dispatcher_.closed(link, {}, network_.now()); });
  }
  void submit(std::uint64_t id) {
    rt::net::Submission call;
    call.id = id;
    call.call.task = "empty";
    call.call.constants.resize(64);
    call.call.outputs = {{id, 1}};
    call.call.back = {1};
    timed([&] { dispatcher_.submit({std::move(call)}, network_.now()); });
  }
  void ended(std::uint64_t, rt::net::Outcome) override { ++done; }
  void arrived(base::Key, const rt::net::Dispatcher::Blob&) override {}
  rt::net::Dispatcher::Blob content(base::Key) override { return nullptr; }
  void unneeded(base::Key) override {}
  void changed(const rt::net::AgentView&, std::size_t) override { ++agents; }
  void fenced(std::uint64_t) override {}

  std::uint64_t done = 0;
  std::size_t agents = 0;
  base::Duration spent{};

 private:
  template <class F>
  void timed(const F& f) {
    const base::Moment begin = base::now();
    f();
    spent += base::now() - begin;
  }
  void tick() {
    timed([&] { dispatcher_.tick(network_.now()); });
    network_.after(std::chrono::milliseconds(250), 0, [this] { tick(); });
  }
  rt::net::InProcess& network_;
  rt::net::Dispatcher dispatcher_;
};

/// What the driver's side costs with so many agents, all of which are kept busy.
void in_process(std::size_t agents, const Options& options, std::vector<Case>& cases) {
  std::vector<double> cost;
  for (int i = 0; i < (options.quick ? 1 : 5); ++i) {
    rt::net::InProcess network(1, agents + 1);
    Lone driver(network);
    std::vector<std::unique_ptr<Puppet>> all;
    for (std::size_t node = 1; node <= agents; ++node)
      all.push_back(std::make_unique<Puppet>(network, static_cast<rt::net::InProcess::Node>(node)));
    while (driver.agents < agents) (void)network.step();
    const std::uint64_t count = options.quick ? 2'000 : 20'000;
    driver.spent = {};
    // As many as a search of as many slots would have under way.
    std::uint64_t submitted = 0;
    while (driver.done < count) {
      while (submitted < count && submitted - driver.done < 3 * agents) driver.submit(++submitted);
      (void)network.step();
    }
    cost.push_back(1e6 * base::seconds(driver.spent) / static_cast<double>(count));
  }
  const Sample sample = sample_of(cost);
  Case c{base::cat(agents, " agents of the in-process network, the driver's side"), sample.median,
         "us/task"};
  c.spread = sample.spread;
  cases.push_back(c);
  Case most{base::cat(agents, " agents, tasks that one core of a driver could deal out"),
            1e6 / sample.median, "1/s"};
  most.spread = c.spread;
  cases.push_back(most);
}

}  // namespace

std::vector<Case> run_agents(const Options& options) {
  if (const char* agent = std::getenv(kAgent)) be_agent(agent);
  std::vector<Case> cases;
  processes(options, cases);
  alone(options, cases);
  idle(options, cases);
  for (const std::size_t agents : {std::size_t{64}, std::size_t{256}})
    in_process(agents, options, cases);
  return cases;
}

}  // namespace bench
