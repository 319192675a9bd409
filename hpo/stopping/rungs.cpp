#include "hpo/stopping/rungs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpo {

namespace {

double counted(double loss) {
  return std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss;
}

}  // namespace

std::vector<std::int64_t> rungs_below(std::int64_t max, std::int64_t min, std::int64_t eta) {
  std::vector<std::int64_t> rungs;
  for (std::int64_t step = min; step < max; step *= eta) {
    rungs.push_back(step);
    if (step > max / eta) break;
  }
  return rungs;
}

std::vector<std::int64_t> looks_below(std::int64_t max, const std::vector<std::int64_t>& rungs) {
  std::vector<std::int64_t> looks;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const std::int64_t next = i + 1 < rungs.size() ? rungs[i + 1] : max;
    for (std::int64_t step = rungs[i]; step < next;) {
      looks.push_back(step);
      const std::int64_t apart = std::max<std::int64_t>(1, step / 4);
      if (step > next - apart) break;
      step += apart;
    }
  }
  return looks;
}

bool reaches(const std::vector<std::int64_t>& rungs, std::int64_t last, std::int64_t step) {
  return std::ranges::any_of(rungs, [&](std::int64_t at) { return last < at && at <= step; });
}

void Rung::record(std::uint64_t trial, double loss) {
  const Entry entry{counted(loss), trial};
  entries_.insert(std::ranges::lower_bound(entries_, entry), entry);
}

std::size_t Rung::better(double loss) const {
  const auto place = std::ranges::lower_bound(entries_, counted(loss), {}, &Entry::first);
  return static_cast<std::size_t>(place - entries_.begin());
}

void Rung::wait(std::uint64_t trial, double loss) {
  waiting_.emplace(counted(loss), trial);
  losses_[trial] = counted(loss);
}

void Rung::leave(std::uint64_t trial) {
  const auto there = losses_.extract(trial);
  if (there) waiting_.erase({there.mapped(), trial});
}

std::optional<std::uint64_t> Rung::first_waiting() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->second;
}

std::optional<std::uint64_t> Rung::first_waiting_of(std::size_t count) const {
  if (waiting_.empty()) return std::nullopt;
  const Entry& first = *waiting_.begin();
  const auto place = std::ranges::lower_bound(entries_, first);
  if (static_cast<std::size_t>(place - entries_.begin()) >= count) return std::nullopt;
  return first.second;
}

std::optional<std::uint64_t> Rung::lowest_waiting() const {
  if (waiting_.empty()) return std::nullopt;
  return std::ranges::min_element(waiting_, {}, &Entry::second)->second;
}

std::vector<std::uint64_t> Rung::waiting() const {
  std::vector<std::uint64_t> trials;
  for (const Entry& entry : waiting_) trials.push_back(entry.second);
  return trials;
}

}  // namespace hpo
