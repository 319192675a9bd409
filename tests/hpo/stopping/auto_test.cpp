#include "hpo/stopping/auto.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <vector>

#include "hpo/space/random.h"

namespace hpo {
namespace {

std::unique_ptr<StoppingRule> made(const char* kind, Params options = {}) {
  options.set("min", std::int64_t{1});
  options.set("eta", std::int64_t{3});
  return make_stopping_rule(kind, {.max_step = 81, .options = std::move(options)});
}

/// One slot and `budget` epochs: what was said at rungs, and how far each of them got.
struct Played {
  std::vector<std::tuple<std::uint64_t, std::int64_t, Decision>> words;
  std::vector<std::int64_t> reached;
  [[nodiscard]] std::int64_t count(std::int64_t step) const {
    return std::ranges::count_if(reached, [&](std::int64_t at) { return at >= step; });
  }
};

using Loss = std::function<double(double worth, std::int64_t step)>;

Played play(StoppingRule& rule, const Loss& loss, std::int64_t budget) {
  Played played;
  std::vector<double> worth;
  Stream random(5, "trials");
  while (budget > 0) {
    std::uint64_t trial = worth.size();
    if (const auto promoted = rule.promotes(false)) {
      trial = *promoted;
      rule.resumed(trial);
    } else {
      worth.push_back(random.uniform());
      played.reached.push_back(0);
    }
    for (Decision decision = Decision::go; decision == Decision::go && budget > 0;) {
      std::int64_t& at = played.reached[trial];
      std::int64_t next = at + 1;
      while (next < 81 && !rule.decides(at, next)) ++next;
      budget -= next - at;
      at = next;
      decision = rule.reported(trial, at, loss(worth[trial], at));
      const std::set<std::int64_t> rungs{1, 3, 9, 27};
      if (rungs.contains(at)) played.words.emplace_back(trial, at, decision);
      if (at == 81) {
        rule.ended(trial, TrialState::complete);
        break;
      }
    }
  }
  return played;
}

TEST(AutoRule, PromotesAsAshaDoesWhileOrdersAreKept) {
  const Loss kept = [](double worth, std::int64_t step) {
    return worth + 1 / static_cast<double>(step);
  };
  auto ours = made("auto"), plain = made("asha", {{"promote", true}});
  Played a = play(*ours, kept, 2000), b = play(*plain, kept, 2000);
  // The one that asha does not look at between rungs may have gone farther than the budget.
  const std::size_t both = std::min(a.words.size(), b.words.size());
  EXPECT_LE(std::max(a.words.size(), b.words.size()), both + 1);
  a.words.resize(both);
  b.words.resize(both);
  EXPECT_EQ(a.words, b.words);
}

TEST(AutoRule, ReportsBetweenRungsToo) {
  const auto rule = make_stopping_rule("auto", {.max_step = 12});
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 1, last = 0; step <= 12; ++step) {
    if (!rule->decides(last, step)) continue;
    steps.push_back(last = step);
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 10}));
}

TEST(AutoRule, LooksPastRungsWhoseOrderIsTurnedRound) {
  // What is slow in the beginning ends best.
  const Loss crossing = [](double worth, std::int64_t step) {
    return step < 9 ? worth : 1 - worth;
  };
  auto ours = made("auto"), plain = made("asha", {{"promote", true}});
  const Played a = play(*ours, crossing, 4000), b = play(*plain, crossing, 4000);
  EXPECT_GT(10 * a.count(9), 9 * a.count(1)) << "nearly all get to where the order is the end's";
  EXPECT_LT(4 * b.count(9), b.count(1));
}

TEST(AutoRule, LetsThoseGoOnThatWaitAtSuchARungTheFirstOneFirst) {
  auto rule = made("auto");
  std::set<std::uint64_t> waiting;
  int farther = 0;
  const auto go_on = [&](std::uint64_t trial) {
    waiting.erase(trial);
    ++farther;
    (void)rule->reported(trial, 3, -static_cast<double>(trial * 7 % 27));
  };
  for (std::uint64_t trial = 0; farther < 9; ++trial) {
    ASSERT_LT(trial, 100U);
    const double loss = static_cast<double>(trial * 7 % 27);
    if (rule->reported(trial, 1, loss) == Decision::go)
      go_on(trial);
    else
      waiting.insert(trial);
    for (auto next = rule->promotes(false); next && farther < 9; next = rule->promotes(false)) {
      if (!waiting.contains(*next)) break;  // it waits at the second rung
      rule->resumed(*next);
      go_on(*next);
    }
  }
  ASSERT_GT(waiting.size(), 2U);
  for (int i = 0; i < 2; ++i) {
    auto next = rule->promotes(false);
    while (next && !waiting.contains(*next)) {
      rule->resumed(*next);
      next = rule->promotes(false);
    }
    ASSERT_EQ(next, *waiting.begin());
    rule->resumed(*next);
    waiting.erase(*next);
  }
}

}  // namespace
}  // namespace hpo
