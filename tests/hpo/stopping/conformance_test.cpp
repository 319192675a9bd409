// What every stopping rule of the registry promises.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "hpo/space/random.h"
#include "hpo/stopping/registry.h"
#include "tests/hpo/stopping/variants.h"

namespace hpo {
namespace {

constexpr std::int64_t kMaxStep = 27;

class Conformance : public ::testing::TestWithParam<Variant> {
 protected:
  [[nodiscard]] static std::unique_ptr<StoppingRule> make() {
    const Chosen& rule = GetParam().rule;
    return make_stopping_rule(rule.kind,
                              {.max_step = kMaxStep, .options = rule.options, .of = rule.of});
  }
};

/// Trials under a rule, as a driver would run them: what a pause or a stop ends reports no more.
class Study {
 public:
  explicit Study(StoppingRule& rule) : rule_(rule) {}

  std::map<std::uint64_t, std::int64_t> running;  ///< their last steps
  std::map<std::uint64_t, std::int64_t> paused;
  std::map<std::uint64_t, std::int64_t> failed;
  std::string words;  ///< all that was said, in order

  void create() { running[created_++] = 0; }

  /// The word for a trial that runs.
  Decision report(std::uint64_t trial, std::int64_t step, double loss) {
    const bool may_stop = rule_.decides(running.at(trial), step);
    const Decision decision = rule_.reported(trial, step, loss);
    EXPECT_TRUE(may_stop || decision == Decision::go)
        << "stopped where it said it would not decide";
    words += "gsp"[static_cast<int>(decision)];
    running[trial] = step;
    if (step == kMaxStep) {
      EXPECT_NE(rule_.promotes(false), trial) << "what reached its end does not wait";
      end(trial, TrialState::complete);
    } else if (decision == Decision::stop) {
      end(trial, TrialState::stopped);
    } else if (decision == Decision::pause)
      paused.insert(running.extract(trial));
    give_up();
    return decision;
  }

  void end(std::uint64_t trial, TrialState state) {
    rule_.ended(trial, state);
    if (state == TrialState::failed) failed.insert(*running.find(trial));
    running.erase(trial);
    paused.erase(trial);
  }

  /// A trial that failed runs again from where it was.
  void reopen(std::uint64_t trial) {
    rule_.reopened(trial);
    running.insert(failed.extract(trial));
  }

  /// Lets the trial go on that the rule names; false where it names none.
  bool promote(bool last) {
    const auto trial = rule_.promotes(last);
    EXPECT_EQ(rule_.promotes(last), trial) << "named until it is resumed";
    if (!trial) return false;
    if (!paused.contains(*trial)) {
      ADD_FAILURE() << "trial " << *trial << " is promoted and did not wait";
      return false;
    }
    rule_.resumed(*trial);
    words += resumed_name(*trial);
    running.insert(paused.extract(*trial));
    return true;
  }

 private:
  static std::string resumed_name(std::uint64_t trial) { return " " + std::to_string(trial) + " "; }

  void give_up() {
    for (const std::uint64_t trial : rule_.gives_up()) {
      EXPECT_TRUE(paused.contains(trial)) << trial;
      words += "-" + std::to_string(trial);
      end(trial, TrialState::stopped);
    }
    EXPECT_TRUE(rule_.gives_up().empty());
  }

