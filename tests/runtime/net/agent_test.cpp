// An agent and its driver: knocking, refusals, fencing, leaving, orphans.
#include "runtime/net/agent.h"

#include <gtest/gtest.h>

#include "runtime/net/dispatcher.h"
#include "tests/runtime/net/worker_node.h"

namespace rt::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A driver without work of its own.
struct IdleDriver final : EndPoint, Dispatcher::Client {
  InProcess& network;
  Dispatcher::Options options;
  std::unique_ptr<Dispatcher> dispatcher;
  std::vector<Outcome> outcomes;
  std::vector<AgentView> changes;
  std::vector<std::pair<std::uint64_t, std::string>> heard;
  std::vector<std::string> refusals;
  bool agents_wait = false;
  std::uint64_t fenced_by = 0;

  explicit IdleDriver(InProcess& all) : network(all) {}
  void start() {
    network.attach(0, this);
    dispatcher = std::make_unique<Dispatcher>(options, network.post(0), *this);
    tick();
  }
  void tick() {
    dispatcher->tick(network.now());
    network.after(milliseconds(500), 0, [this] { tick(); });
  }
  void opened(LinkId link) override { dispatcher->opened(link, network.now()); }
  void received(LinkId link, std::span<const std::byte> frame) override {
    dispatcher->received(link, frame, network.now());
  }
  void closed(LinkId link) override { dispatcher->closed(link, "closed", network.now()); }
  void ended(std::uint64_t, Outcome outcome) override { outcomes.push_back(std::move(outcome)); }
  void told(std::uint64_t id, const std::string& text) override { heard.emplace_back(id, text); }
  void arrived(base::Key, const Dispatcher::Blob&) override {}
  Dispatcher::Blob content(base::Key) override { return nullptr; }
  void unneeded(base::Key) override {}
  void changed(const AgentView& agent, std::size_t) override { changes.push_back(agent); }
  void refused(const std::string& node, const std::string& why) override {
    refusals.push_back(node + ": " + why);
  }
  bool waits(const AgentView&) override { return agents_wait; }
  void fenced(std::uint64_t epoch) override { fenced_by = epoch; }
};

struct Agents : testing::Test {
  InProcess network{1, 4};
  IdleDriver driver{network};
  WorkerNode worker{network, 1, 0};

  void run_for(base::Duration time) {
    const base::Moment end = network.now() + time;
    while (network.now() < end && network.step()) {
    }
  }
  Submission call(std::uint64_t id) {
    Submission one;
    one.id = id;
    one.call.task = "works";
    one.call.outputs = {{id, 1}};
    one.call.back = {1};
    return one;
  }
};

TEST_F(Agents, TheFirstParcelComesRightAfterTheHello) {
  driver.start();
  driver.dispatcher->submit({call(1)}, network.now());
  worker.start();
  run_for(seconds(1));
  ASSERT_EQ(driver.outcomes.size(), 1U);
  EXPECT_EQ(driver.outcomes[0].end, End::made);
  ASSERT_EQ(driver.changes.size(), 1U);
  EXPECT_EQ(driver.changes[0].node, "node 1");
}

TEST_F(Agents, OneThatComesBeforeItsDriverKnocksAgain) {
  worker.start();
  run_for(seconds(3));
  driver.start();
  run_for(seconds(1));
  EXPECT_EQ(driver.dispatcher->slots(), 2U);
}

TEST_F(Agents, AnotherBuildOrArithmeticIsRefused) {
  driver.options.arithmetic = "kern 5; cpu avx512; elementary 1";
  driver.options.cure = [](const std::string& theirs) { return "; cure of '" + theirs + "'"; };
  driver.start();
  worker.start();
  run_for(seconds(1));
  EXPECT_EQ(worker.dismissal, Dismissal::unwanted);
  EXPECT_EQ(
      driver.refusals,
      std::vector<std::string>{"node 1: its arithmetic differs: nothing there, kern 5; cpu avx512; "
                               "elementary 1 here; cure of ''"});
  EXPECT_EQ(driver.dispatcher->slots(), 0U);
  EXPECT_TRUE(driver.changes.empty());
}

TEST_F(Agents, ASilentOneIsLostAfterItsPatience) {
  driver.start();
  worker.start();
  run_for(seconds(2));
  network.cut(1, true);
  run_for(milliseconds(2500));
  EXPECT_EQ(driver.dispatcher->slots(), 2U);
  run_for(milliseconds(1500));
  EXPECT_EQ(driver.dispatcher->slots(), 0U);
  EXPECT_EQ(driver.changes.back().state, AgentState::lost);
}

