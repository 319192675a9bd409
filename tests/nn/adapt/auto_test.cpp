// auto: what it tries, in which order, and what it ends with.

#include "nn/adapt/auto.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "nn/error.h"
#include "nn/model/layout.h"
#include "tests/nn/nets.h"

namespace nn {
namespace {

constexpr std::int64_t kEpochs = 10, kGrid = 16, kRows = 1000;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Adaptation automatic(std::uint64_t max_weights = 0) {
  return complete(
      Adaptation{.policy = {"auto", {}}, .at = {}, .command = {}, .max_weights = max_weights});
}

ModelSpec given(std::vector<std::int64_t> widths) { return complete(nn_test::mlp(10, widths, 3)); }

/// What a network of that many units and layers more is told to have reached.
struct Reached {
  double loss = 1, accuracy = 0.5;
};

/// A policy that is played by a table of results.
class Played {
 public:
  using Table = std::function<Reached(const ModelSpec&, double pull)>;

  Played(Table table, std::vector<std::int64_t> widths = {512, 512}, std::uint64_t max_weights = 0)
      : adaptation_(automatic(max_weights)),
        born_(born_with(adaptation_, given(std::move(widths)))),
        policy_(make_policy({.adaptation = adaptation_, .spec = born_, .epochs = kEpochs})),
        table_(std::move(table)) {}

  /// One turn; false when there are no more.
  bool turn() {
    const auto at = policy_->next(now_);
    if (!at) return false;
    const Turn turn = policy_->turn({.now = *at, .spec = born_, .losses = {}});
    if (turn.births.empty()) return false;
    Round round{.from = *at, .until = *at + 1, .rows = kRows, .candidates = {}};
    const auto add = [&](const Operations& operations, std::optional<double> pull) {
      const ModelSpec spec = *spec_after(born_, operations);
      const Reached reached = table_(spec, pull.value_or(policy_->penalty().strength));
      Candidate one{.operations = operations,
                    .shape = shape_text(spec),
                    .weights = weight_count(spec),
                    .inference_flops = flops_per_row(spec).forward};
      one.loss = reached.loss;
      one.accuracy = reached.accuracy;
      one.pull = pull;
      round.candidates.push_back(std::move(one));
    };
    add({}, std::nullopt);
    for (const Birth& birth : turn.births) add(birth.operations, birth.pull);
    policy_->judge(round);
    EXPECT_EQ(std::ranges::count(round.candidates, true, &Candidate::accepted), 1);
    policy_->told(round);
    now_ = round.until;
    rounds.push_back(std::move(round));
    return true;
  }
  void play() {
    while (turn()) continue;
  }
  [[nodiscard]] std::vector<std::string> tried(std::size_t round) const {
    std::vector<std::string> out;
    for (const Candidate& one : rounds.at(round).candidates) {
      if (one.pull) out.push_back(one.shape + (*one.pull > 0 ? " pulled" : ""));
    }
    return out;
  }
  [[nodiscard]] std::string chosen() const { return rounds.back().accepted().shape; }
  [[nodiscard]] Policy& policy() { return *policy_; }

  std::vector<Round> rounds;