  StoppingRule& rule_;
  std::uint64_t created_ = 0;
};

enum class Failures : std::uint8_t { none, taken_back, some_again };

/// One random history; the words it got, in order. Trials report in random interleaving, some only
/// every few steps. `taken_back`: some fail and run again before anything else happens;
/// `some_again`: some of those that failed run again later.
std::string words(StoppingRule& rule, std::uint64_t seed,
                  Failures failures = Failures::some_again) {
  Stream random(seed, "history");
  Study study(rule);
  for (int i = 0; i < 400; ++i) {
    while (study.running.size() < 6) {
      if (failures == Failures::some_again && study.failed.size() > 2)
        study.reopen(study.failed.begin()->first);
      else if (!study.promote(false))
        study.create();
    }
    const auto at = std::next(study.running.begin(),
                              static_cast<std::ptrdiff_t>(random.below(study.running.size())));
    const std::uint64_t trial = at->first;
    const std::int64_t step = std::min<std::int64_t>(
        kMaxStep, at->second + 1 + static_cast<std::int64_t>(random.below(3)));
    const double loss =
        random.below(10) == 0 ? std::nan("") : static_cast<double>(random.below(20));
    const Decision decision = study.report(trial, step, loss);
    const bool fails = random.below(40) == 0 && decision == Decision::go && step < kMaxStep;
    if (!fails || failures == Failures::none) continue;
    study.end(trial, TrialState::failed);
    if (failures == Failures::taken_back) study.reopen(trial);
  }
  return study.words;
}

TEST_P(Conformance, TheSameHistoryGivesTheSameWords) {
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    EXPECT_EQ(words(*make(), seed), words(*make(), seed));
}

/// A group that closes without a trial does not open again.
TEST_P(Conformance, AFailureThatIsTakenBackChangesNoWord) {
  const bool groups = GetParam().rule.kind == "successive_halving";
  for (std::uint64_t seed = 0; seed < 100 && !groups; ++seed)
    EXPECT_EQ(words(*make(), seed, Failures::taken_back), words(*make(), seed, Failures::none));
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

/// Runs a trial to its end, as long as the rule lets it; the last step.
std::int64_t run_alone(Study& study, std::uint64_t trial, double slope) {
  std::int64_t step = 0;
  while (step < kMaxStep) {
    ++step;
    const Decision decision = study.report(trial, step, slope * static_cast<double>(step));
    if (decision == Decision::pause)
      while (!study.running.contains(trial) && study.promote(true)) continue;
    if (step < kMaxStep && !study.running.contains(trial)) break;
  }
  return step;
}

TEST_P(Conformance, TheOnlyTrialIsNeverStopped) {
  auto rule = make();
  Study study(*rule);
  study.create();
  EXPECT_EQ(run_alone(study, 0, -0.01), kMaxStep);
}

TEST_P(Conformance, TheBestTrialIsNeverStoppedWhileItGetsBetter) {
  auto rule = make();
  Study study(*rule);
  Stream random(5, "others");
  const double bad[] = {std::nan(""), std::numeric_limits<double>::infinity(), 7, 3};
  study.create();
  for (std::uint64_t other = 1; other < 30; ++other) {
    study.create();
    for (std::int64_t step = 1; study.running.contains(other); ++step) {
      // Where one was complete, a rule that pauses has done its duty.
      if (rule->pauses() && step == kMaxStep) {
        study.end(other, TrialState::failed);
      } else {
        (void)study.report(other, step, bad[random.below(4)]);
      }
    }
  }
  EXPECT_EQ(run_alone(study, 0, -1), kMaxStep);
}

TEST_P(Conformance, WhateverWaitsInTheEndOneTrialIsComplete) {
  auto rule = make();
  Study study(*rule);
  bool complete = false;
  for (std::uint64_t trial = 0; trial < 12; ++trial) study.create();
  do {
    while (!study.running.empty()) {
      const auto [trial, last] = *study.running.begin();
      (void)study.report(trial, last + 1,
                         static_cast<double>(trial) - 0.01 * static_cast<double>(last));
      complete = complete || last + 1 == kMaxStep;
    }
  } while (study.promote(true));
  EXPECT_TRUE(complete);
}

TEST_P(Conformance, TheEndOfATrialIsNoTimeToStopIt) {
  auto rule = make();
  (void)words(*rule, 3);
  EXPECT_FALSE(rule->decides(kMaxStep - 1, kMaxStep));
  (void)rule->reported(10'000, kMaxStep - 1, 1.0);
  EXPECT_EQ(rule->reported(10'000, kMaxStep, std::nan("")), Decision::go);
}

INSTANTIATE_TEST_SUITE_P(Rules, Conformance,
                         // Losses here lie below 20.
                         ::testing::ValuesIn(rule_variants({{"worst", 25.0}})),
                         [](const auto& test) { return test.param.name; });

TEST(StoppingRegistry, NamesAreUniqueAndUnknownOnesGiveNull) {
  std::set<std::string> names;
  for (const base::KindInfo& kind : stopping_kinds()) EXPECT_TRUE(names.insert(kind.kind).second);
  EXPECT_EQ(make_stopping_rule("astrology", {}), nullptr);
}

}  // namespace
}  // namespace hpo