TEST_F(Agents, ADriverThatWasFrozenTakesNobodyForLost) {
  driver.start();
  worker.start();
  run_for(seconds(2));
  network.freeze(0, network.now() + seconds(6));
  run_for(seconds(10));
  EXPECT_EQ(driver.dispatcher->slots(), 2U);
  EXPECT_EQ(driver.changes.size(), 1U);
}

TEST_F(Agents, OneThatDiedWhileItsDriverWasFrozenIsLostSoonAfter) {
  driver.start();
  worker.start();
  run_for(seconds(2));
  network.freeze(0, network.now() + seconds(6));
  network.cut(1, true);
  run_for(milliseconds(6800));
  EXPECT_EQ(driver.dispatcher->slots(), 2U);
  run_for(seconds(3));
  EXPECT_EQ(driver.dispatcher->slots(), 0U);
}

TEST_F(Agents, OneThatCrashedLoudlyIsLostAtOnce) {
  driver.start();
  worker.start();
  run_for(seconds(2));
  worker.crash(true);
  run_for(milliseconds(100));
  EXPECT_EQ(driver.dispatcher->slots(), 0U);
}

TEST_F(Agents, ADriverOfALowerEpochIsFenced) {
  driver.options.epoch = 5;
  driver.start();
  worker.start();
  run_for(seconds(1));
  driver.options.epoch = 4;
  driver.start();
  run_for(seconds(30));
  EXPECT_EQ(driver.fenced_by, 5U);
  EXPECT_EQ(driver.dispatcher->slots(), 0U);
  // It sends nobody away whom the other driver needs.
  WorkerNode other(network, 2, 0);
  other.start();
  run_for(seconds(2));
  EXPECT_EQ(driver.dispatcher->slots(), 2U);
  driver.dispatcher->stop();
  run_for(seconds(2));
  EXPECT_FALSE(other.dismissal.has_value());
  other.crash(false);
}

TEST_F(Agents, OrphansEndThemselves) {
  driver.start();
  worker.start();
  run_for(seconds(1));
  network.attach(0, nullptr);
  run_for(seconds(120));
  EXPECT_FALSE(worker.dismissal.has_value());
  run_for(seconds(20));
  EXPECT_EQ(worker.dismissal, Dismissal::orphaned);
}

TEST_F(Agents, AParcelSentAgainAfterABrokenLinkHasAnotherNumberHere) {
  driver.start();
  worker.start();
  run_for(seconds(1));
  driver.dispatcher->submit({call(1)}, network.now());
  while (worker.begun.empty() && network.step()) {
  }
  network.post(1).close(1);
  worker.closed(1);
  run_for(seconds(3));
  ASSERT_EQ(driver.outcomes.size(), 1U);
  EXPECT_EQ(driver.outcomes[0].end, End::made);
  ASSERT_EQ(worker.begun.size(), 2U);
  EXPECT_NE(worker.begun[0], worker.begun[1]);
}

/// An agent of one worker that wishes for others, and one that has a worker to lend.
struct Lendings : Agents {
  WorkerNode borrower{network, 1, 0, 1}, lender{network, 2, 0, 1};

  void SetUp() override {
    driver.start();
    borrower.start();
    lender.start();
    run_for(seconds(2));
  }
  [[nodiscard]] std::uint32_t lent_by_all() const {
    std::uint32_t all = 0;
    for (const AgentView& agent : driver.dispatcher->agents()) all += agent.lent;
    return all;
  }
};

TEST_F(Lendings, LastAsLongAsSomebodyWishes) {
  borrower.wish(1, 1);
  run_for(seconds(1));
  EXPECT_TRUE(lender.lent.empty()) << "what the borrower's own worker does anyway";
  borrower.wish(1, 2);
  run_for(seconds(1));
  ASSERT_EQ(lender.lent.size(), 1U);
  EXPECT_EQ(lender.lent.begin()->second, base::Bytes(3));
  EXPECT_EQ(borrower.lent.size(), 1U);
  EXPECT_EQ(lent_by_all(), 2U);
  borrower.wish(1, 0);
  run_for(milliseconds(100));
  EXPECT_TRUE(lender.lent.empty());
  EXPECT_TRUE(borrower.lent.empty());
  EXPECT_EQ(lent_by_all(), 0U);
}

