// A training that visitors join and leave as they like has the bits of a training by one process.
// The visitors are threads of this process; tests/cli/lent_workers.py has agents that lend
// processes.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "nn/model/init.h"
#include "nn/network/workspace.h"
#include "tasks/gang.h"
#include "tasks/members/channel.h"
#include "tasks/members/places.h"
#include "tests/nn/gang_cases.h"
#include "tests/tasks/members/dataset_of.h"

namespace {

using nn_test::dataset_of;
using nn_test::GangCase;
using nn_test::Trained;

constexpr nn::Segment kSteps{0, 30};

nn::ParamSlab born(const GangCase& c) {
  nn::ParamSlab net(nn::slab_header(c.spec, c.hyper.optimizer));
  nn::init_weights(net, 11);
  return net;
}

/// Runs parts here, and counts them.
class Counting final : public nn::Parallel {
 public:
  void run(int parts, Body body, void* object) override {
    for (int i = 0; i < parts; ++i) body(object, i, workspace_);
    ++runs;
  }
  int runs = 0;

 private:
  nn::Workspace workspace_;
};

/// A gang of visitors, and the visitors that came.
class Rig {
 public:
  explicit Rig(int members)
      : gang_(std::in_place, members, std::make_unique<tasks::SharedPlace>()) {}
  ~Rig() {
    gang_.reset();
    for (std::thread& thread : threads_) thread.join();
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  [[nodiscard]] tasks::Gang& gang() { return *gang_; }
  /// Returns false if there was no seat.
  bool come() {
    auto [ours, theirs] = tasks::Channel::make();
    ends_.emplace_back(::dup(theirs.fd()));
    threads_.emplace_back(
        [end = std::move(theirs)]() mutable { tasks::be_member(std::move(end)); });
    return gang_->admit({.process = nullptr, .channel = std::move(ours)});
  }
  /// Cuts one off from its orders: it goes on with its step until it misses the others.
  void cut(std::size_t number) { ::shutdown(ends_.at(number).fd(), SHUT_RDWR); }
  [[nodiscard]] std::size_t came() const { return ends_.size(); }
  /// Waits at most ten seconds.
  void await(const std::function<bool()>& event) const {
    const base::Moment begun = base::now();
    while (!event() && base::seconds_since(begun) < 10)
      base::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(event());
  }

  /// `at_step` is called before each step, with the steps before it.
  Trained train(const GangCase& c, const nn::Dataset& data, const nn::StopPredicate& at_step,
                nn::Parallel* parallel = nullptr) {
    kern::prepare_thread();
    Trained made{born(c), {}};
    nn::Workspace workspace;
    made.stats = gang_->train_with_visitors(kern::cpu_kernels(), workspace, made.net, data, c.hyper,
                                            kSteps, at_step, parallel);
    return made;
  }

 private:
  std::vector<base::File> ends_;
  std::vector<std::thread> threads_;
  std::optional<tasks::Gang> gang_;
};

Trained alone(const GangCase& c, const nn::Dataset& data) {
  kern::prepare_thread();
  Trained made{born(c), {}};
  nn::Workspace workspace;
  made.stats = nn::train_steps(kern::cpu_kernels(), workspace, made.net, data.view(nn::Part::train),
                               c.hyper, kSteps);
  return made;
}

void expect_same(const Trained& one, const Trained& other, const std::string& what) {
  EXPECT_TRUE(std::ranges::equal(one.net.bytes(), other.net.bytes())) << what;
  EXPECT_EQ(one.stats, other.stats) << what;
}

TEST(Visitors, NobodyMeansNoGang) {
  const GangCase c = nn_test::gang_cases(8)[0];
  const nn::Dataset data = dataset_of(c.table);
  Rig rig(4);
  Counting parallel;
  expect_same(alone(c, data),
              rig.train(
                  c, data, [] { return false; }, &parallel),
              c.name);
  EXPECT_GT(parallel.runs, 0) << "shards do not run side by side";
  EXPECT_EQ(rig.gang().use()[0].bytes, 0U);
  EXPECT_EQ(rig.gang().use()[0].busy, 0) << "it trained as a gang of one";
}

TEST(Visitors, ComeAndGoInTheMiddle) {
  for (const GangCase& c : nn_test::gang_cases(8)) {
    const nn::Dataset data = dataset_of(c.table);
    Rig rig(3);
    int steps = 0;
    const Trained made = rig.train(c, data, [&] {
      const auto joined = [&](int count) { return rig.gang().changes().joined >= count; };
      const auto lost = [&](int count) { return rig.gang().changes().lost >= count; };
      ++steps;
      if (steps == 5) EXPECT_TRUE(rig.come());
      // Once the first has joined, the other one comes; then both go, and a third one comes.
      if (joined(1) && rig.came() == 1) EXPECT_TRUE(rig.come());
      if (joined(2) && rig.came() == 2) {
        rig.cut(0);
        rig.await([&] { return lost(1); });
        rig.cut(1);
        rig.await([&] { return lost(2); });
        EXPECT_TRUE(rig.come());
      }
      // A training of so few rows would be over before anybody comes.
      if (steps > 5 && !joined(3)) base::sleep_for(std::chrono::milliseconds(2));
      return false;
    });
    expect_same(alone(c, data), made, c.name);
    EXPECT_EQ(rig.gang().changes().joined, 3) << c.name;
    EXPECT_EQ(rig.gang().changes().lost, 2) << c.name;
    EXPECT_GT(rig.gang().use()[1].busy, 0);
  }
}

TEST(Visitors, StayForTheNextTraining) {
  const GangCase c = nn_test::gang_cases(8)[1];
  const nn::Dataset data = dataset_of(c.table);
  const Trained one = alone(c, data);
  Rig rig(2);
  ASSERT_TRUE(rig.come());
  rig.await([&] { return rig.gang().visited(); });
  const auto slowly = [] {
    base::sleep_for(std::chrono::milliseconds(1));
    return false;
  };
  for (int training = 1; training <= 3; ++training) {
    const double before = rig.gang().use()[1].busy;
    expect_same(one, rig.train(c, data, slowly), "training " + std::to_string(training));
    EXPECT_GT(rig.gang().use()[1].busy, before);
  }
  EXPECT_EQ(rig.gang().changes().lost, 0);
}

TEST(Visitors, WhoAreCutOffAtRandomChangeNoBit) {
  const GangCase c = nn_test::gang_cases(16)[0];
  const nn::Dataset data = dataset_of(c.table);
  const Trained one = alone(c, data);
  base::Stream stream(3);
  for (int round = 0; round < 10; ++round) {
    Rig rig(5);
    const Trained made = rig.train(c, data, [&] {
      if (stream.below(4) == 0) (void)rig.come();
      if (rig.came() > 0 && stream.below(6) == 0) rig.cut(stream.below(rig.came()));
      base::sleep_for(std::chrono::milliseconds(1));
      return false;
    });
    expect_same(one, made, "round " + std::to_string(round));
  }
}

TEST(Visitors, StopWithTheTraining) {
  const GangCase c = nn_test::gang_cases(8)[0];
  const nn::Dataset data = dataset_of(c.table);
  Rig rig(2);
  ASSERT_TRUE(rig.come());
  rig.await([&] { return rig.gang().visited(); });
  const Trained made = rig.train(c, data, [&] {
    base::sleep_for(std::chrono::milliseconds(1));
    return rig.gang().changes().joined > 0;
  });
  EXPECT_TRUE(made.stats.stopped);
  EXPECT_LT(made.stats.steps, alone(c, data).stats.steps);
}

TEST(Visitors, FindNoSeatWhereAllAreTaken) {
  Rig rig(2);
  EXPECT_TRUE(rig.come());
  EXPECT_FALSE(rig.come());
  rig.await([&] { return rig.gang().visited(); });
  rig.cut(0);
  rig.await([&] { return !rig.gang().visited(); });
  EXPECT_TRUE(rig.come());
}

}  // namespace
