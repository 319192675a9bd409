#include "nn/data/give_away.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace nn {

namespace {

using Order = std::vector<std::uint32_t>;

/// A column gives the target away if it tells so many classes, by values or by intervals of its
/// numbers, or so much of the variance.
constexpr double kToldByValues = 0.98, kToldByIntervals = 0.99, kVarianceTold = 0.995;
/// The same of what a guess would get wrong.
constexpr double kToldBeyondGuess = 0.95;
/// Rows that may have another relation to the target than all the others.
constexpr double kExceptions = 0.02;
constexpr double kWorthALook = 0.9;  ///< of the variance of ranks

Order present_rows(const ColumnValues& column) {
  Order rows;
  for (std::uint32_t row = 0; row < column.codes.size(); ++row) {
    const bool none = column.numbers.empty() ? column.missing[column.codes[row]]
                                             : std::isnan(column.numbers[row]);
    if (!none) rows.push_back(row);
  }
  return rows;
}

Order first_rows(std::size_t count) {
  Order rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

bool tells_enough(std::size_t told, double share, const Order& rows, const TargetOrder& target) {
  std::vector<std::size_t> counts(target.classes, 0);
  for (const std::uint32_t row : rows) ++counts[static_cast<std::size_t>(target.labels[row])];
  const auto all = static_cast<double>(rows.size());
  const auto guessed = static_cast<double>(std::ranges::max(counts));
  const auto right = static_cast<double>(told);
  return right >= share * all && right - guessed >= kToldBeyondGuess * (all - guessed) &&
         guessed < all;
}

/// Rows whose class the commonest class of their value tells.
std::size_t told_by_value(const ColumnValues& column, const Order& rows,
                          const TargetOrder& target) {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  std::unordered_map<std::uint32_t, std::size_t> most;
  for (const std::uint32_t row : rows) {
    const std::uint32_t code = column.codes[row];
    const std::uint64_t key =
        std::uint64_t{code} * target.classes + static_cast<std::uint64_t>(target.labels[row]);
    most[code] = std::max(most[code], ++counts[key]);
  }
  std::size_t told = 0;
  for (const auto& [code, count] : most) told += count;
  return told;
}

/// The number between the rows of two classes, in the order of their numbers, that parts them with
/// the fewest mistakes: the first class lies below.
double best_cut(const ColumnValues& column, const Order& ascending, const TargetOrder& target,
                std::int32_t below, std::int32_t above) {
  std::int64_t mistakes = 0, fewest = 0;
  double cut = -std::numeric_limits<double>::infinity();
  const std::uint32_t* before = nullptr;
  for (const std::uint32_t& row : ascending) {
    const std::int32_t label = target.labels[row];
    if (label != below && label != above) continue;
    const bool between = before == nullptr || column.numbers[*before] < column.numbers[row];
    if (between && mistakes < fewest) {
      fewest = mistakes;
      cut = std::midpoint(column.numbers[*before], column.numbers[row]);
    }
    mistakes += label == below ? -1 : 1;
    before = &row;
  }
  return mistakes < fewest ? std::numeric_limits<double>::infinity() : cut;
}

/// Rows whose class their number tells where each class is one interval.
std::size_t told_by_intervals(const ColumnValues& column, Order rows, const TargetOrder& target) {
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return column.numbers[row]; });
  std::vector<Order> places(target.classes);
  for (const std::uint32_t row : rows)
    places[static_cast<std::size_t>(target.labels[row])].push_back(row);
  std::vector<std::int32_t> classes;
  for (std::size_t c = 0; c < places.size(); ++c)
    if (!places[c].empty()) classes.push_back(static_cast<std::int32_t>(c));
  std::ranges::sort(classes, {}, [&](std::int32_t c) {
    const Order& of_class = places[static_cast<std::size_t>(c)];
    return column.numbers[of_class[of_class.size() / 2]];
  });
  std::vector<double> cuts;
  for (std::size_t i = 0; i + 1 < classes.size(); ++i)
    cuts.push_back(best_cut(column, rows, target, classes[i], classes[i + 1]));
  if (!std::ranges::is_sorted(cuts)) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(rows, [&](std::uint32_t row) {
    const auto place = std::ranges::upper_bound(cuts, column.numbers[row]) - cuts.begin();
    return classes[static_cast<std::size_t>(place)] == target.labels[row];
  }));
}

struct Line {
  double slope = 0, shift = 0, told = 0;  ///< told: of the variance
};

Line line_through(std::span<const double> x, std::span<const double> y, const Order& rows) {
  const auto n = static_cast<double>(rows.size());
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
  for (const std::uint32_t row : rows) {
    mean_x += x[row] / n;
    mean_y += y[row] / n;
  }
  for (const std::uint32_t row : rows) {
    const double a = x[row] - mean_x, b = y[row] - mean_y;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  if (!(xx > 0 && yy > 0)) return {};
  const double slope = xy / xx;
  return {.slope = slope, .shift = mean_y - slope * mean_x, .told = xy * xy / (xx * yy)};
}

/// Whether a line goes through all rows but a few: those that are farthest from it are left out,
/// and another one is drawn.
bool lies_on_a_line(std::span<const double> x, std::span<const double> y, Order rows) {
  constexpr int kRounds = 4;
  const auto kept =
      static_cast<std::ptrdiff_t>(std::ceil((1 - kExceptions) * static_cast<double>(rows.size())));
  Line line = line_through(x, y, rows);
  for (int round = 0; round < kRounds && line.told < kVarianceTold; ++round) {
    const auto distance = [&](std::uint32_t row) {
      return std::abs(y[row] - line.slope * x[row] - line.shift);
    };
    std::ranges::nth_element(rows, rows.begin() + kept - 1, {}, distance);
    line = line_through(x, y, Order(rows.begin(), rows.begin() + kept));
  }
  return line.told >= kVarianceTold;
}

bool most_are_present(const Order& present, const ColumnValues& column) {
  return 2 * present.size() > column.codes.size();
}

}  // namespace

bool gives_class_away(const ColumnValues& column, const TargetOrder& target) {
  const Order all = first_rows(column.codes.size()), present = present_rows(column);
  const bool enough = most_are_present(present, column);
  if (10 * column.missing.size() > all.size()) {
    return !column.numbers.empty() && enough &&
           tells_enough(told_by_intervals(column, present, target), kToldByIntervals, present,
                        target);
  }
  const auto told = [&](const Order& rows) {
    return tells_enough(told_by_value(column, rows, target), kToldByValues, rows, target);
  };
  return told(all) || (enough && told(present));
}

bool gives_number_away(const ColumnValues& column, const TargetOrder& order,
                       std::span<const double> target) {
  if (column.numbers.empty()) return false;
  const Order present = present_rows(column);
  if (!most_are_present(present, column)) return false;
  std::vector<double> x, y, ranks;
  for (const std::uint32_t row : present) {
    x.push_back(column.numbers[row]);
    y.push_back(target[row]);
    ranks.push_back(order.ranks[row]);
  }
  const Order rows = first_rows(present.size());
  const std::vector<double> own = scaled_ranks(x);
  // A few exceptions cannot hide an ascending relation from ranks, and hardly any column has one.
  if (line_through(own, ranks, rows).told < kWorthALook) return false;
  return lies_on_a_line(own, ranks, rows) || lies_on_a_line(x, y, rows);
}

}  // namespace nn
