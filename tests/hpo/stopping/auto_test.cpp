#include "hpo/stopping/auto.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "hpo/space/random.h"

namespace hpo {
namespace {

std::unique_ptr<StoppingRule> made(const char* kind, Params options = {}) {
  options.set("min", std::int64_t{1});
  options.set("eta", std::int64_t{3});
  return make_stopping_rule(kind, {.max_step = 81, .options = std::move(options)});
}

/// One slot and `budget` epochs: what trials had when, and how far each of them got.
struct Played {
  std::vector<std::pair<std::uint64_t, Word>> words;
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
    for (Word word = Word::go; word == Word::go && budget > 0;) {
      std::int64_t& at = played.reached[trial];
      std::int64_t next = at + 1;
      while (next < 81 && !rule.decides(at, next)) ++next;
      budget -= next - at;
      at = next;
      word = rule.reported(trial, at, loss(worth[trial], at));
      played.words.emplace_back(trial, word);
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
  const Played a = play(*ours, kept, 2000), b = play(*plain, kept, 2000);
  EXPECT_EQ(a.words, b.words);
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
    if (rule->reported(trial, 1, loss) == Word::go)
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
