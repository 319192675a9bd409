// What a policy from outside may not answer, and what is said of it.

#include "nn/adapt/guarded.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "nn/adapt/grid.h"
#include "tests/nn/nets.h"

namespace nn {
namespace {

using nn_test::n;

/// Answers as a test asks; by default it does everything right.
struct Answers {
  std::int64_t grid = 1, rows = 0;
  double strength = 0;
  Wants wants;
  std::function<std::optional<std::int64_t>(std::int64_t)> next = [](std::int64_t now) {
    return std::optional(now);
  };
  std::function<Turn()> turn = [] { return Turn{}; };
  std::function<void(Round&)> judge = [](Round& round) { round.candidates[0].accepted = true; };
};

Answers given;

class Told final : public Policy {
 public:
  [[nodiscard]] std::int64_t grid() const override { return given.grid; }
  [[nodiscard]] Wants wants() const override { return given.wants; }
  [[nodiscard]] std::int64_t rows() const override { return given.rows; }
  [[nodiscard]] UnitPenalty penalty() const override { return {given.strength, 0}; }
  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    return given.next(now);
  }
  [[nodiscard]] Turn turn(const Situation&) override { return given.turn(); }
  void judge(Round& round) const override { given.judge(round); }
  void told(const Round&) override {}
};

const ModelSpec& model() {
  static const ModelSpec kModel = complete(nn_test::mlp(10, {8, 4}, 3));
  return kModel;
}

std::unique_ptr<Policy> make(const Answers& answers, std::uint64_t most_weights = 0) {
  given = answers;
  const Adaptation adaptation{.policy = {"plugin", {}},
                              .at = {},
                              .command = {},
                              .plugin = "mine.so",
                              .max_weights = most_weights};
  const PolicyKind kind{.info = {"told", "", {}},
                        .make = [](const PolicySetup&) -> std::unique_ptr<Policy> {
                          return std::make_unique<Told>();
                        }};
  return guarded(kind, {.adaptation = adaptation, .spec = model(), .epochs = 3});
}

template <class Ask>
std::string error_of(const Ask& ask) {
  try {
    ask();
    return "taken";
  } catch (const base::Error& error) {
    return error.what();
  }
}

std::string error_of(const Answers& answers) {
  return error_of([&] { (void)make(answers); });
}

std::string error_of_turn(const Turn& turn, std::uint64_t most_weights = 0,
                          const Wants& wants = {}) {
  const auto policy = make({.wants = wants, .turn = [&] { return turn; }}, most_weights);
  return error_of([&] { (void)policy->turn({.now = 1, .spec = model(), .losses = {}}); });
}

Operations widening(std::int64_t by, const std::string& layer = "dense1") {
  return {{"widen", layer, {{"by", n(by)}}}};
}

TEST(Guarded, WhatIsRightGoesThrough) {
  const Turn turn{.candidates = {widening(2)}, .why = "two\nlines"};
  const auto policy = make({.grid = 4, .rows = 7, .strength = 0.5, .turn = [&] { return turn; }});
  EXPECT_EQ(policy->grid(), 4);
  EXPECT_EQ(policy->rows(), 7);
  EXPECT_EQ(policy->penalty().strength, 0.5);
  EXPECT_EQ(policy->next(3), 3);
  const Turn had = policy->turn({.now = 3, .spec = model(), .losses = {}});
  EXPECT_EQ(had.candidates, turn.candidates);
  EXPECT_EQ(had.why, "two\\nlines");
  Round round{.from = 3, .until = 4, .candidates = {{.shape = "a"}, {.shape = "b"}}};
  policy->judge(round);
  EXPECT_TRUE(round.candidates[0].accepted);
  EXPECT_EQ(error_of_turn({.candidates = {widening(2), widening(3)}, .race_until = 3}), "taken");
}

TEST(Guarded, NumbersOutOfRangeAreRefused) {
  EXPECT_EQ(error_of({.grid = 0}), "mine.so: its grid is 0, expected from 1 to 1000");
  EXPECT_EQ(error_of({.grid = kMaxGrid + 1}), "mine.so: its grid is 1001, expected from 1 to 1000");
  EXPECT_EQ(error_of({.rows = -5}), "mine.so: its rows are -5, expected at least 0");
  EXPECT_EQ(error_of({.strength = -1}),
            "mine.so: its penalty has the strength -1, expected at least 0");
  EXPECT_NE(error_of({.strength = std::numeric_limits<double>::quiet_NaN()}), "taken");
}

TEST(Guarded, TimeGoesOn) {
  const auto back = make({.next = [](std::int64_t now) { return std::optional(now - 1); }});
  EXPECT_EQ(error_of([&] { (void)back->next(2); }),
            "mine.so: next(2) is 1, expected that boundary or a later one");
  const auto stays = make({.next = [](std::int64_t) { return std::optional<std::int64_t>(2); }});
  EXPECT_EQ(stays->next(0), 2);
  (void)stays->turn({.now = 2, .spec = model(), .losses = {}});
  EXPECT_EQ(error_of([&] { (void)stays->next(2); }),
            "mine.so: next(2) is 2, where it already had its turn");
  const auto told = make({.next = [](std::int64_t) { return std::optional<std::int64_t>(2); }});
  told->told({.from = 2, .until = 2, .candidates = {{.accepted = true}}});
  EXPECT_NE(error_of([&] { (void)told->next(2); }), "taken");
}

TEST(Guarded, TurnsThatCannotBeAreRefused) {
  const std::string when = "mine.so: its turn at epoch 1 ";
  EXPECT_EQ(error_of_turn({.candidates = {widening(2)}, .race_until = 101}),
            when + "races from boundary 1 to 101, expected a later one, up to 3");
  EXPECT_NE(error_of_turn({.candidates = {widening(2)}, .race_until = 1}), "taken");
  EXPECT_EQ(error_of_turn({.candidates = {widening(2), widening(3)}}),
            when + "has 2 candidates and no race_until, expected one");
  EXPECT_EQ(error_of_turn({.births = {{widening(2), 0}}}),
            when + "has births, expected race_until and wants().births with them");
  EXPECT_EQ(
      error_of_turn({.race_until = 2, .births = {{widening(2, "fc"), 0}}}, 0, {.births = true}),
      when +
          "has a birth and asks for what can't be done: widen fc: no layer is called "
          "\"fc\"; known: dense1, dense2, output");
  EXPECT_NE(error_of_turn({.race_until = 2, .births = {{widening(2), -1}}}, 0, {.births = true}),
            "taken");
  EXPECT_EQ(error_of_turn({.ask = "what?"}),
            when + "asks a program, which is for Trellis's own policies");
}

TEST(Guarded, NothingGrowsBeyondTheBoundOfWeights) {
  EXPECT_EQ(error_of_turn({.candidates = {widening(2)}}, weight_count(model())),
            "mine.so: its turn at epoch 1 asks for what can't be done: widen dense1 by 2 makes a "
            "network of 169 weights, but limits.weights is 139");
  EXPECT_EQ(error_of_turn({.candidates = {widening(2)}}, 1000), "taken");
}

TEST(Guarded, AJudgeAcceptsOne) {
  const auto nobody = make({.judge = [](Round&) {}});
  Round round{.from = 1, .until = 2, .candidates = {{.shape = "a"}, {.shape = "b"}}};
  EXPECT_EQ(error_of([&] { nobody->judge(round); }),
            "mine.so: its judge accepts 0 candidates, expected one");
  const auto all = make({.judge = [](Round& r) {
    for (Candidate& candidate : r.candidates) candidate.accepted = true;
  }});
  EXPECT_EQ(error_of([&] { all->judge(round); }),
            "mine.so: its judge accepts 2 candidates, expected one");
}

TEST(Guarded, WhatItThrowsIsItsOwn) {
  const auto throws = make({.turn = []() -> Turn { throw std::runtime_error("no\tidea"); }});
  EXPECT_EQ(error_of([&] { (void)throws->turn({.now = 1, .spec = model(), .losses = {}}); }),
            "mine.so: turn() threw \"no\\tidea\"");
  const auto odd = make({.turn = []() -> Turn { throw 42; }});
  EXPECT_EQ(error_of([&] { (void)odd->turn({.now = 1, .spec = model(), .losses = {}}); }),
            "mine.so: turn() threw something that is not a std::exception");
  const auto refuses =
      make({.turn = []() -> Turn { throw base::Error(base::Errc::study, "not now"); }});
  EXPECT_EQ(error_of([&] { (void)refuses->turn({.now = 1, .spec = model(), .losses = {}}); }),
            "mine.so: turn(): not now");
  const PolicyKind none{.info = {"none", "", {}},
                        .make = [](const PolicySetup&) { return std::unique_ptr<Policy>(); }};
  const Adaptation adaptation{
      .policy = {"plugin", {}}, .at = {}, .command = {}, .plugin = "mine.so"};
  EXPECT_EQ(error_of([&] {
              (void)guarded(none, {.adaptation = adaptation, .spec = model(), .epochs = 3});
            }),
            "mine.so: its make gave no policy");
}

}  // namespace
}  // namespace nn
