// A driver and agents as processes of their own, over gRPC: the program runs itself as its agents.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>

#include "base/error.h"
#include "runtime/matrix.h"
#include "runtime/net/transport.h"
#include "runtime/nodes.h"
#include "runtime/runtime.h"
#include "tests/support/temp_folder.h"

namespace {

namespace fs = std::filesystem;
using Block = rt::Matrix<double>;

// The tasks are constants of the program: an agent finds each by its name.
const auto square = rt::task("square", 1).cpu([](double x) { return x * x; }).pure();
const auto add =
    rt::task("add", 1).cpu([](rt::in<double> a, rt::in<double> b) { return *a + *b; }).pure();
const auto who = rt::task("who", 1).cpu([](int) { return static_cast<int>(::getpid()); }).pure();
const auto nap = rt::task("nap", 1)
                     .cpu([](int number, int ms) {
                       base::sleep_for(std::chrono::milliseconds(ms));
                       return number;
                     })
                     .pure();
const auto counts = rt::task("counts", 1)
                        .cpu([](rt::Context& context, int to) {
                          for (int i = 0; i < to; ++i) context.tell(std::to_string(i) + " ");
                          return to;
                        })
                        .pure();
const auto wide_task = rt::task("wide", 1).cpu([](int x) { return x; }).pure().needs({.cpus = 64});
const auto fill = rt::task("fill", 1)
                      .cpu([](int rows) {
                        Block made(static_cast<std::size_t>(rows), 1);
                        std::iota(made.span().begin(), made.span().end(), 0.0);
                        return made;
                      })
                      .pure();
const auto scale = rt::task("scale", 1)
                       .cpu([](rt::inout<Block> v, double by) {
                         for (double& x : v->span()) x *= by;
                       })
                       .pure();
const auto train = rt::task("train", 1)
                       .cpu([](rt::inout<Block> v, int ms) {
                         base::sleep_for(std::chrono::milliseconds(ms));
                         v->span().front() += 1;
                       })
                       .pure();
const auto sum = rt::task("sum", 1)
                     .cpu([](rt::in<Block> v) {
                       return std::accumulate(v->span().begin(), v->span().end(), 0.0);
                     })
                     .pure();
const auto refuses = rt::task("refuses", 1)
                         .cpu([](int code) -> int {
                           throw base::Error(base::Errc::data, "no " + std::to_string(code));
                         })
                         .pure();
const auto lines = rt::task("lines", 1)
                       .cpu([](rt::file_in file) {
                         std::ifstream in(file.path());
                         std::string line;
                         int count = 0;
                         while (std::getline(in, line)) ++count;
                         return count;
                       })
                       .pure()
                       .keep(rt::Keep::never);
const auto twice = rt::task("twice", 1).cpu([](rt::in<int> x) { return 2 * *x; }).pure();
const auto here = rt::task("here", 1).cpu(
    [](rt::in<Block> v) { return std::pair(static_cast<int>(::getpid()), v->span().back()); });

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string program;

class Processes : public testing::Test {
 protected:
  void SetUp() override {
    try {
      authority_ = rt::net::load_network().make_authority();
    } catch (const base::Error& error) {
      if (error.kind() != base::Errc::no_device) throw;
      GTEST_SKIP() << error.what();
    }
    config_.executor = rt::Executor::sequential;
    nodes_ = std::make_shared<rt::NodesConfig>();
    nodes_->identity = rt::net::load_network().issue(authority_, true);
    nodes_->changed = [this](const rt::net::AgentView& agent, std::size_t) {
      seen_.push_back(agent);
    };
    config_.nodes = nodes_;
  }
  void TearDown() override {
    runtime_.reset();
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }

