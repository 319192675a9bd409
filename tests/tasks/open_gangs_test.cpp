// What an agent's trainings wish for.
#include "tasks/open_gangs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "nn/model/init.h"
#include "nn/network/workspace.h"
#include "runtime/codec.h"
#include "tests/nn/gang_cases.h"
#include "tests/tasks/members/dataset_of.h"
#include "tests/tasks/members/no_network.h"

namespace {

using nn_test::GangCase;
using rt::net::Wish;

class Nowhere final : public rt::net::Transport {
 public:
  [[nodiscard]] std::string address() const override { return "here:1"; }
  void send(rt::net::LinkId, rt::net::Channel, base::Bytes) override {}
  void close(rt::net::LinkId) override {}
};

/// A network in which nobody comes.
class Lonely final : public tasks_test::NoNetwork {
 public:
  std::unique_ptr<rt::net::Transport> listen(const rt::net::Identity&, const std::string&,
                                             rt::net::Inbox&) override {
    return std::make_unique<Nowhere>();
  }
};

struct OpenGangs : testing::Test {
  Lonely network;
  /// What a training wishes for in its first step, and what it trained.
  struct Wished {
    std::vector<Wish> wishes;
    nn_test::Trained made;
  };

  [[nodiscard]] Wished train(tasks::OpenGangs& gangs, const GangCase& c) const {
    kern::prepare_thread();
    const nn::Dataset data = nn_test::dataset_of(c.table);
    Wished all{{}, {nn::ParamSlab(nn::slab_header(c.spec, c.hyper.optimizer)), {}}};
    nn::init_weights(all.made.net, 11);
    nn::Workspace workspace;
    all.made.stats = gangs.train(
        kern::cpu_kernels(), workspace, all.made.net, data, c.hyper, {0, 2},
        [&] {
          all.wishes = gangs.wishes();
          return false;
        },
        nullptr);
    return all;
  }
  [[nodiscard]] std::vector<Wish> wishes_of(const GangCase& c, const tasks::VisitorRules& rules) {
    tasks::OpenGangs gangs(network, {}, "here", {"build", "arithmetic"}, rules);
    const Wished wished = train(gangs, c);
    const nn_test::Trained one = nn_test::trained(c, {0, 2}, nullptr);
    EXPECT_TRUE(std::ranges::equal(one.net.bytes(), wished.made.net.bytes())) << c.name;
    EXPECT_EQ(one.stats, wished.made.stats) << c.name;
    return wished.wishes;
  }
};

TEST_F(OpenGangs, WishForAsManyAsTheFileSays) {
  const std::vector<Wish> wishes = wishes_of(nn_test::gang_cases(8)[0], {.members = 3});
  ASSERT_EQ(wishes.size(), 1U);
  EXPECT_EQ(wishes[0].least, 1U);
  EXPECT_EQ(wishes[0].most, 2U);
  const auto invitation = rt::decode<tasks::Invitation>(wishes[0].terms);
  EXPECT_EQ(invitation.address, "here:1");
  EXPECT_NE(invitation.token, 0U);
}

TEST_F(OpenGangs, WishForNoMoreThanThereAreShards) {
  const std::vector<Wish> wishes = wishes_of(nn_test::gang_cases(8)[0], {.members = 100});
  ASSERT_EQ(wishes.size(), 1U);
  EXPECT_EQ(wishes[0].most, 7U);
  EXPECT_TRUE(wishes_of(nn_test::gang_cases(1)[0], {.members = 100}).empty());
  EXPECT_TRUE(wishes_of(nn_test::gang_cases(65)[0], {.members = 100}).empty());
}

/// A core that computes so many FLOPs a second, and nothing else takes time.
rt::Platform core(double peak) {
  return {.name = "core",
          .cpu = {.count = 1, .peak = peak, .half = 1, .launch = 0, .bandwidth = 1e12},
          .gpu = {}};
}

TEST_F(OpenGangs, WishForAsManyAsPayOnPaper) {
  const GangCase c = nn_test::gang_cases(8)[0];
  EXPECT_TRUE(wishes_of(c, {.members = 100, .judges = true, .platform = core(1e12)}).empty());
  const std::vector<Wish> wishes =
      wishes_of(c, {.members = 100, .judges = true, .platform = core(1e4)});
  ASSERT_EQ(wishes.size(), 1U);
  EXPECT_EQ(wishes[0].least, 1U);
  EXPECT_EQ(wishes[0].most, 7U);
  // The first members cost about as much as they compute.
  const tasks::VisitorRules middle{.members = 100, .judges = true, .platform = core(2.5e8)};
  const std::vector<Wish> some = wishes_of(c, middle);
  ASSERT_EQ(some.size(), 1U);
  EXPECT_GT(some[0].most, some[0].least);
}

TEST_F(OpenGangs, GoOnWishingForAMoment) {
  tasks::OpenGangs gangs(network, {}, "here", {"build", "arithmetic"}, {.members = 2});
  const GangCase c = nn_test::gang_cases(8)[0];
  const std::vector<Wish> first = train(gangs, c).wishes;
  EXPECT_EQ(gangs.wishes(), first) << "the next training of the trial comes soon";
  EXPECT_EQ(train(gangs, c).wishes, first) << "the same gang trains again";
  const base::Moment ended = base::now();
  while (!gangs.wishes().empty() && base::seconds_since(ended) < 10)
    base::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(gangs.wishes().empty());
}

}  // namespace
