// Sums on a network that loses, repeats and reorders packets, in virtual time.
#include "runtime/net/aggregator/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/runtime/net/aggregator/terms.h"

namespace rt::net::aggregator {
namespace {

using std::chrono::microseconds;

/// A network in which packets overtake each other by several rounds.
Simulated rough(double lose, std::uint64_t seed) {
  Simulated simulated;
  simulated.fabric.lose = lose;
  simulated.fabric.repeat = lose;
  simulated.fabric.late = 0.2;
  simulated.patience.first = microseconds(100);
  simulated.slots = 3;
  simulated.seed = seed;
  simulated.skew = microseconds(300);
  return simulated;
}

std::vector<float> repeated(const std::vector<float>& sum, int times) {
  std::vector<float> all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), sum.begin(), sum.end());
  return all;
}

struct Sums : testing::TestWithParam<double> {};

TEST_P(Sums, AreEqualOnEveryWorkerAndInEveryOrder) {
  const Layout layout = odd_layout();
  std::uint64_t resent = 0;
  for (unsigned workers = 2; workers <= 8; ++workers) {
    const Terms terms = drawn_terms(layout, workers, workers);
    const std::vector<float> expected = repeated(expected_sum(layout, terms), 3);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Outcome outcome = simulate(rough(GetParam(), seed), layout, terms, 3);
      ASSERT_TRUE(outcome.done) << workers << " workers, seed " << seed;
      for (const auto& sum : outcome.sums) ASSERT_EQ(sum, expected) << workers << ", " << seed;
      resent += outcome.resent;
    }
  }
  if (GetParam() > 0) {
    EXPECT_GT(resent, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Loss, Sums, testing::Values(0, 0.001, 0.01, 0.1));

TEST(Simulation, RenumberingTheWorkersChangesNoBit) {
  const Layout layout = odd_layout();
  Terms terms = drawn_terms(layout, 5, 1);
  const std::vector<float> expected = expected_sum(layout, terms);
  base::Stream dice(1, "numbers");
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    dice.shuffle(std::span(terms));
    const Outcome outcome = simulate(rough(0.01, seed), layout, terms);
    ASSERT_TRUE(outcome.done);
    for (const auto& sum : outcome.sums) ASSERT_EQ(sum, expected);
  }
}

/// Simulations of which some worker has another sum, or none.
int wrong_sums(Bitmap bitmap, double lose, double repeat) {
  const Layout layout = odd_layout();
  const Terms terms = drawn_terms(layout, 4, 1);
  const std::vector<float> expected = expected_sum(layout, terms);
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Simulated simulated = rough(lose, seed);
    simulated.fabric.repeat = repeat;
    simulated.bitmap = bitmap;
    simulated.limit = std::chrono::seconds(1);
    const Outcome outcome = simulate(simulated, layout, terms);
    wrong += !outcome.done || std::any_of(outcome.sums.begin(), outcome.sums.end(),
                                          [&](const auto& sum) { return sum != expected; });
  }
  return wrong;
}

TEST(Simulation, SumsAreWrongWithoutTheBitmap) {
  EXPECT_EQ(wrong_sums(Bitmap::on, 0.05, 0), 0);
  EXPECT_GE(wrong_sums(Bitmap::off, 0.05, 0), 45);
  EXPECT_EQ(wrong_sums(Bitmap::on, 0, 0.05), 0);
  EXPECT_GE(wrong_sums(Bitmap::off, 0, 0.05), 45);
}

TEST(Simulation, RepeatsForASeed) {
  const Layout layout = odd_layout();
  const Terms terms = drawn_terms(layout, 3, 1);
  const Outcome one = simulate(rough(0.1, 5), layout, terms);
  const Outcome two = simulate(rough(0.1, 5), layout, terms);
  EXPECT_EQ(one.time, two.time);
  EXPECT_EQ(one.sent, two.sent);
  EXPECT_EQ(one.lost, two.lost);
  EXPECT_NE(one.time, simulate(rough(0.1, 6), layout, terms).time);
}

TEST(Simulation, ATensorThatIsNotFiniteIsNamedWhateverTheNetworkLoses) {
  const Layout layout = odd_layout();
  Terms terms = drawn_terms(layout, 4, 1);
  terms[2][3 * kBlockFloats + 20] = -HUGE_VALF;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    try {
      (void)simulate(rough(0.05, seed), layout, terms);
      FAIL() << "no worker noticed";
    } catch (const base::Error& error) {
      EXPECT_NE(std::string(error.what()).find("`dense1.bias`"), std::string::npos) << error.what();
    }
  }
}

TEST(Simulation, NoTensorsHaveASum) {
  const Outcome outcome = simulate(rough(0, 1), Layout({}), Terms(2), 2);
  EXPECT_TRUE(outcome.done);
}

}  // namespace
}  // namespace rt::net::aggregator