 private:
  Adaptation adaptation_;
  ModelSpec born_;
  std::unique_ptr<Policy> policy_;
  Table table_;
  std::int64_t now_ = 0;
};

std::int64_t units_of(const ModelSpec& spec) { return unit_groups(spec).at(1).units; }
std::size_t layers_of(const ModelSpec& spec) { return resizable_layers(spec).size(); }

using Words = std::vector<std::string>;

TEST(Auto, ForgetsTheGivenSizes) {
  const ModelSpec born = born_with(automatic(), given({512, 8}));
  EXPECT_EQ(shape_text(born), "10-32-32-3");
  EXPECT_EQ(born_with(automatic(), born), born);
  EXPECT_EQ(born_with(automatic(), given({16, 16})), born);
  EXPECT_EQ(weight_count(born_with(automatic(400), born)), 10 * 8 + 8 + 8 * 8 + 8 + 8 * 3 + 3)
      << "as many units as the bound allows, a power of two";
}

TEST(Auto, RefusesANetworkWithoutUnitsOfItsOwn) {
  EXPECT_THROW((void)make_policy({.adaptation = automatic(), .spec = given({}), .epochs = 3}),
               SpecError);
}

TEST(Auto, TriesSmallOnesWithThePullAndWithout) {
  Played game([](const ModelSpec&, double) { return Reached{}; });
  ASSERT_TRUE(game.turn());
  EXPECT_GE(game.rounds[0].from, (kEpochs - 1) * kGrid) << "near the end";
  EXPECT_EQ(game.tried(0), (Words{"10-4-4-3", "10-4-4-3 pulled", "10-8-8-3", "10-8-8-3 pulled",
                                  "10-16-16-3", "10-16-16-3 pulled", "10-32-32-3"}))
      << "the trial's own is the eighth";
}

TEST(Auto, EndsWithTheSmallestWhereNothingIsBetter) {
  Played game([](const ModelSpec&, double) { return Reached{}; });
  game.play();
  EXPECT_EQ(game.chosen(), "10-4-4-3");
  EXPECT_EQ(game.rounds.size(), 3U) << "widths, a layer more, and all of them";
  EXPECT_EQ(game.tried(1), Words{"10-32-32-32-3 pulled"});
}

TEST(Auto, DoublesUntilItNoLongerPays) {
  // Each doubling up to 128 units brings ten points.
  Played game([](const ModelSpec& spec, double pull) {
    const double octaves = std::log2(std::min<double>(128, static_cast<double>(units_of(spec))));
    const bool deep = layers_of(spec) > 2;
    return Reached{2 - 0.25 * octaves + (deep ? 1 : 0) + (pull > 0 ? 0.2 : 0), 0.1 * octaves};
  });
  game.play();
  EXPECT_EQ(game.chosen(), "10-128-128-3");
  Words doubled;
  for (std::size_t i = 2; i + 1 < game.rounds.size(); ++i)
    for (const std::string& word : game.tried(i)) doubled.push_back(word);
  EXPECT_EQ(doubled, (Words{"10-64-64-3", "10-128-128-3", "10-256-256-3"}))
      << "without the pull, which did worse";
}

TEST(Auto, TriesLayersWhileTheyAreBetterThenDoublesThose) {
  Played game([](const ModelSpec& spec, double) {
    const auto layers = static_cast<double>(std::min<std::size_t>(4, layers_of(spec)));
    return Reached{2 - 0.3 * layers, 0.2 * layers};
  });
  game.play();
  EXPECT_EQ(game.tried(1), Words{"10-32-32-32-3 pulled"}) << "of equal losses the trial's own";
  EXPECT_EQ(game.tried(2), Words{"10-32-32-32-32-3 pulled"});
  EXPECT_EQ(game.tried(3), Words{"10-32-32-32-32-32-3 pulled"});
  EXPECT_EQ(game.tried(4), Words{"10-64-64-64-64-3 pulled"});
  EXPECT_EQ(game.chosen(), "10-32-32-32-32-3");
}

TEST(Auto, TakesASmallerOneThatIsNearlyAsGood) {
  const auto at_8 = [](double loss, double accuracy) {
    return [=](const ModelSpec& spec, double) {
      if (units_of(spec) == 8) return Reached{loss, accuracy};
      return units_of(spec) < 8 ? Reached{2, 0.2} : Reached{1, 0.900};
    };
  };
  for (const auto& [loss, accuracy, shape] : {std::tuple{1.09, 0.895, "10-8-8-3"},
                                              {1.11, 0.895, "10-16-16-3"},
                                              {1.09, 0.892, "10-16-16-3"}}) {
    Played game(at_8(loss, accuracy));
    game.play();
    EXPECT_EQ(game.chosen(), shape) << loss << ", " << accuracy;
  }
}

TEST(Auto, NeedsMoreOfADoublingThanOfTheOneBefore) {
  // 16 to 32 and 32 to 64 bring 0.9 points: enough for the first (0.5), not for the second (1.0).
  Played game([](const ModelSpec& spec, double) {
    const double octaves = std::log2(static_cast<double>(units_of(spec)));
    return Reached{4 - 0.5 * octaves + (layers_of(spec) > 2 ? 2 : 0), 0.5 + 0.009 * octaves};
  });
  game.play();
  EXPECT_EQ(game.tried(2), Words{"10-64-64-3 pulled"});
  EXPECT_EQ(game.rounds.size(), 4U);
}

TEST(Auto, ALossThatIsNoNumberIsWorseThanAll) {
  Played game([](const ModelSpec& spec, double pull) {
    if (pull == 0 || units_of(spec) != 16) return Reached{kNone, 0.9};
    return Reached{3, 0.1};
  });
  game.play();
  EXPECT_EQ(game.chosen(), "10-16-16-3");
}

TEST(Auto, StaysWithinTheBoundOnWeights) {
  const std::uint64_t most = 2000;  // 32 units have 1,507 weights, a layer more is too much
  Played game(
      [](const ModelSpec& spec, double) {
        const double octaves = std::log2(static_cast<double>(units_of(spec)));
        return Reached{4 - 0.5 * octaves, 0.1 * octaves};
      },
      {8, 8}, most);
  game.play();
  for (const Round& round : game.rounds)
    for (const Candidate& one : round.candidates) EXPECT_LE(one.weights, most);
  EXPECT_EQ(game.chosen(), "10-32-32-3");
}

TEST(Auto, IsTheSameAfterItsRoundsAlone) {
  const auto table = [](const ModelSpec& spec, double pull) {
    const double octaves = std::log2(std::min<double>(64, static_cast<double>(units_of(spec))));
    return Reached{3 - 0.4 * octaves + (pull > 0 ? 0 : 0.1), 0.1 * octaves};
  };
  Played whole(table);
  whole.play();
  for (std::size_t known = 1; known < whole.rounds.size(); ++known) {
    Played other(table);
    for (std::size_t i = 0; i < known; ++i) other.policy().told(whole.rounds[i]);
    const auto at = other.policy().next(whole.rounds[known - 1].until);
    ASSERT_EQ(at, whole.rounds[known].from);
    const ModelSpec born = born_with(automatic(), given({8, 8}));
    const Turn turn = other.policy().turn({.now = *at, .spec = born, .losses = {}});
    ASSERT_EQ(turn.births.size() + 1, whole.rounds[known].candidates.size());
    for (std::size_t i = 0; i < turn.births.size(); ++i)
      EXPECT_EQ(turn.births[i].operations, whole.rounds[known].candidates[i + 1].operations);
  }
}

TEST(Auto, ChoosesWhereTheTrainingEndsBeforeAllWasTried) {
  Played game([](const ModelSpec& spec, double) {
    return Reached{4 - 0.1 * static_cast<double>(units_of(spec)) / 32, 0.5};
  });
  const Turn turn = game.policy().turn(
      {.now = kEpochs * kGrid - 1, .spec = born_with(automatic(), given({8})), .losses = {}});
  EXPECT_TRUE(turn.births.empty()) << "nothing has raced that could be compared";
}

}  // namespace
}  // namespace nn
