#include "hpo/stopping/rung_orders.h"

#include <algorithm>
#include <span>

namespace hpo {

namespace {

/// Trials at a place before anything is compared with it: fewer are turned round by chance.
constexpr std::size_t kFewest = 9;
/// A trial is compared with that many of those that came before it, the last ones: what one costs
/// must not grow with the study.
constexpr std::size_t kCompared = 256;

int sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

void RungOrders::record(std::uint64_t trial, std::size_t place, double loss) {
  losses_[place].emplace(trial, loss);
  if (place == far_ && far_ > 0) return compare(trial, loss);
  if (place < far_ || losses_[place].size() < kFewest || place == 0) return;
  far_ = place;
  there_.clear();
  std::ranges::fill(kept_, Pairs{});
  std::vector<std::pair<std::uint64_t, double>> all(losses_[place].begin(), losses_[place].end());
  std::ranges::sort(all);
  for (const auto& [other, late] : all) compare(other, late);
}

bool RungOrders::turned(std::size_t rung) const {
  if (rung >= far_ || kept_[rung].kept >= 0) return false;
  // Kendall, "Rank correlation methods", chapter 4: n (n - 1) (2n + 5) / 18 for n trials, all pairs
  // of which were compared.
  const auto trials = static_cast<double>(std::min(there_.size(), 2 * kCompared));
  const auto kept = static_cast<double>(kept_[rung].kept);
  return kept * kept > static_cast<double>(kept_[rung].all) * (2 * trials + 5) / 9;
}

/// With the trials that came there before.
void RungOrders::compare(std::uint64_t trial, double loss) {
  const std::size_t last = std::min(there_.size(), kCompared);
  for (std::size_t rung = 0; rung < far_; ++rung) {
    const auto mine = losses_[rung].find(trial);
    if (mine == losses_[rung].end()) continue;
    for (const auto& [other, late] : std::span(there_).last(last)) {
      const auto theirs = losses_[rung].find(other);
      if (theirs == losses_[rung].end()) continue;
      kept_[rung].kept += sign(mine->second - theirs->second) * sign(loss - late);
      ++kept_[rung].all;
    }
  }
  there_.emplace_back(trial, loss);
}

}  // namespace hpo