  void start() {
    runtime_.emplace(config_);
    write(folder_.path() / "address", rt::nodes_address());
  }
  pid_t start_agent(const std::string& name, const rt::net::Authority* other = nullptr) {
    const rt::net::Identity own =
        rt::net::load_network().issue(other != nullptr ? *other : authority_, false);
    write(folder_.path() / (name + ".ca"), authority_.certificate);
    write(folder_.path() / (name + ".crt"), own.certificate);
    write(folder_.path() / (name + ".key"), own.key);
    const std::string folder = folder_.path().string();
    char* arguments[] = {program.data(), const_cast<char*>("--agent"),
                         const_cast<char*>(folder.c_str()), const_cast<char*>(name.c_str()),
                         nullptr};
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ), 0);
    children_.push_back(child);
    return child;
  }
  /// Sleeps until that many agents have come.
  void await_agents(std::size_t count) {
    const base::Moment begin = base::now();
    const auto come = [&] {
      return std::count_if(seen_.begin(), seen_.end(), [](const auto& agent) {
        return agent.state == rt::net::AgentState::working;
      });
    };
    while (come() < static_cast<std::ptrdiff_t>(count) && base::seconds_since(begin) < 20) {
      (void)rt::wait_event(std::chrono::milliseconds(10));
      (void)rt::poll();
    }
    ASSERT_EQ(come(), static_cast<std::ptrdiff_t>(count));
  }

  support::TempFolder folder_;
  rt::net::Authority authority_;
  std::shared_ptr<rt::NodesConfig> nodes_;
  rt::Config config_;
  std::vector<rt::net::AgentView> seen_;
  std::vector<pid_t> children_;
  std::optional<rt::Runtime> runtime_;
};

TEST_F(Processes, PureTasksRunOnTheAgentAndOthersHere) {
  start();
  start_agent("a");
  await_agents(1);
  EXPECT_EQ(square(3.0).get(), 9.0);
  EXPECT_EQ(add(square(3.0), square(4.0)).get(), 25.0);
  EXPECT_EQ(who(1).get(), children_[0]);
  const auto [process, last] = here(fill(1000)).get();
  EXPECT_EQ(process, ::getpid());
  EXPECT_EQ(last, 999.0);
}

