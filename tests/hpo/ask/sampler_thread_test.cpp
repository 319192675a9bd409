#include "hpo/ask/sampler_thread.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cmath>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>

#include "hpo/samplers/registry.h"

namespace hpo {
namespace {

/// Proposes how many events it was told, each time when it is let.
class Slow final : public Sampler {
 public:
  explicit Slow(std::promise<void>& begun, std::future<void> may_go)
      : begun_(begun), may_go_(std::move(may_go)) {}
  void created(std::uint64_t, const Params&) override { ++told_; }
  void ended(std::uint64_t, TrialState) override { ++told_; }
  void reopened(std::uint64_t) override { ++told_; }
  std::optional<Params> propose(std::uint64_t ordinal) override {
    const std::int64_t known = told_;
    if (std::exchange(first_, false)) {
      begun_.set_value();
      may_go_.wait();
    }
    if (ordinal == 13) throw std::runtime_error("unlucky");
    return Params{{"told", known}};
  }

 private:
  std::promise<void>& begun_;
  std::future<void> may_go_;
  std::int64_t told_ = 0;
  bool first_ = true;
};

class SamplerThreadTest : public ::testing::Test {
 protected:
  /// A proposal is being made, of a trial 1 behind a trial 0 that runs.
  void begin_a_slow_one() {
    sampler_.created(0, {});
    sampler_.prepare(1);
    begun_.get_future().wait();
  }
  [[nodiscard]] std::int64_t known() {
    return std::get<std::int64_t>(*sampler_.propose(1)->find("told"));
  }
  void becomes_readable() const {
    pollfd there{.fd = sampler_.fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&there, 1, 10'000), 1);
  }

  std::promise<void> begun_, may_go_;
  SamplerThread sampler_{std::make_unique<Slow>(begun_, may_go_.get_future())};
};

TEST_F(SamplerThreadTest, TellsOfATrialThatRunsAgain) {
  may_go_.set_value();
  sampler_.created(0, {});
  sampler_.ended(0, TrialState::failed);
  sampler_.reopened(0);
  EXPECT_EQ(known(), 3);
}

TEST_F(SamplerThreadTest, WhoTellsWaitsForNoProposal) {
  begin_a_slow_one();
  sampler_.ended(0, TrialState::complete);
  EXPECT_FALSE(sampler_.ready(1));
  may_go_.set_value();
  EXPECT_EQ(known(), 2) << "all that was told before it was asked for";
}

TEST_F(SamplerThreadTest, WhatIsPreparedIsReady) {
  begin_a_slow_one();
  may_go_.set_value();
  becomes_readable();
  EXPECT_TRUE(sampler_.ready(1));
  EXPECT_EQ(known(), 1);
}

TEST_F(SamplerThreadTest, WhoWaitsNeedNotHearWhatIsToldMeanwhile) {
  begin_a_slow_one();
  sampler_.await(1);
  sampler_.ended(0, TrialState::complete);
  may_go_.set_value();
  becomes_readable();
  EXPECT_TRUE(sampler_.ready(1));
  EXPECT_EQ(known(), 1);
}

TEST_F(SamplerThreadTest, WhatNobodyWaitsForAnyMoreIsNotServedToTheNext) {
  begin_a_slow_one();
  sampler_.await(1);
  sampler_.ended(0, TrialState::complete);
  sampler_.await_none();
  may_go_.set_value();
  EXPECT_EQ(known(), 2);
}

TEST_F(SamplerThreadTest, ThrowsWhatTheSamplerThrew) {
  may_go_.set_value();
  sampler_.await(13);
  becomes_readable();
  EXPECT_TRUE(sampler_.ready(13));
  EXPECT_THROW((void)sampler_.propose(13), std::runtime_error);
}

TEST_F(SamplerThreadTest, MayEndInBetween) {
  begin_a_slow_one();
  sampler_.ended(0, TrialState::complete);
  sampler_.prepare(1);
  may_go_.set_value();
}

TEST(SamplerThread, ProposesWhatTheSamplerInItProposes) {
  const Space space({{.name = "x", .domain = FloatRange{.min = 0, .max = 1}},
                     {.name = "y", .domain = FloatRange{.min = 0, .max = 1}}});
  for (const std::string kind : {"random", "gp", "tpe", "bohb", "cmaes"}) {
    const auto made = [&] {
      const SamplerKind& known = *find_sampler_kind(kind);
      return known.make({.space = space, .seed = 5, .options = options_of(known.info)});
    };
    SamplerThread beside(made());
    const auto alone = made();
    for (std::uint64_t trial = 0; trial < 80; ++trial) {
      if (trial % 3 == 0) beside.prepare(trial);
      const auto params = beside.propose(trial);
      ASSERT_EQ(params, alone->propose(trial)) << kind << ' ' << trial;
      const double loss = std::abs(std::get<double>(*params->find("x")) - 0.3);
      for (Sampler* sampler : {static_cast<Sampler*>(&beside), alone.get()}) {
        sampler->created(trial, *params);
        if (trial % 5 == 1) continue;
        sampler->reported(trial, 1, Score(loss));
        if (trial % 7 == 2 && sampler == &beside) beside.prepare(trial + 1);
        sampler->ended(trial, TrialState::complete);
      }
    }
  }
}

}  // namespace
}  // namespace hpo
