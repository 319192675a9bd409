#include "nn/metrics/auc.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace nn {
namespace {

/// How many of `sorted` are before `x`, without a branch that depends on them.
template <class Before>
std::size_t count_before(const std::vector<double>& sorted, double x, Before before) {
  const double* from = sorted.data();
  std::size_t left = sorted.size();
  for (; left > 1; left -= left / 2) from += before(from[left / 2 - 1], x) ? left / 2 : 0;
  return static_cast<std::size_t>(from - sorted.data()) + (before(*from, x) ? 1 : 0);
}

/// The scores of one class: of its own rows and of the others.
struct Sides {
  std::vector<double> own, rest;
};

/// The chance that a row of the class has a higher score than one of the rest, ties counting half;
/// NaN where one of the two sides is empty. Sorts the shorter side and looks the other up in it.
double area(Sides& sides) {
  if (sides.own.empty() || sides.rest.empty()) return std::numeric_limits<double>::quiet_NaN();
  const bool own_sorted = sides.own.size() < sides.rest.size();
  std::vector<double>& sorted = own_sorted ? sides.own : sides.rest;
  const std::vector<double>& others = own_sorted ? sides.rest : sides.own;
  std::ranges::sort(sorted);
  std::uint64_t twice = 0;  // pairs in which the other is higher count 2, ties 1
  for (const double x : others) {
    const std::size_t lower = count_before(sorted, x, std::less<>());
    const bool tied = lower < sorted.size() && sorted[lower] == x;
    twice += lower + (tied ? count_before(sorted, x, std::less_equal<>()) : lower);
  }
  const double pairs = static_cast<double>(sorted.size()) * static_cast<double>(others.size());
  const double higher = static_cast<double>(twice) / 2;
  return (own_sorted ? pairs - higher : higher) / pairs;
}

/// The shares that a softmax gives the classes of each row, as probabilities() has them, without
/// keeping all of them.
class Shares {
 public:
  explicit Shares(const Judged& judged) : judged_(judged), rows_(judged.rows()) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const auto outputs = std::span(judged.outputs).subspan(row * judged.width, judged.width);
      Row& of = rows_[row];
      of.top = *std::ranges::max_element(outputs);
      for (const float output : outputs) of.sum += raised(output, of);
    }
  }

  [[nodiscard]] double at(std::size_t row, std::size_t c) const {
    return raised(judged_.outputs[row * judged_.width + c], rows_[row]) / rows_[row].sum;
  }

 private:
  struct Row {
    float top = 0;
    double sum = 0;
  };
  static double raised(float output, const Row& row) {
    return std::exp(static_cast<double>(output) - static_cast<double>(row.top));
  }

  const Judged& judged_;
  std::vector<Row> rows_;
};

double area_of_class(const Judged& judged, const Shares& shares, std::size_t c, Sides& sides) {
  sides.own.clear();
  sides.rest.clear();
  for (std::size_t row = 0; row < judged.rows(); ++row) {
    const bool own = judged.labels[row] == static_cast<std::int32_t>(c);
    (own ? sides.own : sides.rest).push_back(shares.at(row, c));
  }
  return area(sides);
}

double auc_value(const Judged& judged) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto finite = [](float v) { return std::isfinite(v); };
  if (!std::ranges::all_of(judged.outputs, finite)) return kNone;
  const Shares shares(judged);
  Sides sides;
  if (judged.width == 2) return area_of_class(judged, shares, 1, sides);
  double sum = 0;
  int classes = 0;
  for (std::size_t c = 0; c < judged.width; ++c) {
    const double own = area_of_class(judged, shares, c, sides);
    if (std::isnan(own)) continue;
    sum += own;
    ++classes;
  }
  return classes == 0 ? kNone : sum / classes;
}

/// The rows in ascending order of the score that they were given for one class.
struct Ranked {
  std::vector<std::uint32_t> rows;
  std::vector<bool> tied;  ///< with the row before
};

Ranked rank(const Judged& judged, const Shares& shares, std::size_t c) {
  std::vector<double> scores(judged.rows());
  for (std::size_t row = 0; row < scores.size(); ++row) scores[row] = shares.at(row, c);
  Ranked ranked;
  ranked.rows.resize(scores.size());
  std::iota(ranked.rows.begin(), ranked.rows.end(), 0U);
  std::ranges::sort(ranked.rows, {}, [&](std::uint32_t row) { return scores[row]; });
  ranked.tied.assign(scores.size(), false);
  for (std::size_t i = 1; i < scores.size(); ++i)
    ranked.tied[i] = scores[ranked.rows[i]] == scores[ranked.rows[i - 1]];
  return ranked;
}

/// Computes area() of rows that count several times each.
double area_of_counts(const Ranked& ranked, std::span<const std::int32_t> labels, std::size_t c,
                      std::span<const std::uint32_t> counts) {
  double own = 0, rest = 0, higher = 0;  // of the rows with a lower score
  double own_here = 0, rest_here = 0;    // of the rows with this score
  const auto next_score = [&] {
    higher += own_here * (rest + rest_here / 2);
    own += own_here;
    rest += rest_here;
    own_here = rest_here = 0;
  };
  for (std::size_t i = 0; i < ranked.rows.size(); ++i) {
    if (!ranked.tied[i]) next_score();
    const std::uint32_t row = ranked.rows[i];
    (labels[row] == static_cast<std::int32_t>(c) ? own_here : rest_here) += counts[row];
  }
  next_score();
  return own > 0 && rest > 0 ? higher / (own * rest) : std::numeric_limits<double>::quiet_NaN();
}

OfCounts auc_of_counts(const Judged& judged) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto finite = [](float v) { return std::isfinite(v); };
  if (!std::ranges::all_of(judged.outputs, finite))
    return [](std::span<const std::uint32_t>) { return kNone; };
  const Shares shares(judged);
  const std::size_t first = judged.width == 2 ? 1 : 0;
  std::vector<Ranked> classes;
  for (std::size_t c = first; c < judged.width; ++c) classes.push_back(rank(judged, shares, c));
  return [classes = std::move(classes), labels = judged.labels,
          first](std::span<const std::uint32_t> counts) {
    double sum = 0;
    int defined = 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const double own = area_of_counts(classes[c], labels, first + c, counts);
      if (std::isnan(own)) continue;
      sum += own;
      ++defined;
    }
    return defined == 0 ? kNone : sum / defined;
  };
}

}  // namespace

const Metric& auc_metric() {
  static constexpr Metric kMetric{.name = "auc",
                                  .target = TargetKind::labels,
                                  .maximize = true,
                                  .doc =
                                      "Area under the ROC curve, from 0 to 1. With more than two "
                                      "classes, the mean over each class against the rest.",
                                  .value = auc_value,
                                  .of_counts = auc_of_counts};
  return kMetric;
}

}  // namespace nn
