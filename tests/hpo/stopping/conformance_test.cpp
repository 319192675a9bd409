// What every stopping rule of the registry promises.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "hpo/space/random.h"
#include "hpo/stopping/registry.h"

namespace hpo {
namespace {

constexpr std::int64_t kMaxStep = 27;

class Conformance : public ::testing::TestWithParam<KindInfo> {
 protected:
  [[nodiscard]] std::unique_ptr<StoppingRule> make() const {
    Params options;
    for (const Option& option : GetParam().options) {
      // What must be given is a value of the metric; losses here lie below 20.
      options.set(option.name, option.default_value.value_or(15.0));
    }
    return make_stopping_rule(GetParam().name, {kMaxStep, options});
  }
};

/// One random history; the words it got, in order. Trials report in random interleaving, some only
/// every few steps.
std::vector<Word> words(StoppingRule& rule, std::uint64_t seed) {
  Stream random(seed, "history");
  std::map<std::uint64_t, std::int64_t> steps;  // of trials that run
  std::uint64_t created = 0;
  std::vector<Word> given;
  for (int i = 0; i < 400; ++i) {
    while (steps.size() < 6) steps[created++] = 0;
    auto at = std::next(steps.begin(), static_cast<std::ptrdiff_t>(random.below(steps.size())));
    std::int64_t last = at->second;
    std::int64_t step =
        std::min<std::int64_t>(kMaxStep, last + 1 + static_cast<std::int64_t>(random.below(3)));
    double loss = random.below(10) == 0 ? std::nan("") : static_cast<double>(random.below(20));
    bool may_stop = rule.decides(last, step);
    given.push_back(rule.reported(at->first, step, loss));
    EXPECT_TRUE(may_stop || given.back() == Word::go)
        << "stopped where it said it would not decide";
    at->second = step;
    if (given.back() == Word::stop || step == kMaxStep || random.below(40) == 0) {
      rule.ended(at->first,
                 given.back() == Word::stop ? TrialState::stopped : TrialState::complete);
      steps.erase(at);
    }
  }
  return given;
}

TEST_P(Conformance, TheSameHistoryGivesTheSameWords) {
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    EXPECT_EQ(words(*make(), seed), words(*make(), seed));
}

TEST_P(Conformance, DecidesIsAFunctionOfItsArguments) {
  auto fresh = make(), used = make();
  (void)words(*used, 1);
  for (std::int64_t last = 0; last < kMaxStep; ++last) {
    for (std::int64_t step = last + 1; step <= kMaxStep; ++step) {
      EXPECT_EQ(fresh->decides(last, step), used->decides(last, step));
    }
  }
}

TEST_P(Conformance, TheOnlyTrialIsNeverStopped) {
  auto rule = make();
  for (std::int64_t step = 1; step <= kMaxStep; ++step)
    EXPECT_EQ(rule->reported(0, step, 1.0 / static_cast<double>(step)), Word::go);
}

TEST_P(Conformance, TheBestTrialIsNeverStoppedWhileItGetsBetter) {
  auto rule = make();
  Stream random(5, "others");
  const double bad[] = {std::nan(""), std::numeric_limits<double>::infinity(), 7, 3};
  for (std::uint64_t other = 1; other < 30; ++other) {
    for (std::int64_t step = 1; step <= kMaxStep; ++step)
      (void)rule->reported(other, step, bad[random.below(4)]);
    rule->ended(other, TrialState::complete);
  }
  for (std::int64_t step = 1; step <= kMaxStep; ++step)
    EXPECT_EQ(rule->reported(0, step, -static_cast<double>(step)), Word::go);
}

TEST_P(Conformance, TheEndOfATrialIsNoTimeToStopIt) {
  auto rule = make();
  (void)words(*rule, 3);
  EXPECT_FALSE(rule->decides(kMaxStep - 1, kMaxStep));
  (void)rule->reported(10'000, kMaxStep - 1, 1.0);
  EXPECT_EQ(rule->reported(10'000, kMaxStep, std::nan("")), Word::go);
}

INSTANTIATE_TEST_SUITE_P(Rules, Conformance,
                         ::testing::ValuesIn(stopping_kinds().begin(), stopping_kinds().end()),
                         [](const auto& test) { return test.param.name; });

TEST(StoppingRegistry, NamesAreUniqueAndUnknownOnesGiveNull) {
  std::set<std::string> names;
  for (const KindInfo& kind : stopping_kinds()) EXPECT_TRUE(names.insert(kind.name).second);
  EXPECT_EQ(make_stopping_rule("astrology", {}), nullptr);
}

}  // namespace
}  // namespace hpo
