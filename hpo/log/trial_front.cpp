#include "hpo/log/trial_front.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hpo/space/pareto.h"

namespace hpo {

namespace {

// About a second of measuring: the cost grows with the points to the power of the metrics less one.
constexpr double kMostSteps = 1e8;

/// What the front is made of.
struct Reached {
  std::uint64_t trial = 0;
  Losses losses;
};

std::vector<Reached> usable(const std::vector<TrialRow>& trials, const Objective& objective) {
  std::vector<Reached> reached;
  for (const TrialRow& row : trials) {
    if (row.state != TrialState::complete || !row.value) continue;
    const Score score = objective.score(row);
    Reached one{.trial = row.trial, .losses = {score.loss}};
    one.losses.insert(one.losses.end(), score.others.begin(), score.others.end());
    const bool numbers =
        std::ranges::none_of(one.losses, [](double loss) { return std::isnan(loss); });
    if (numbers && score.feasible()) reached.push_back(std::move(one));
  }
  return reached;
}

Losses reference_of(const std::vector<Reached>& reached, const Objective& objective) {
  Losses reference(1 + objective.others.size(), -std::numeric_limits<double>::infinity());
  for (const Reached& one : reached) {
    for (std::size_t i = 0; i < reference.size(); ++i)
      if (std::isfinite(one.losses[i])) reference[i] = std::max(reference[i], one.losses[i]);
  }
  if (objective.reference) reference[0] = objective.loss(*objective.reference);
  for (std::size_t i = 0; i < objective.others.size(); ++i) {
    const OtherMetric& other = objective.others[i];
    if (other.reference) reference[i + 1] = other.maximize ? -*other.reference : *other.reference;
  }
  return reference;
}

}  // namespace

bool TrialFront::has(std::uint64_t trial) const {
  return std::ranges::find(trials, trial) != trials.end();
}

TrialFront front_of(const std::vector<TrialRow>& trials, const Objective& objective) {
  const std::vector<Reached> reached = usable(trials, objective);
  std::vector<Losses> losses;
  for (const Reached& one : reached) losses.push_back(one.losses);
  const std::vector<std::size_t> fronts = fronts_of(losses);
  std::vector<Reached> first;
  for (std::size_t i = 0; i < reached.size(); ++i)
    if (fronts[i] == 0) first.push_back(reached[i]);
  std::stable_sort(first.begin(), first.end(),
                   [](const Reached& a, const Reached& b) { return a.losses < b.losses; });
  const auto equal = [](const Reached& a, const Reached& b) { return a.losses == b.losses; };
  first.erase(std::unique(first.begin(), first.end(), equal), first.end());
  TrialFront front;
  for (const Reached& one : first) front.trials.push_back(one.trial);
  std::vector<Losses> best;
  for (const Reached& one : first) best.push_back(one.losses);
  const double steps =
      std::pow(static_cast<double>(best.size()), static_cast<double>(objective.others.size()));
  if (steps <= kMostSteps) front.hypervolume = hypervolume(best, reference_of(reached, objective));
  return front;
}

}  // namespace hpo
