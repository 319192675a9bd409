#include "hpo/samplers/parzen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "hpo/samplers/each_vector.h"
#include "hpo/space/normal.h"

namespace hpo {

namespace {

constexpr std::uint32_t kPrior = 0;       // the slot of the kernel that covers everything
constexpr std::uint32_t kTabulated = 32;  // ordered values up to which masses are kept in a table
constexpr std::size_t kYoung = 25;        // points with full weight
constexpr float kNever = -1e30F;          // log weight of a slot without a point
constexpr float kSkip = 40;               // terms e^-40 below the largest are nothing

constexpr std::size_t kMostParents = 4;

/// log of a normal kernel's mass on a cell, its own truncation left out.
double log_mass(double from, double to, double centre, double width) {
  const double mass = normal_mass((from - centre) / width, (to - centre) / width);
  return std::log(std::max(mass, 1e-300));
}

constexpr std::size_t kBlock = 16;  // kernels that are scored together

/// sum[i] -= ((at - centre[i]) * inverse[i])^2 for kBlock * blocks elements.
TRELLIS_EACH_VECTOR
void subtract_squares(float at, const float* __restrict centre, const float* __restrict inverse,
                      float* __restrict sum, std::size_t blocks) {
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      const float t = (at - centre[i]) * inverse[i];
      sum[i] -= t * t;
    }
    centre += kBlock;
    inverse += kBlock;
    sum += kBlock;
  }
}

}  // namespace

Axis axis_of(const Domain& domain) {
  const std::optional<std::uint64_t> count = cardinality(domain);
  Axis axis{.dense = !count};
  axis.categories = !has_order(domain);
  if (!count || (!axis.categories && *count > kTabulated)) return axis;
  axis.values = static_cast<std::uint32_t>(*count);
  for (std::uint32_t v = 0; v < axis.values; ++v)
    axis.edges.push_back(unit_cell(domain, nth_value(domain, v)).from);
  axis.edges.push_back(1);
  return axis;
}

Coordinate coordinate_of(const Domain& domain, const ParamValue& value) {
  Coordinate x{.at = to_unit(domain, value), .cell = unit_cell(domain, value)};
  x.rank = static_cast<std::uint32_t>(rank_of(domain, value).value_or(0));
  return x;
}

Parzen::Parzen(std::vector<Axis> axes, bool ages)
    : axes_(std::move(axes)), ages_(ages), columns_(axes_.size()) {
  (void)take_slot();
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (axes_[axis].categories) continue;
    columns_[axis].at[kPrior] = 0.5F;
    columns_[axis].centre[kPrior] = 0.5;
    set_width(axis, kPrior, 1);
  }
}

std::uint32_t Parzen::take_slot() {
  if (free_.empty()) grow_slots();
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void Parzen::grow_slots() {
  const std::size_t before = log_weight_.size(), after = std::max(kBlock, before * 2);
  log_weight_.resize(after, kNever);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    Column& column = columns_[axis];
    if (axes_[axis].values > 0) column.rank.resize(after);
    if (axes_[axis].categories) continue;
    column.at.resize(after);
    column.inverse.resize(after);
    column.width.resize(after);
    column.norm.resize(after);
    column.log_width.resize(after);
    column.centre.resize(after);
    column.table.resize(after * axes_[axis].values);
  }
  for (std::size_t slot = after; slot-- > before;)
    free_.push_back(static_cast<std::uint32_t>(slot));
}

void Parzen::add(std::uint64_t trial, std::span<const Coordinate> point) {
  const std::uint32_t slot = take_slot();
  const std::pair entry{trial, slot};
  by_age_.insert(std::ranges::upper_bound(by_age_, entry), entry);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) place(axis, slot, point[axis]);
  refresh_all();
  weighed_ = false;
}

void Parzen::place(std::size_t axis, std::uint32_t slot, const Coordinate& coordinate) {
  Column& column = columns_[axis];
  if (axes_[axis].values > 0) column.rank[slot] = coordinate.rank;
  if (axes_[axis].categories) return;
  column.at[slot] = static_cast<float>(coordinate.at);
  column.centre[slot] = coordinate.at;
  column.width[slot] = 0;
  column.norm[slot] = 0;
  const std::size_t i = sorted_place(column, slot);
  column.sorted.insert(column.sorted.begin() + static_cast<std::ptrdiff_t>(i), slot);
  refresh_widths(axis, i == 0 ? 0 : i - 1, i + 2);
}

void Parzen::remove(std::uint64_t trial) {
  const auto entry = std::ranges::lower_bound(by_age_, std::pair{trial, std::uint32_t{0}});
  const std::uint32_t slot = entry->second;
  by_age_.erase(entry);
  log_weight_[slot] = kNever;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (axes_[axis].categories) continue;
    Column& column = columns_[axis];
    const std::size_t i = sorted_place(column, slot);
    column.sorted.erase(column.sorted.begin() + static_cast<std::ptrdiff_t>(i));
    refresh_widths(axis, i == 0 ? 0 : i - 1, i + 1);
  }
  free_.push_back(slot);
  refresh_all();
  weighed_ = false;
}

