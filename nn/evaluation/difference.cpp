#include "nn/evaluation/difference.h"

// By default it computes in long double, with functions of the host's libm.
#define BOOST_MATH_PROMOTE_DOUBLE_POLICY false

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "nn/training/random.h"

namespace nn {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kTail = 0.025;

/// Student's t with that many degrees of freedom, exceeded with a probability of kTail.
double t_quantile(std::size_t freedom) {
  return boost::math::quantile(boost::math::students_t(static_cast<double>(freedom)), 1 - kTail);
}

/// The observation of each row, numbered from 0.
struct Observations {
  std::vector<std::uint32_t> of_row;
  std::size_t count = 0;
};

Observations observations_of(std::span<const std::uint32_t> units, std::size_t rows) {
  Observations out{.of_row = std::vector<std::uint32_t>(rows), .count = rows};
  if (units.empty()) {
    std::iota(out.of_row.begin(), out.of_row.end(), 0U);
    return out;
  }
  std::vector<std::uint32_t> names(units.begin(), units.end());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  out.count = names.size();
  for (std::size_t row = 0; row < rows; ++row) {
    const auto at = std::ranges::lower_bound(names, units[row]) - names.begin();
    out.of_row[row] = static_cast<std::uint32_t>(at);
  }
  return out;
}

/// The variance of the mean of `rows`, where rows of one observation go together.
double variance_of_mean(const std::vector<double>& rows, const Observations& seen) {
  const auto n = static_cast<double>(rows.size());
  const double mean = std::accumulate(rows.begin(), rows.end(), 0.0) / n;
  std::vector<double> off(seen.count, 0);
  for (std::size_t row = 0; row < rows.size(); ++row) off[seen.of_row[row]] += rows[row] - mean;
  double squares = 0;
  for (const double sum : off) squares += sum * sum;
  const auto count = static_cast<double>(seen.count);
  return count / (count - 1) * squares / (n * n);
}

/// Values of `statistic` on resamples of the observations, ascending, those that are no number left
/// out.
std::vector<double> drawn(const Observations& seen, std::uint64_t seed,
                          const std::function<double(std::span<const std::uint32_t>)>& statistic) {
  const RandomKey key = RandomKey{seed}.derive("bootstrap");
  std::vector<double> values;
  std::vector<std::uint32_t> times(seen.count), counts(seen.of_row.size());
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    std::ranges::fill(times, 0U);
    std::array<std::uint32_t, 4> words{};
    for (std::size_t i = 0; i < seen.count; ++i) {
      if (i % 4 == 0) words = random_block(key, {draw, static_cast<std::uint32_t>(i / 4), 0, 0});
      ++times[(std::uint64_t{words[i % 4]} * seen.count) >> 32];
    }
    for (std::size_t row = 0; row < counts.size(); ++row) counts[row] = times[seen.of_row[row]];
    const double value = statistic(counts);
    if (!std::isnan(value)) values.push_back(value);
  }
  std::ranges::sort(values);
  return values;
}

/// The value below which a share of a sorted sample lies.
double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() + 1) - 1;
  const double within = std::clamp(at, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(within);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], within - static_cast<double>(below));
}

/// The standard deviation of a sample.
double spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1));
}

bool is_share(const std::vector<double>& rows) {
  return std::ranges::all_of(rows, [](double row) { return row == 0 || row == 1; });
}

/// The percentile of an expanded percentile interval: further out for fewer observations.
double expanded_tail(std::size_t observations) {
  const auto count = static_cast<double>(observations);
  const double far = std::sqrt(count / (count - 1)) * t_quantile(observations - 1);
  return boost::math::cdf(boost::math::normal(), -far);
}

double normal_quantile() { return boost::math::quantile(boost::math::normal(), 1 - kTail); }

void wilson(const Measurement& measured, Estimate& out) {
  const auto n = static_cast<double>(measured.count);
  const double right = measured.value * n, z = normal_quantile(), around = n + z * z;
  const double share = (right + 2) / (n + 4);
  out.error = std::sqrt(share * (1 - share) / (n + 4));
  const double middle = (right + z * z / 2) / around;
  const double far = z / around * std::sqrt(right * (n - right) / n + z * z / 4);
  out.low = middle - far;
  out.high = middle + far;
}

/// Agresti and Min: half a row more in each of the four counts of the pairs.
void matched_proportions(const std::vector<double>& gains, Difference& out) {
  const auto better = static_cast<double>(std::ranges::count(gains, 1.0));
  const auto worse = static_cast<double>(std::ranges::count(gains, -1.0));
  const double n = static_cast<double>(gains.size()) + 2;
  const double apart = better - worse;
  const double middle = apart / n;
  const double error = std::sqrt(better + worse + 1 - apart * apart / n) / n;
  const double z = normal_quantile();
  out.low = middle - z * error;
  out.high = middle + z * error;
}

void by_resampling(const Measurement& first, const Measurement& second, const Observations& seen,
                   std::uint64_t seed, Difference& out) {
  const double sign = first.maximize ? 1 : -1;
  const std::vector<double> values = drawn(seen, seed, [&](std::span<const std::uint32_t> counts) {
    return sign * (first.of_counts(counts) - second.of_counts(counts));
  });
  if (values.size() < kDraws / 2) return;
  const double tail = expanded_tail(seen.count);
  out.low = percentile(values, tail);
  out.high = percentile(values, 1 - tail);
}

}  // namespace

Difference difference_of(const Measurement& first, const Measurement& second,
                         std::span<const std::uint32_t> units, std::uint64_t seed) {
  const double sign = first.maximize ? 1 : -1;
  const std::size_t rows = first.count;
  const Observations seen = observations_of(units, rows);
  Difference out{.value = sign * (first.value - second.value),
                 .low = kNone,
                 .high = kNone,
                 .rows = static_cast<std::int64_t>(rows),
                 .units = static_cast<std::int64_t>(seen.count)};
  if (seen.count < 2 || std::isnan(out.value)) return out;
  if (first.rows.empty()) {
    by_resampling(first, second, seen, seed, out);
    return out;
  }
  std::vector<double> gains(rows);
  for (std::size_t row = 0; row < rows; ++row)
    gains[row] = sign * (first.rows[row] - second.rows[row]);
  if (units.empty() && is_share(first.rows) && is_share(second.rows)) {
    matched_proportions(gains, out);
    return out;
  }
  const double far = t_quantile(seen.count - 1) * std::sqrt(variance_of_mean(gains, seen));
  out.low = out.value - far;
  out.high = out.value + far;
  return out;
}

Estimate estimate_of(const Measurement& measured, std::span<const std::uint32_t> units,
                     std::uint64_t seed) {
  const Observations seen = observations_of(units, measured.count);
  Estimate out{.value = measured.value, .error = kNone, .low = kNone, .high = kNone};
  if (seen.count < 2 || std::isnan(measured.value)) return out;
  if (measured.rows.empty()) {
    const std::vector<double> values = drawn(seen, seed, measured.of_counts);
    if (values.size() < kDraws / 2) return out;
    out.error = spread_of(values);
    const double tail = expanded_tail(seen.count);
    out.low = percentile(values, tail);
    out.high = percentile(values, 1 - tail);
  } else if (units.empty() && is_share(measured.rows)) {
    wilson(measured, out);
  } else {
    out.error = std::sqrt(variance_of_mean(measured.rows, seen));
    out.low = out.value - t_quantile(seen.count - 1) * out.error;
    out.high = out.value + t_quantile(seen.count - 1) * out.error;
  }
  return out;
}

}  // namespace nn
