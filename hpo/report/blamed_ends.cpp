#include "hpo/report/blamed_ends.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace hpo::report {

namespace {

/// Failed trials beyond all others along a parameter, and their share of all failed ones, from
/// which on the parameter's range is to blame.
constexpr std::ptrdiff_t kFewestBeyond = 3;
constexpr double kBlamed = 0.25;

/// The values between which trials did not fail; none: all failed.
std::optional<std::pair<double, double>> range_that_worked(const Gathered& study,
                                                           const ParameterColumn& column) {
  std::optional<std::pair<double, double>> range;
  for (const TrialRow& row : study.trials) {
    const double value = column.values[row.trial];
    const bool ended = row.state == TrialState::complete || row.state == TrialState::stopped;
    if (!ended || std::isnan(value)) continue;
    if (!range) range.emplace(value, value);
    range->first = std::min(range->first, value);
    range->second = std::max(range->second, value);
  }
  return range;
}

std::vector<BlamedEnd> ends_of_ranges(const Gathered& study) {
  std::vector<BlamedEnd> ends;
  for (const ParameterColumn& column : study.parameters) {
    const auto worked = column.is_number ? range_that_worked(study, column) : std::nullopt;
    if (!worked) continue;
    ends.push_back({&column, true, worked->second, 0});
    ends.push_back({&column, false, worked->first, 0});
  }
  return ends;
}

}  // namespace

std::vector<BlamedEnd> blamed_ends(const Gathered& study) {
  if (study.counts.failed < kFewestBeyond) return {};
  std::vector<BlamedEnd> ends = ends_of_ranges(study), blamed;
  std::vector<bool> explained(study.trials.size());
  const auto lies_beyond = [&](const BlamedEnd& end, const TrialRow& row) {
    const double value = end.column->values[row.trial];
    return row.state == TrialState::failed && !explained[row.trial] &&
           (end.up ? value > end.bound : value < end.bound);
  };
  while (!ends.empty()) {
    for (BlamedEnd& end : ends)
      end.failed = std::ranges::count_if(
          study.trials, [&](const TrialRow& row) { return lies_beyond(end, row); });
    const auto most = std::ranges::max_element(ends, {}, &BlamedEnd::failed);
    const auto share = static_cast<double>(most->failed) / static_cast<double>(study.counts.failed);
    if (most->failed < kFewestBeyond || share < kBlamed) break;
    for (const TrialRow& row : study.trials)
      if (lies_beyond(*most, row)) explained[row.trial] = true;
    blamed.push_back(*most);
    ends.erase(most);
  }
  return blamed;
}

}  // namespace hpo::report