TEST_F(Processes, LargeValuesStayUntilSomebodyNeedsThem) {
  start();
  start_agent("a");
  start_agent("b");
  await_agents(2);
  rt::Value<Block> v = fill(400'000);
  for (int i = 0; i < 5; ++i) scale(v, 2.0);
  EXPECT_EQ(sum(v).get(), 32.0 * 400'000 * 399'999 / 2);
  EXPECT_EQ(v.get().span().back(), 32.0 * 399'999);
  const std::vector<rt::net::AgentView> agents = rt::agents();
  EXPECT_GT(agents[0].bytes_in + agents[1].bytes_in, 3'200'000U);
}

TEST_F(Processes, ConstantsOfTheDriverGoWhereTheyAreRead) {
  start();
  start_agent("a");
  await_agents(1);
  Block given(200'000, 1);
  std::fill(given.span().begin(), given.span().end(), 0.5);
  EXPECT_EQ(sum(rt::value(std::move(given))).get(), 100'000.0);
  EXPECT_EQ(twice(rt::value(21)).get(), 42);
}

TEST_F(Processes, ErrorsComeBackWithTheirWords) {
  start();
  start_agent("a");
  await_agents(1);
  const rt::Value<int> failed = refuses(7);
  const rt::Value<int> after = twice(failed);
  try {
    (void)after.get();
    FAIL() << "it should have thrown";
  } catch (const rt::TaskError& error) {
    EXPECT_EQ(error.kind(), base::Errc::data);
    EXPECT_EQ(error.details().task, "refuses");
    EXPECT_EQ(error.details().reason, "no 7");
    EXPECT_EQ(error.details().worker, "a, cpu 0");
    EXPECT_EQ(error.details().arguments, "7");
  }
  EXPECT_EQ(square(2.0).get(), 4.0) << "others go on";
}

TEST_F(Processes, FilesTravelByTheirContent) {
  start();
  start_agent("a");
  await_agents(1);
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "row " + std::to_string(i) + "\n";
  write(folder_.path() / "rows", text);
  EXPECT_EQ(twice(lines(folder_.path() / "rows")).get(), 200'000);
}

TEST_F(Processes, WhatABodySaysIsHeardByItsDriver) {
  start();
  start_agent("a");
  await_agents(1);
  const rt::Value<int> end = counts(3);
  std::string heard;
  const rt::Listener listener(end, [&](std::string_view text) {
    EXPECT_FALSE(end.ready());
    heard += text;
  });
  EXPECT_EQ(end.get(), 3);
  EXPECT_EQ(heard, "0 1 2 ");
}

TEST_F(Processes, NeedsAreTheAgentsToMeet) {
  start();
  start_agent("a");
  await_agents(1);
  const rt::Group group("wide");
  const auto scope = group.enter();
  const rt::Value<int> wide = wide_task(1);  // the driver has one worker, as the agent has
  wide.demand();
  const rt::Value<int> other = who(5);
  EXPECT_EQ(other.get(), children_[0]);
  EXPECT_FALSE(wide.ready());
  group.cancel();
  EXPECT_THROW((void)wide.get(), rt::Cancelled);
}

TEST_F(Processes, ACallThatNoAgentCanTakeFailsWhenAllAreThere) {
  nodes_->complete = [this] { return !seen_.empty(); };
  start();
  start_agent("a");
  await_agents(1);
  try {
    (void)wide_task(2).get();
    FAIL() << "it should have thrown";
  } catch (const rt::TaskError& error) {
    EXPECT_EQ(error.kind(), base::Errc::no_device);
  }
  EXPECT_EQ(square(2.0).get(), 4.0) << "others go on";
}

TEST_F(Processes, ManyTasksShareTheAgents) {
  start();
  start_agent("a");
  start_agent("b");
  await_agents(2);
  std::vector<rt::Value<int>> all;
  for (int i = 0; i < 60; ++i) all.push_back(nap(i, 20));
  for (int i = 0; i < 60; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].get(), i);
  for (const rt::net::AgentView& agent : rt::agents()) EXPECT_GT(agent.done, 10U) << agent.node;
}

TEST_F(Processes, WhatAKilledAgentHadRunsAgain) {
  start();
  start_agent("a");
  start_agent("b");
  await_agents(2);
  rt::Value<Block> v = fill(100'000);
  scale(v, 2.0);
  EXPECT_EQ(sum(v).get(), 100'000.0 * 99'999);
  std::vector<rt::Value<int>> all;
  for (int i = 0; i < 40; ++i) all.push_back(nap(i, 25));
  for (const auto& one : all) one.demand();
  (void)rt::wait_event(std::chrono::milliseconds(60));
  ::kill(children_[0], SIGKILL);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].get(), i);
  EXPECT_EQ(v.get().span().back(), 2.0 * 99'999);
}

TEST_F(Processes, AFrozenAgentIsLostWithinItsPatience) {
  start();
  start_agent("a");
  start_agent("b");
  await_agents(2);
  std::vector<rt::Value<int>> all;
  for (int i = 0; i < 20; ++i) all.push_back(nap(i, 10));
  ::kill(children_[0], SIGSTOP);
  const base::Moment begin = base::now();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].get(), i);
  EXPECT_LT(base::seconds_since(begin), 10) << "a loaded machine included";
  ::kill(children_[0], SIGCONT);
}

TEST_F(Processes, TasksWaitForTheFirstAgent) {
  start();
  const rt::Value<double> nine = square(3.0);
  nine.demand();
  start_agent("a");
  EXPECT_EQ(nine.get(), 9.0);
}

/// Of as many trials as one agent may have, whose networks lie there, a second one gets its share.
class LateAgents : public Processes, public testing::WithParamInterface<int> {};

TEST_P(LateAgents, HaveWorkWithinASecond) {
  start();
  start_agent("a");
  await_agents(1);
  std::vector<rt::Value<Block>> networks;
  for (int i = 0; i < 2; ++i) networks.push_back(fill(100'000 + i));
  std::optional<base::Moment> hello;
  const auto has_work = [&] {
    return rt::agents().size() > 1 && rt::agents()[1].parcels + rt::agents()[1].done > 0;
  };
  const base::Moment begin = base::now();
  const rt::Group group("trials");
  for (int epoch = 0; !has_work() && base::seconds_since(begin) < 20; ++epoch) {
    const rt::Group::Scope scope = group.enter();
    if (epoch == 1) start_agent("late");
    for (rt::Value<Block>& network : networks) train(network, epoch == 0 ? 50 : GetParam());
    for (const rt::Value<Block>& network : networks) network.demand();
    while (!has_work() && !std::ranges::all_of(networks, &rt::Value<Block>::ready)) {
      (void)rt::wait_event(std::chrono::milliseconds(5));
      if (!hello && seen_.size() > 1) hello = base::now();
    }
  }
  ASSERT_TRUE(hello);
  EXPECT_LT(base::seconds_since(*hello), 1) << "from its hello to its first parcel";
  group.cancel();
  runtime_.reset();
  for (const pid_t child : children_) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "it ends well, whatever it had and waited for";
  }
  children_.clear();
}

INSTANTIATE_TEST_SUITE_P(Milliseconds, LateAgents, testing::Values(100, 1500));

TEST_F(Processes, ThreeAgentsShareChainsOfBlocks) {
  start();
  start_agent("a");
  await_agents(1);
  std::vector<rt::Value<Block>> networks;
  for (int i = 0; i < 6; ++i) networks.push_back(fill(100'000 + i));
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (rt::Value<Block>& network : networks) train(network, 20);
  }
  for (const rt::Value<Block>& network : networks) network.demand();
  start_agent("b");
  start_agent("c");
  await_agents(3);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(networks[static_cast<std::size_t>(i)].get().span().front(), 10);
  const rt::Summary summary = runtime_->summary();
  ASSERT_EQ(summary.nodes.size(), 3U);
  std::uint64_t all = 0;
  for (const rt::NodeSummary& node : summary.nodes) all += node.tasks;
  EXPECT_EQ(all, 66U);
  for (const rt::NodeSummary& node : summary.nodes) EXPECT_GE(10 * node.tasks, all) << node.name;
}

TEST_F(Processes, CancelledGroupsEndAtOnce) {
  start();
  start_agent("a");
  await_agents(1);
  const rt::Group group("doomed");
  std::vector<rt::Value<int>> all;
  {
    const rt::Group::Scope scope = group.enter();
    for (int i = 0; i < 50; ++i) all.push_back(nap(i, 50));
  }
  for (const auto& one : all) one.demand();
  (void)rt::wait_event(std::chrono::milliseconds(60));
  group.cancel();
  const base::Moment begin = base::now();
  EXPECT_THROW((void)all.back().get(), rt::Cancelled);
  EXPECT_LT(base::seconds_since(begin), 2);
  EXPECT_EQ(square(5.0).get(), 25.0);
  EXPECT_LT(base::seconds_since(begin), 2) << "those that wait never begin";
}

TEST_F(Processes, AnotherStudysAgentIsNotLetIn) {
  start();
  const rt::net::Authority other = rt::net::load_network().make_authority();
  start_agent("stranger", &other);
  start_agent("a");
  await_agents(1);
  (void)rt::wait_event(std::chrono::milliseconds(500));
  EXPECT_EQ(rt::agents().size(), 1U);
  EXPECT_EQ(rt::agents()[0].node, "a");
}

int serve(const fs::path& folder, const std::string& name) {
  ::alarm(60);  // whatever becomes of the test
  rt::Config config;
  config.executor = rt::Executor::sequential;
  rt::Runtime runtime(config);
  rt::AgentConfig agent;
  agent.identity = {read(folder / (name + ".ca")), read(folder / (name + ".crt")),
                    read(folder / (name + ".key"))};
  agent.address = [folder] { return read(folder / "address"); };
  agent.node = name;
  std::string text;
  return static_cast<int>(rt::serve(agent, text));
}

}  // namespace

int main(int argc, char** argv) {
  program = fs::read_symlink("/proc/self/exe").string();
  if (argc > 3 && std::string(argv[1]) == "--agent") return serve(argv[2], argv[3]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
