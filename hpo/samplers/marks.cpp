#include "hpo/samplers/marks.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace hpo {

namespace {

auto tier_of(const Marks& trial) {
  return std::tuple(trial.merit.group, trial.merit.violation, trial.merit.step);
}

/// Takes fronts of `tier` as long as there is room for them, a part of the last one.
void take(std::span<const Marks> trials, std::span<const std::size_t> tier, std::size_t count,
          const Pick& pick, std::vector<std::size_t>& out) {
  std::vector<Losses> losses;
  for (const std::size_t i : tier) losses.push_back(trials[i].losses);
  const std::vector<std::size_t> fronts = fronts_of(losses);
  std::vector<std::vector<std::size_t>> members(1 + std::ranges::max(fronts));
  for (std::size_t i = 0; i < tier.size(); ++i) members[fronts[i]].push_back(i);
  for (const std::vector<std::size_t>& front : members) {
    const std::size_t wanted = std::min(count - out.size(), front.size());
    std::vector<Losses> points;
    for (const std::size_t i : front) points.push_back(losses[i]);
    for (const std::size_t place : pick(points, wanted)) out.push_back(tier[front[place]]);
    if (out.size() == count) return;
  }
}

}  // namespace

std::vector<std::size_t> best_marked(std::span<const Marks> trials, std::size_t count,
                                     const Pick& pick) {
  std::vector<std::size_t> order(trials.size()), out;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return tier_of(trials[i]); });
  count = std::min(count, trials.size());
  for (std::size_t from = 0, to = 0; out.size() < count; from = to) {
    while (to < order.size() && tier_of(trials[order[to]]) == tier_of(trials[order[from]])) ++to;
    take(trials, std::span(order).subspan(from, to - from), count, pick, out);
  }
  return out;
}

void RunningMarks::begin(std::uint64_t trial) {
  Marks& marks = trials_[trial];
  marks.merit.trial = trial;
  marks.losses.assign(metrics_, std::numeric_limits<double>::infinity());
}

void RunningMarks::report(std::uint64_t trial, std::int64_t at, const Score& score) {
  Marks& marks = trials_.at(trial);
  marks.merit.report(at, score);
  marks.losses[0] = score.loss;
  for (std::size_t i = 1; i < metrics_ && i <= score.others.size(); ++i)
    marks.losses[i] = score.others[i - 1];
}

Marks RunningMarks::so_far(std::uint64_t trial) const {
  Marks marks = trials_.at(trial);
  marks.merit.end(TrialState::stopped);
  return marks;
}

Marks RunningMarks::end(std::uint64_t trial, TrialState state) {
  auto ended = trials_.extract(trial);
  Marks marks = ended.mapped();
  if (state == TrialState::failed) failed_.insert(std::move(ended));
  marks.merit.end(state);
  if (state == TrialState::failed)
    marks.losses.assign(metrics_, std::numeric_limits<double>::infinity());
  return marks;
}

}  // namespace hpo
