#include "hpo/samplers/bohb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace hpo {
namespace {

class BohbTest : public ::testing::Test {
 protected:
  std::unique_ptr<Sampler> make(double random) const {
    return make_sampler("bohb",
                        {.space = space_,
                         .seed = 1,
                         .options = {{"random", random}, {"candidates", std::int64_t{24}}}});
  }

  /// A trial at x that reports at the first rung, and at the second one too where it got there.
  static void tell(Sampler& sampler, std::uint64_t trial, double x, double first,
                   std::optional<double> second = {}) {
    sampler.created(trial, {{"x", x}});
    sampler.reported(trial, 1, Score(first));
    if (second) sampler.reported(trial, 3, Score(*second));
    sampler.ended(trial, TrialState::stopped);
  }

  /// Share of the proposals from the second hundred on that lie near a point.
  static double share_near(Sampler& sampler, double point) {
    int near = 0;
    for (std::uint64_t ordinal = 100; ordinal < 200; ++ordinal) {
      const double x = std::get<double>(*sampler.propose(ordinal)->find("x"));
      near += std::abs(x - point) < 0.15;
    }
    return near / 100.0;
  }

  Space space_{{{.name = "x", .domain = FloatRange{.min = 0, .max = 1}}}};
};

TEST_F(BohbTest, ModelsTheHighestStepThatEnoughTrialsReached) {
  auto sampler = make(0);
  // Low x is good at the first rung, high x at the second.
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    const double x = static_cast<double>(trial) / 40;
    tell(*sampler, trial, x, x);
  }
  EXPECT_GT(share_near(*sampler, 0.1), 0.6);
  for (std::uint64_t trial = 40; trial < 45; ++trial) tell(*sampler, trial, 0.9, 1, 0.1);
  EXPECT_GT(share_near(*sampler, 0.1), 0.6) << "five are not enough";
  for (std::uint64_t trial = 45; trial < 75; ++trial) {
    const double x = static_cast<double>(trial - 45) / 30;
    tell(*sampler, trial, x, x, 1 - x);
  }
  EXPECT_GT(share_near(*sampler, 0.9), 0.6);
}

TEST_F(BohbTest, TrialsThatDidNotGetThereCountAsWorse) {
  auto sampler = make(0);
  // Of those in the middle that went on the highest x is best; what lies higher did not go on.
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    const double x = static_cast<double>(trial * 37 % 60) / 60;
    const bool goes_on = x > 0.3 && x < 0.6;
    tell(*sampler, trial, x, goes_on ? 0 : 1, goes_on ? std::optional(1 - x) : std::nullopt);
  }
  EXPECT_GT(share_near(*sampler, 0.6), 0.5);
  EXPECT_LT(share_near(*sampler, 0.9), 0.25);
}

TEST_F(BohbTest, ATrialThatIsCompleteIsThereAtEveryStep) {
  auto sampler = make(0);
  // Low x is good at the first step, high x at the end.
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    const double x = static_cast<double>(trial) / 40;
    tell(*sampler, trial, x, x);
  }
  for (std::uint64_t trial = 40; trial < 70; ++trial) {
    const double x = static_cast<double>(trial * 7 % 30) / 30;
    sampler->created(trial, {{"x", x}});
    sampler->reported(trial, 1, Score(1 - x));
    sampler->ended(trial, TrialState::complete);
  }
  EXPECT_GT(share_near(*sampler, 0.9), 0.6);
}

TEST_F(BohbTest, AnEndWithoutAStepIsNoReportAtTheFirst) {
  auto sampler = make(0), even = make(0);
  for (std::uint64_t trial = 0; trial < 10; ++trial) {
    const double x = static_cast<double>(trial) / 10;
    even->created(trial, {{"x", x}});
    sampler->created(trial, {{"x", x}});
    sampler->reported(trial, 1, Score(x));
    sampler->ended(trial, trial % 2 == 0 ? TrialState::complete : TrialState::stopped);
  }
  EXPECT_EQ(sampler->propose(10), even->propose(10)) << "five of each are not enough for a model";
}

TEST_F(BohbTest, FailedTrialsAreNotSoughtOutForWhatTheyReported) {
  auto sampler = make(0);
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    const double x = static_cast<double>(trial * 37 % 60) / 60;
    sampler->created(trial, {{"x", x}});
    sampler->reported(trial, 1, Score(x));
    sampler->ended(trial, x < 0.3 ? TrialState::failed : TrialState::complete);
  }
  EXPECT_LT(share_near(*sampler, 0.1), 0.15);
  EXPECT_GT(share_near(*sampler, 0.4), 0.5);
}

TEST_F(BohbTest, BeginsEvenly) {
  auto sampler = make(1);
  std::vector<double> points;
  for (std::uint64_t trial = 0; trial < 16; ++trial) {
    const Params params = sampler->propose(trial).value();
    points.push_back(std::get<double>(*params.find("x")));
    sampler->created(trial, params);
  }
  std::ranges::sort(points);
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(points[i] * 16), i) << "one in each sixteenth";
}

TEST_F(BohbTest, AShareIsRandom) {
  auto model = make(0), mixed = make(0.5), random = make(1);
  for (Sampler* sampler : {model.get(), mixed.get(), random.get()}) {
    for (std::uint64_t trial = 0; trial < 40; ++trial)
      tell(*sampler, trial, static_cast<double>(trial) / 40,
           std::abs(static_cast<double>(trial) / 40 - 0.2));
  }
  const double all = share_near(*model, 0.2), none = share_near(*random, 0.2);
  EXPECT_GT(all, 0.7);
  EXPECT_NEAR(none, 0.3, 0.15);
  EXPECT_NEAR(share_near(*mixed, 0.2), (all + none) / 2, 0.15);
}

/// Before the twentieth event the model is made anew by each.
TEST_F(BohbTest, AFailureThatIsTakenBackIsForgottenWithTheNextReport) {
  auto never = make(0), back = make(0);
  for (Sampler* sampler : {never.get(), back.get()}) {
    for (std::uint64_t trial = 0; trial < 9; ++trial) {
      sampler->created(trial, {{"x", static_cast<double>(trial) / 10}});
      sampler->reported(trial, 1, Score(static_cast<double>(trial)));
    }
  }
  const auto proposed = [](Sampler& sampler) {
    std::vector<std::optional<Params>> all;
    for (std::uint64_t ordinal = 100; ordinal < 200; ++ordinal)
      all.push_back(sampler.propose(ordinal));
    return all;
  };
  back->ended(0, TrialState::failed);
  EXPECT_NE(proposed(*back), proposed(*never));
  back->reopened(0);
  for (Sampler* sampler : {never.get(), back.get()}) sampler->reported(1, 2, Score(0.5));
  EXPECT_EQ(proposed(*back), proposed(*never));
}

}  // namespace
}  // namespace hpo
