#include "hpo/log/objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "hpo/log/metrics.h"

namespace hpo {

namespace {

/// A trial with a metric that is no number is on no front.
bool is_whole(const Score& score) {
  return std::ranges::none_of(score.others, [](double loss) { return std::isnan(loss); });
}

int rank_of(TrialState state) {
  return state == TrialState::complete ? 0 : state == TrialState::stopped ? 1 : 2;
}

}  // namespace

bool Objective::better(double a, double b) const {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  return loss(a) < loss(b);
}

double Objective::violation(const Metrics& metrics) const {
  double sum = 0;
  for (const Bound& bound : subject_to) {
    if (const double* value = find_metric(metrics, bound.metric)) sum += bound.excess(*value);
  }
  return sum;
}

std::string Objective::broken(const Metrics& metrics) const {
  std::string out;
  for (const Bound& bound : subject_to) {
    const double* value = find_metric(metrics, bound.metric);
    if (value == nullptr || bound.excess(*value) == 0) continue;
    out += base::cat(out.empty() ? "" : "; ", bound.metric, " = ", base::format_double(*value),
                     ", not ", bound.text());
  }
  return out;
}

Score Objective::score(double value, const Metrics& metrics) const {
  Score score(loss(value), violation(metrics));
  for (const OtherMetric& other : others) {
    const double* known = find_metric(metrics, other.name);
    const double number = known ? *known : std::numeric_limits<double>::quiet_NaN();
    score.others.push_back(other.maximize ? -number : number);
  }
  return score;
}

bool is_better(const Score& a, const Score& b) {
  const auto ahead = [](double x, double y) { return std::isnan(y) ? !std::isnan(x) : x < y; };
  if (a.violation != b.violation) return a.violation < b.violation;
  if (ahead(a.loss, b.loss) || ahead(b.loss, a.loss)) return ahead(a.loss, b.loss);
  return std::ranges::lexicographical_compare(a.others, b.others, ahead);
}

bool can_be_best(const TrialRow& row) {
  const bool ended_well = row.state == TrialState::complete || row.state == TrialState::stopped ||
                          row.state == TrialState::waiting;
  return ended_well && row.value && !std::isnan(*row.value);
}

bool is_better_trial(const TrialRow& a, const TrialRow& b, const Objective& objective) {
  const Score mine = objective.score(a), theirs = objective.score(b);
  if (mine.feasible() != theirs.feasible()) return mine.feasible();
  if (rank_of(a.state) != rank_of(b.state)) return rank_of(a.state) < rank_of(b.state);
  if (is_whole(mine) != is_whole(theirs)) return is_whole(mine);
  return is_better(mine, theirs);
}

const TrialRow* best_of(const std::vector<TrialRow>& trials, const Objective& objective) {
  const TrialRow* best = nullptr;
  for (const TrialRow& row : trials) {
    if (can_be_best(row) && (best == nullptr || is_better_trial(row, *best, objective)))
      best = &row;
  }
  return best;
}

const TrialRow* choice_now(const TrialRow* best, const TrialRow* leader, bool by_time) {
  const bool ended = best != nullptr &&
                     (best->state == TrialState::complete || best->state == TrialState::stopped);
  return ended && !by_time ? best : leader;
}

bool can_lead(const TrialRow& row) {
  return row.state != TrialState::failed && row.value && !std::isnan(*row.value);
}

bool leads(const TrialRow& a, const TrialRow& b, const Objective& objective) {
  return is_better(objective.score(a), objective.score(b));
}

const TrialRow* leader_of(const std::vector<TrialRow>& trials, const Objective& objective) {
  const TrialRow* leader = nullptr;
  for (const TrialRow& row : trials) {
    if (can_lead(row) && (leader == nullptr || leads(row, *leader, objective))) leader = &row;
  }
  return leader;
}

}  // namespace hpo