std::size_t Parzen::sorted_place(const Column& column, std::uint32_t slot) const {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(column.centre[a], a) < std::pair(column.centre[b], b);
  };
  return static_cast<std::size_t>(std::ranges::lower_bound(column.sorted, slot, before) -
                                  column.sorted.begin());
}

double Parzen::least_width() const {
  return 1 / std::min(100.0, static_cast<double>(by_age_.size()) + 2);
}

/// Widths of the points at [from, to) of the axis' order, as far as there are so many.
void Parzen::refresh_widths(std::size_t axis, std::size_t from, std::size_t to) {
  const Column& column = columns_[axis];
  const std::vector<std::uint32_t>& sorted = column.sorted;
  const std::size_t n = sorted.size();
  for (std::size_t i = from; i < std::min(to, n); ++i) {
    const double here = column.centre[sorted[i]];
    double left = here - (i > 0 ? column.centre[sorted[i - 1]] : 0);
    double right = (i + 1 < n ? column.centre[sorted[i + 1]] : 1) - here;
    if (n >= 2 && i == 0) left = 0;
    if (n >= 2 && i + 1 == n) right = 0;
    set_width(axis, sorted[i], std::clamp(std::max(left, right), least_width(), 1.0));
  }
}

/// The least width follows the number of points until there are a hundred.
void Parzen::refresh_all() {
  if (narrowest_ == least_width()) return;
  narrowest_ = least_width();
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (!axes_[axis].categories) refresh_widths(axis, 0, columns_[axis].sorted.size());
  }
}

void Parzen::set_width(std::size_t axis, std::uint32_t slot, double width) {
  Column& column = columns_[axis];
  if (column.width[slot] == width) return;
  const double centre = column.centre[slot];
  const double inside = normal_mass(-centre / width, (1 - centre) / width);
  // Dense axes are scored by density, others by mass, to which the width has been counted already.
  const double norm = -std::log(inside) - (axes_[axis].dense ? std::log(width) : 0);
  column.norm[slot] = norm;
  column.log_width[slot] = std::log(width);
  column.width[slot] = width;
  column.inverse[slot] = static_cast<float>(1 / (std::numbers::sqrt2 * width));
  const std::uint32_t values = axes_[axis].values;
  for (std::uint32_t v = 0; v < values; ++v) {
    column.table[slot * values + v] =
        static_cast<float>(log_mass(axes_[axis].edges[v], axes_[axis].edges[v + 1], centre, width));
  }
  weighed_ = false;
}

void Parzen::weigh() {
  if (weighed_) return;
  const std::size_t n = by_age_.size();
  std::vector<double> norms(log_weight_.size());
  for (const Column& column : columns_) {
    for (std::size_t s = 0; s < column.norm.size(); ++s) norms[s] += column.norm[s];
  }
  const double least = n == 0 ? 1 : 1 / static_cast<double>(n);
  const std::size_t old = ages_ && n > kYoung ? n - kYoung : 0;
  cumulative_.resize(n + 1);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double ramp = old > 1 ? static_cast<double>(i) / static_cast<double>(old - 1) : 0;
    const double weight = i < old ? least + (1 - least) * ramp : 1;
    cumulative_[i] = sum += weight;
    const std::uint32_t slot = by_age_[i].second;
    log_weight_[slot] = static_cast<float>(std::log(weight) + norms[slot]);
  }
  cumulative_[n] = sum + 1;
  log_weight_[kPrior] = static_cast<float>(norms[kPrior]);
  weighed_ = true;
}

void Parzen::sample(Stream& stream, std::span<double> place) {
  weigh();
  const double at = stream.uniform() * cumulative_.back();
  const auto i = static_cast<std::size_t>(
      std::min(std::ranges::upper_bound(cumulative_, at), cumulative_.end() - 1) -
      cumulative_.begin());
  const std::uint32_t slot = i < by_age_.size() ? by_age_[i].second : kPrior;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    place[axis] = sample_axis(axis, slot, stream);
}

void Parzen::sample_between(Stream& stream, std::span<double> place) {
  if (size() < 2) return sample(stream, place);
  std::array<std::uint32_t, kMostParents> parents{};
  std::array<double, kMostParents> share{};
  const std::size_t most = std::min(size(), kMostParents);
  const std::size_t count = 2 + stream.below(most - 1);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto others = std::span(parents).first(i);
    do {
      parents[i] = by_age_[stream.below(size())].second;
    } while (std::ranges::find(others, parents[i]) != others.end());
    sum += share[i] = -std::log(1 - stream.uniform());
  }
  for (double& one : std::span(share).first(count)) {
    one /= sum;
    squares += one * one;
  }
  const std::uint32_t wide = by_age_[stream.below(size())].second;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const Column& column = columns_[axis];
    if (axes_[axis].categories) {
      double at = stream.uniform();
      std::size_t i = 0;
      while (i + 1 < count && (at -= share[i]) >= 0) ++i;
      place[axis] = sample_axis(axis, parents[i], stream);
      continue;
    }
    double centre = 0;
    for (std::size_t i = 0; i < count; ++i) centre += share[i] * column.centre[parents[i]];
    place[axis] = sample_around(centre, column.width[wide] * std::sqrt(squares), stream);
  }
}