TEST_F(Lendings, AreOverBeforeAParcelComes) {
  borrower.wish(1, 2);
  run_for(seconds(1));
  ASSERT_EQ(lender.lent.size(), 1U);
  driver.dispatcher->submit({call(1)}, network.now());
  driver.dispatcher->submit({call(2)}, network.now());
  while ((lender.begun.empty() || borrower.begun.empty()) && network.step()) {
  }
  EXPECT_TRUE(lender.lent.empty());
  EXPECT_TRUE(borrower.lent.empty());
  EXPECT_FALSE(lender.crowded || borrower.crowded);
  run_for(seconds(2));
  EXPECT_EQ(driver.outcomes.size(), 2U);
  EXPECT_EQ(lender.lent.size(), 1U) << "it is free again";
}

TEST_F(Lendings, EndWithTheBorrower) {
  borrower.wish(1, 2);
  run_for(seconds(1));
  ASSERT_EQ(lender.lent.size(), 1U);
  borrower.crash(true);
  run_for(milliseconds(100));
  EXPECT_TRUE(lender.lent.empty());
  EXPECT_EQ(lent_by_all(), 0U);
}

TEST_F(Lendings, EndWithTheLenderOrItsDriver) {
  borrower.wish(1, 2);
  run_for(seconds(1));
  lender.leave();
  run_for(milliseconds(100));
  EXPECT_TRUE(lender.lent.empty());
  EXPECT_EQ(lent_by_all(), 0U) << "one worker alone is of no use";
  WorkerNode other(network, 3, 0, 1);
  other.start();
  run_for(seconds(2));
  ASSERT_EQ(other.lent.size(), 1U);
  network.cut(3, true);
  run_for(seconds(12));
  EXPECT_TRUE(other.lent.empty());
}

TEST_F(Lendings, ThatEndByThemselvesAreMadeLessAndLessOften) {
  borrower.wish(1, 2);
  run_for(seconds(1));
  std::size_t ends = 0;
  for (const base::Moment end = network.now() + seconds(30); network.now() < end;) {
    if (!network.step()) break;
    if (lender.lent.empty()) continue;
    lender.end_loan(lender.lent.begin()->first);
    ++ends;
  }
  EXPECT_GE(ends, 4U);
  EXPECT_LE(ends, 7U);
}

TEST_F(Lendings, OfWhoWishesForTooMuchAreNone) {
  borrower.wish(1, 2, base::Bytes(kMostWishBytes + 1));
  run_for(milliseconds(300));
  EXPECT_EQ(driver.changes.back().state, AgentState::lost);
  EXPECT_EQ(driver.changes.back().why, "it wished for more than an agent may");
}

TEST_F(Agents, OneThatLeavesAnswersWhatItHasAndGetsNoMore) {
  driver.start();
  worker.start();
  run_for(seconds(1));
  driver.dispatcher->submit({call(1)}, network.now());
  run_for(milliseconds(1));
  worker.leave();
  run_for(milliseconds(1));
  driver.dispatcher->submit({call(2)}, network.now());
  run_for(seconds(2));
  EXPECT_EQ(worker.dismissal, Dismissal::over);
  EXPECT_EQ(driver.outcomes.size(), 1U);
  EXPECT_EQ(driver.changes.back().state, AgentState::left);
  WorkerNode other(network, 2, 0);
  other.start();
  run_for(seconds(2));
  EXPECT_EQ(driver.outcomes.size(), 2U);
  other.crash(false);
}

TEST_F(Agents, OneThatLeavesGivesBackWhatTakesTooLong) {
  driver.start();
  worker.start();
  run_for(seconds(1));
  driver.dispatcher->submit({call(1)}, network.now());
  while (worker.begun.empty() && network.step()) {
  }
  worker.leave();
  worker.leave(seconds(14));
  EXPECT_FALSE(worker.dismissal.has_value());
  worker.leave(seconds(16));
  EXPECT_EQ(worker.dismissal, Dismissal::over);
  run_for(seconds(1));
  EXPECT_TRUE(driver.outcomes.empty());
  EXPECT_EQ(driver.changes.back().state, AgentState::left);
  WorkerNode other(network, 2, 0);
  other.start();
  run_for(seconds(2));
  EXPECT_EQ(driver.outcomes.size(), 1U);
  other.crash(false);
}

