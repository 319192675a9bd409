// What every policy promises (nn/adapt/policy.h), over the registry: a new kind is here from its
// line there on.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "nn/adapt/guarded.h"
#include "nn/adapt/policy.h"
#include "nn/model/layout.h"
#include "tests/nn/nets.h"

namespace nn {
namespace {

constexpr std::int64_t kEpochs = 8;
constexpr std::uint64_t kMostWeights = 4000;

/// A number in (0, 1) that follows from a text.
double drawn(const std::string& text) {
  return (static_cast<double>(std::hash<std::string>{}(text) % 100'003) + 1) / 100'005;
}

/// What was measured of a network, made up from its shape.
struct Measured {
  /// `segments`: since the last round. Their losses stand still.
  Measured(const ModelSpec& spec, const Wants& wants, const std::string& moment,
           std::int64_t segments) {
    for (const UnitNumbers& group : unit_numbers(spec)) {
      UnitNorms one{.layer = group.layer, .norms = {}};
      UnitStatistics statistics{.layer = group.layer};
      for (std::size_t unit = 0; unit < group.units; ++unit) {
        const double number = drawn(base::cat(moment, group.layer, unit));
        one.norms.push_back(number * number);
        statistics.mean.push_back(number - 0.5);
        statistics.spread.push_back(number);
        statistics.gradient.push_back(number * 1e-3);
      }
      if (wants.norms) norms.push_back(std::move(one));
      if (wants.units) units.push_back(std::move(statistics));
    }
    if (wants.losses)
      for (std::int64_t i = 0; i < segments; ++i)
        losses.push_back(1 + drawn(base::cat(moment, i)) / 1000);
  }
  std::vector<UnitNorms> norms;
  std::vector<UnitStatistics> units;
  std::vector<double> losses;
};

/// A policy that is played on results which follow from shapes and moments.
class Played {
 public:
  Played(const PolicyKind& kind, const Adaptation& adaptation)
      : adaptation_(adaptation),
        spec_(born_with(adaptation_, complete(nn_test::mlp(10, {8, 6}, 3)))),
        born_(spec_),
        policy_(guarded(kind, {.adaptation = adaptation_, .spec = born_, .epochs = kEpochs})) {}

  /// The round of the next turn; nothing when it wants none any more.
  std::optional<Round> turn() {
    for (;;) {
      const auto at = policy_->next(now_);
      if (!at || *at >= kEpochs * policy_->grid()) return std::nullopt;
      EXPECT_GE(*at, now_);
      const Measured measured(spec_, policy_->wants(), base::cat(*at), *at - ended_);
      const Turn turn = policy_->turn({.now = *at,
                                       .spec = spec_,
                                       .losses = measured.losses,
                                       .valid_loss = drawn(base::cat("valid", *at)),
                                       .valid_accuracy = 0.5,
                                       .norms = measured.norms,
                                       .units = measured.units});
      now_ = *at;
      if (turn.candidates.empty() && turn.births.empty()) continue;
      return judged(turn);
    }
  }

  /// What a log keeps of it: the same round, told to a policy that was made anew.
  void repeat(const Round& round) {
    policy_->told(round);
    follow(round);
  }

 private:
  Candidate candidate(const Operations& operations, std::optional<double> pull, bool race) {
    const auto spec = spec_after(pull ? born_ : spec_, operations);
    EXPECT_TRUE(spec) << describe(operations) << " of " << shape_text(spec_);
    Candidate out{.operations = operations, .pull = pull};
    if (!spec) return out;
    out.shape = shape_text(*spec);
    out.weights = weight_count(*spec);
    EXPECT_TRUE(operations.empty() || out.weights <= kMostWeights) << out.shape;
    out.inference_flops = flops_per_row(*spec).forward;
    out.cost = policy_->cost(*spec);
    out.loss = out.accuracy = std::numeric_limits<double>::quiet_NaN();
    if (!race) return out;
    out.loss = drawn(out.shape);
    out.accuracy = 1 - out.loss;
    out.gain = 0.01 - out.loss / 50;
    out.gain_error = 0.002;
    return out;
  }

  Round judged(const Turn& turn) {
    Round round{
        .from = now_, .until = turn.race_until.value_or(now_), .rows = 500, .candidates = {}};
    if (!turn.race_until) {
      round.candidates.push_back(candidate(turn.candidates.at(0), {}, false));
      round.candidates.front().accepted = true;
    } else {
      round.candidates.push_back(candidate({}, {}, true));
      for (const Operations& one : turn.candidates)
        round.candidates.push_back(candidate(one, {}, true));
      for (const Birth& birth : turn.births)
        round.candidates.push_back(candidate(birth.operations, birth.pull, true));
      policy_->judge(round);
    }
    EXPECT_EQ(std::ranges::count(round.candidates, true, &Candidate::accepted), 1);
    policy_->told(round);
    follow(round);
    return round;
  }

  void follow(const Round& round) {
    const Candidate& accepted = round.accepted();
    spec_ = spec_after(accepted.pull ? born_ : spec_, accepted.operations).value();
    now_ = ended_ = round.until;
  }

  Adaptation adaptation_;
  ModelSpec spec_, born_;
  std::unique_ptr<Policy> policy_;
  std::int64_t now_ = 0, ended_ = 0;  ///< `ended_`: the last round
};

/// The kinds that decide by themselves, each as its defaults say.
std::vector<std::string> kinds() {
  std::vector<std::string> out;
  for (const PolicyKind& kind : policies()) {
    if (!kind.program && kind.behind == nullptr) out.push_back(kind.info.kind);
  }
  return out;
}

class EveryPolicy : public testing::TestWithParam<std::string> {
 protected:
  EveryPolicy() {
    adaptation_.policy.kind = GetParam();
    adaptation_.max_weights = kMostWeights;
    if (kind().timetable)
      adaptation_.at = {{1, {"widen", "dense1", {{"by", nn_test::n(2)}}}},
                        {2.5, {"shrink", "dense2", {{"by", nn_test::n(1)}}}}};
    adaptation_ = complete(adaptation_);
  }
  [[nodiscard]] static const PolicyKind& kind() { return policy_of(GetParam()); }

  Adaptation adaptation_;
};

TEST_P(EveryPolicy, AsksForWhatCanBeDoneWithinItsTraining) {
  Played played(kind(), adaptation_);
  std::int64_t last = -1;
  int rounds = 0;
  while (const auto round = played.turn()) {
    EXPECT_GT(round->from, last) << "a boundary has one turn";
    last = round->from;
    ASSERT_LT(++rounds, 1000);
  }
  EXPECT_GT(rounds, 0) << "it never does anything to a network of two hidden layers";
}

TEST_P(EveryPolicy, GoesOnFromItsRoundsAloneAsIfItHadNotBeenAway) {
  Played whole(kind(), adaptation_);
  std::vector<Round> rounds;
  while (auto round = whole.turn()) rounds.push_back(std::move(*round));
  for (std::size_t cut = 0; cut < rounds.size(); ++cut) {
    Played again(kind(), adaptation_);
    for (std::size_t i = 0; i < cut; ++i) again.repeat(rounds[i]);
    const auto next = again.turn();
    ASSERT_TRUE(next) << cut;
    EXPECT_EQ(next->from, rounds[cut].from) << cut;
    EXPECT_EQ(next->until, rounds[cut].until) << cut;
    ASSERT_EQ(next->candidates.size(), rounds[cut].candidates.size()) << cut;
    for (std::size_t i = 0; i < next->candidates.size(); ++i) {
      EXPECT_EQ(next->candidates[i].operations, rounds[cut].candidates[i].operations) << cut;
      EXPECT_EQ(next->candidates[i].accepted, rounds[cut].candidates[i].accepted) << cut;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicy, testing::ValuesIn(kinds()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace nn
