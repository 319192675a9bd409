#include "nn/metrics/auc.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace nn {
namespace {

/// One row as one class sees it.
struct Ranked {
  double score = 0;
  bool own = false;
};

/// The chance that a row of the class has a higher score than one of the rest, ties counting half;
/// NaN where one of the two sides is empty.
double area(std::vector<Ranked>& rows) {
  std::ranges::sort(rows, {}, &Ranked::score);
  double own_ranks = 0, own = 0;
  for (std::size_t from = 0; from < rows.size();) {
    std::size_t to = from, here = 0;
    for (; to < rows.size() && rows[to].score == rows[from].score; ++to) here += rows[to].own;
    own_ranks += static_cast<double>(here) * (static_cast<double>(from + to) + 1) / 2;
    own += static_cast<double>(here);
    from = to;
  }
  const double rest = static_cast<double>(rows.size()) - own;
  return (own_ranks - own * (own + 1) / 2) / (own * rest);
}

double area_of_class(const Judged& judged, std::span<const double> shares, std::size_t c) {
  std::vector<Ranked> rows(judged.rows());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row] = {shares[row * judged.width + c],
                 judged.labels[row] == static_cast<std::int32_t>(c)};
  }
  return area(rows);
}

double value(const Judged& judged) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto finite = [](float v) { return std::isfinite(v); };
  if (!std::ranges::all_of(judged.outputs, finite)) return kNone;
  std::vector<double> shares(judged.outputs.size());
  for (std::size_t from = 0; from < shares.size(); from += judged.width) {
    probabilities(std::span(judged.outputs).subspan(from, judged.width),
                  std::span(shares).subspan(from, judged.width));
  }
  if (judged.width == 2) return area_of_class(judged, shares, 1);
  double sum = 0;
  int classes = 0;
  for (std::size_t c = 0; c < judged.width; ++c) {
    const double own = area_of_class(judged, shares, c);
    if (std::isnan(own)) continue;
    sum += own;
    ++classes;
  }
  return classes == 0 ? kNone : sum / classes;
}

}  // namespace

const Metric& auc_metric() {
  static constexpr Metric kMetric{.name = "auc",
                                  .target = TargetKind::labels,
                                  .maximize = true,
                                  .doc =
                                      "Area under the ROC curve; of more than two classes the mean "
                                      "over each against the rest, 0 .. 1.",
                                  .value = value};
  return kMetric;
}

}  // namespace nn