TEST_F(Agents, OneMayWaitForTheNextDriver) {
  driver.agents_wait = true;
  driver.start();
  worker.start();
  run_for(seconds(1));
  driver.dispatcher->stop();
  network.attach(0, nullptr);
  run_for(seconds(60));
  EXPECT_FALSE(worker.dismissal.has_value());
  driver.options.epoch = 2;
  driver.start();
  run_for(seconds(2));
  EXPECT_EQ(driver.dispatcher->slots(), 2U);
}

TEST_F(Agents, AllGoWhenTheStudyIsOver) {
  driver.start();
  worker.start();
  run_for(seconds(1));
  driver.dispatcher->stop();
  run_for(seconds(1));
  EXPECT_EQ(worker.dismissal, Dismissal::over);
}

TEST_F(Agents, LongCallsWaitForAFreeSlot) {
  driver.start();
  worker.start();  // it has two slots
  run_for(seconds(1));
  for (std::uint64_t id = 1; id <= 6; ++id) {
    Submission one = call(id);
    one.call.long_running = true;
    driver.dispatcher->submit({one}, network.now());
  }
  while (driver.outcomes.size() < 6 && network.step())
    ASSERT_LE(driver.dispatcher->agents().back().parcels, 2U);
  EXPECT_EQ(driver.outcomes.size(), 6U);
}

TEST_F(Agents, CallsTakeAsManySlotsAsTheyNeed) {
  driver.start();
  worker.start();
  run_for(seconds(1));
  Submission wide = call(1);
  wide.call.cpus = 3;
  driver.dispatcher->submit({wide, call(2)}, network.now());
  driver.dispatcher->submit({call(3)}, network.now());
  run_for(seconds(2));
  EXPECT_EQ(driver.dispatcher->starving(), (std::vector<std::uint64_t>{1, 2}));
  ASSERT_EQ(driver.outcomes.size(), 1U) << "the others go on";
  WorkerNode other(network, 2, 0, 4);
  other.start();
  run_for(seconds(3));
  EXPECT_TRUE(driver.dispatcher->starving().empty());
  EXPECT_EQ(driver.outcomes.size(), 3U);
  other.crash(false);
}

TEST_F(Agents, WhatTheyKeptFromTheLastDriverIsNotMadeAgain) {
  std::vector<Submission> chain{call(1), call(2), call(3)};
  chain[1].call.inputs = {{1, 1}};
  chain[2].call.inputs = {{2, 1}};
  driver.start();
  worker.start();
  driver.dispatcher->retain({3, 1});
  driver.dispatcher->submit(chain, network.now());
  run_for(seconds(3));
  ASSERT_EQ(driver.outcomes.size(), 3U);
  const std::uint64_t executed = worker.executed;
  driver.options.epoch = 2;
  driver.start();
  run_for(seconds(30));
  ASSERT_EQ(driver.dispatcher->slots(), 2U);
  driver.dispatcher->submit(chain, network.now());
  run_for(seconds(3));
  ASSERT_EQ(driver.outcomes.size(), 6U);
  EXPECT_EQ(driver.outcomes[5].end, End::made);
  EXPECT_EQ(worker.executed, executed);
}

TEST_F(Agents, WhatACallSaysComesBeforeItsEnd) {
  driver.start();
  worker.start();
  driver.dispatcher->submit({call(1)}, network.now());
  run_for(seconds(1));
  ASSERT_EQ(driver.heard.size(), 1U);
  EXPECT_EQ(driver.heard[0], std::pair(std::uint64_t{1}, base::Key{1, 1}.hex()));
}

TEST_F(Agents, AParcelThatTakesThreeNodesAlongEndsAsLost) {
  InProcess wide(2, 5);
  IdleDriver other(wide);
  other.start();
  other.dispatcher->submit({call(1)}, wide.now());
  std::vector<std::unique_ptr<WorkerNode>> nodes;
  for (InProcess::Node i = 1; i <= 3; ++i) {
    EXPECT_TRUE(other.outcomes.empty());
    nodes.push_back(std::make_unique<WorkerNode>(wide, i, 0));
    nodes.back()->start();
    while (other.dispatcher->slots() == 0) wide.step();
    nodes.back()->crash(true);
    while (other.dispatcher->slots() != 0) wide.step();
  }
  ASSERT_EQ(other.outcomes.size(), 1U);
  EXPECT_EQ(other.outcomes[0].end, End::lost);
}

}  // namespace
}  // namespace rt::net