double Parzen::sample_around(double centre, double width, Stream& stream) {
  const double u = stream.uniform();
  const double low = normal_cdf(-centre / width), high = normal_cdf((1 - centre) / width);
  return std::clamp(centre + width * normal_quantile(low + u * (high - low)), 0.0, 1.0);
}

double Parzen::sample_axis(std::size_t axis, std::uint32_t slot, Stream& stream) const {
  const Column& column = columns_[axis];
  if (axes_[axis].categories) {
    const double u = stream.uniform();
    if (slot == kPrior) return u;
    // 1 / (n + 1) for each value, 1 more for its own.
    const double values = axes_[axis].values, share = 1.0 / static_cast<double>(size() + 1);
    const double own = 1 / (1 + values * share);
    return u < own ? (column.rank[slot] + 0.5) / values : (u - own) / (1 - own);
  }
  return sample_around(column.centre[slot], column.width[slot], stream);
}

void Parzen::score(std::span<const Coordinate> points, std::span<double> log_density) {
  weigh();
  const std::size_t slots = log_weight_.size(), axes = axes_.size(), count = log_density.size();
  sums_.resize(count * slots);
  for (std::size_t c = 0; c < count; ++c) {
    std::ranges::copy(log_weight_, sums_.begin() + static_cast<std::ptrdiff_t>(c * slots));
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (!axes_[axis].dense)
        add_axis(axis, points[c * axes + axis], std::span(sums_).subspan(c * slots, slots));
    }
  }
  // Dense axes a few kernels at a time, for all points: what they need then stays in the cache.
  for (std::size_t from = 0; from < slots; from += kChunk) {
    const std::size_t to = std::min(slots, from + kChunk);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (!axes_[axis].dense) continue;
      for (std::size_t c = 0; c < count; ++c)
        add_dense(columns_[axis], points[c * axes + axis].at, from, to, &sums_[c * slots]);
    }
  }
  for (std::size_t c = 0; c < count; ++c) {
    const auto sums = std::span<const float>(sums_).subspan(c * slots, slots);
    const float largest = std::ranges::max(sums);
    double sum = 0;
    for (const float s : sums) {
      if (s > largest - kSkip) sum += std::exp(static_cast<double>(s - largest));
    }
    log_density[c] = static_cast<double>(largest) + std::log(sum / cumulative_.back());
  }
}

void Parzen::add_dense(const Column& column, double place, std::size_t from, std::size_t to,
                       float* sums) {
  subtract_squares(static_cast<float>(place), &column.at[from], &column.inverse[from], &sums[from],
                   (to - from) / kBlock);
}

/// Many ordered values: the midpoint rule with its first correction where a cell is small beside a
/// kernel, then exact to 1e-3.
void Parzen::add_cell(const Column& column, const Coordinate& x, std::span<float> sums) const {
  const double size = x.cell.to - x.cell.from, log_size = std::log(size) - kLogRoot2Pi;
  for (std::size_t s = 0; s < sums.size(); ++s) {
    if (sums[s] < kNever / 2) continue;
    const double width = column.width[s], centre = column.centre[s];
    if (size < 0.5 * width) {
      const double t = (0.5 * (x.cell.from + x.cell.to) - centre) / width, part = size / width;
      const double c = std::min(part * part / 24 * (t * t - 1), 1.0);
      sums[s] +=
          static_cast<float>(log_size - column.log_width[s] - 0.5 * t * t + c / (1 + 0.5 * c));
    } else {
      sums[s] += static_cast<float>(log_mass(x.cell.from, x.cell.to, centre, width));
    }
  }
}

/// Adds each kernel's log mass along one axis that is not dense to its sum.
void Parzen::add_axis(std::size_t axis, const Coordinate& x, std::span<float> sums) const {
  const Column& column = columns_[axis];
  const std::uint32_t values = axes_[axis].values;
  if (axes_[axis].categories) {
    const double share = 1.0 / static_cast<double>(size() + 1);
    const auto hit = static_cast<float>(std::log((share + 1) / (1 + values * share)));
    const auto miss = static_cast<float>(std::log(share / (1 + values * share)));
    sums[kPrior] -= std::log(static_cast<float>(values));
    for (std::size_t s = kPrior + 1; s < sums.size(); ++s)
      sums[s] += column.rank[s] == x.rank ? hit : miss;
  } else if (values > 0) {
    for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += column.table[s * values + x.rank];
  } else {
    add_cell(column, x, sums);
  }
}

}  // namespace hpo
