#include "hpo/samplers/standings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace hpo {

namespace {

/// A report that is closer than this share of its step to the one before it is forgotten when the
/// next one comes.
constexpr std::int64_t kApart = 16;

}  // namespace

bool Standings::report(std::uint64_t trial, std::int64_t step, const Score& score) {
  const auto [at, first] = running_.try_emplace(trial);
  Runner& runner = at->second;
  runner.feasible = score.violation <= 0;
  Curve& curve = runner.curve;
  const std::size_t n = curve.size();
  if (n > 1 && curve[n - 1].step - curve[n - 2].step <= curve[n - 2].step / kApart)
    curve.pop_back();
  const double loss = std::isnan(score.loss) ? std::numeric_limits<double>::infinity() : score.loss;
  curve.push_back({.step = step, .loss = loss});
  runner.place = place_of(runner);
  return first;
}

bool Standings::end(const Merit& merit) {
  const auto at = std::ranges::upper_bound(ended_, merit);
  const bool kept = static_cast<std::size_t>(at - ended_.begin()) < most_;
  ended_.insert(at, merit);
  const auto runner = running_.find(merit.trial);
  const bool silent = runner == running_.end();
  if (!silent && merit.group == Merit::kFailed) failed_.insert(*runner);
  if (kept) {
    curves_.emplace(merit.trial, silent ? Curve() : std::move(runner->second.curve));
    if (ended_.size() > most_) curves_.erase(ended_[most_].trial);
  }
  if (!silent) running_.erase(runner);
  if (kept) place_running();
  return silent;
}

void Standings::go_on(std::uint64_t trial) {
  const auto at = std::ranges::find(ended_, trial, &Merit::trial);
  Runner& runner = running_[trial];
  runner.feasible = at->group < Merit::kInfeasible;
  if (auto curve = curves_.extract(trial); curve && !curve.mapped().empty())
    runner.curve = std::move(curve.mapped());
  else
    runner.curve = {{.step = -at->step, .loss = at->loss}};
  ended_.erase(at);
  place_running();
}

bool Standings::has_failed(std::uint64_t trial) const {
  const auto at = std::ranges::find(ended_, trial, &Merit::trial);
  return at != ended_.end() && at->group == Merit::kFailed;
}

bool Standings::reopen(std::uint64_t trial) {
  std::erase_if(ended_, [&](const Merit& merit) { return merit.trial == trial; });
  curves_.erase(trial);
  auto runner = failed_.extract(trial);
  const bool silent = runner.empty();
  if (!silent) running_.insert(std::move(runner));
  place_running();
  return silent;
}

void Standings::place_running() {
  for (auto& [trial, runner] : running_) runner.place = place_of(runner);
}

bool Standings::is_ahead(const Runner& runner, const Merit& ended) const {
  const Report& last = runner.curve.back();
  if (!runner.feasible || std::isinf(last.loss)) return false;
  if (ended.group >= Merit::kInfeasible) return true;
  if (ended.group != 0 && -ended.step < last.step) return true;
  const auto known = curves_.find(ended.trial);
  if (known == curves_.end() || known->second.empty()) return false;
  const Curve& curve = known->second;
  // At the same step; where that report was forgotten, at the next that was not.
  const auto there = std::ranges::lower_bound(curve, last.step, {}, &Report::step);
  return (there == curve.end() ? curve.back() : *there).loss > last.loss;
}

std::size_t Standings::place_of(const Runner& runner) const {
  const std::span<const Merit> best = std::span(ended_).first(std::min(most_, ended_.size()));
  const auto found =
      std::ranges::find_if(best, [&](const Merit& ended) { return is_ahead(runner, ended); });
  return found == best.end() ? most_ : static_cast<std::size_t>(found - best.begin());
}

std::vector<std::uint64_t> Standings::best(std::size_t count) const {
  count = std::min(count, most_);
  // The place; running ones before the one that they are ahead of, by how far they are.
  using Standing = std::tuple<std::size_t, int, std::int64_t, double, std::uint64_t>;
  std::vector<Standing> standings;
  for (const auto& [trial, runner] : running_) {
    const Report& last = runner.curve.back();
    const std::size_t place = std::min(runner.place, ended_.size());
    const bool is_better_than_none = runner.feasible && std::isfinite(last.loss);
    if (is_better_than_none && place < count)
      standings.emplace_back(place, 0, -last.step, last.loss, trial);
  }
  for (std::size_t i = 0; i < std::min(count, ended_.size()); ++i)
    standings.emplace_back(i, 1, 0, 0.0, ended_[i].trial);
  std::ranges::sort(standings);
  std::vector<std::uint64_t> trials;
  for (const Standing& standing : std::span(standings).first(std::min(count, standings.size())))
    trials.push_back(std::get<4>(standing));
  return trials;
}

std::optional<std::uint64_t> Standings::ahead_of(std::uint64_t trial) const {
  const auto runner = running_.find(trial);
  if (runner == running_.end() || runner->second.place == most_) return std::nullopt;
  return ended_[runner->second.place].trial;
}

}  // namespace hpo
