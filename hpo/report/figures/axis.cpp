#include "hpo/report/figures/axis.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "hpo/report/text.h"

namespace hpo::figures {

namespace {

constexpr double kTouch = 1e-9;  // of an axis: nearer than that is the same place
constexpr std::size_t kMostTicks = 50;

/// Without what a binary number has behind the twelfth digit.
double cleaned(double value) {
  const double shorter = base::parse_double(base::with_digits(value, 12)).value_or(value);
  return shorter == 0 ? 0.0 : shorter;  // not -0, which is a text of its own
}

double step_for(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= rough * (1 - kTouch)) return step * power;
  return 10 * power;
}

std::vector<double> linear_candidates(double low, double high, std::size_t most) {
  const double step = step_for((high - low) / static_cast<double>(std::max<std::size_t>(most, 1)));
  std::vector<double> out;
  for (double k = std::ceil(low / step - kTouch);
       k * step <= high + kTouch * (high - low) && out.size() < kMostTicks; ++k)
    out.push_back(cleaned(k * step));
  return out;
}

std::vector<double> log_candidates(double low, double high) {
  const bool decades_alone = std::log10(high / low) > 2;
  std::vector<double> out;
  for (double power = std::floor(std::log10(low)); power <= std::ceil(std::log10(high)); ++power)
    for (const double step : {1.0, 2.0, 5.0})
      if (step == 1.0 || !decades_alone) out.push_back(cleaned(step * std::pow(10.0, power)));
  return out;
}

std::vector<double> share_candidates() {
  std::vector<double> out;
  for (double away = 1; away > 1e-7; away /= 10)
    for (const double step : {1.0, 0.7, 0.5, 0.3, 0.2})
      out.push_back(cleaned(1 - cleaned(away * step)));
  return out;
}

/// "10000" where four digits would be 1e+04.
std::string tick_text(double value) {
  constexpr double kLong = 1e6;
  const bool plain = std::abs(value) < kLong && value == std::floor(value);
  return plain ? base::format_double(value) : report::number(value);
}

/// The exponent of a power of ten; nothing of other numbers.
std::optional<int> exponent_of(double value) {
  const double exponent = std::round(std::log10(value));
  if (std::abs(value / std::pow(10.0, exponent) - 1) > 1e-6) return std::nullopt;
  return static_cast<int>(exponent);
}

/// "10" and "−3": where all marks of an axis are powers of ten and one of them is long as a number.
void write_as_powers(std::vector<Tick>& ticks) {
  const bool all = std::ranges::all_of(
      ticks, [](const Tick& tick) { return exponent_of(tick.value).has_value(); });
  const bool any_long = std::ranges::any_of(
      ticks, [](const Tick& tick) { return tick.value < 1e-3 * 0.99 || tick.value > 1e4 * 1.01; });
  if (!all || !any_long) return;
  for (Tick& tick : ticks) {
    const int exponent = *exponent_of(tick.value);
    if (exponent == 0 || exponent == 1) continue;
    tick.text = "10";
    tick.exponent = exponent < 0 ? base::cat("−", -exponent) : base::cat(exponent);
  }
}

/// The numbers among the values, ascending.
std::vector<double> numbers_of(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double value : values)
    if (std::isfinite(value)) out.push_back(value);
  std::ranges::sort(out);
  return out;
}

/// Shares near 1 are told apart by how far they are from it, losses by their size.
AxisKind kind_of(const std::vector<double>& ascending, bool maximize) {
  const double low = quantile_of(ascending, 0.05), high = quantile_of(ascending, 0.95);
  if (maximize && ascending.front() >= 0 && ascending.back() <= 1 && high > 0.8)
    return AxisKind::share;
  if (!maximize && ascending.front() > 0 && high > 3 * low) return AxisKind::log;
  return AxisKind::linear;
}

}  // namespace

double quantile_of(const std::vector<double>& ascending, double q) {
  const double at = q * static_cast<double>(ascending.size() - 1);
  return ascending[static_cast<std::size_t>(std::lround(at))];
}

Axis::Axis(AxisKind kind, double low, double high, double nearest)
    : kind_(kind), low_(low), high_(high), nearest_(nearest) {
  from_ = turned(low);
  to_ = turned(high);
  if (to_ > from_) return;
  const double margin = std::abs(from_) > 0 ? std::abs(from_) * 0.05 : 0.5;
  from_ -= margin;
  to_ += margin;
}

Axis Axis::counted(AxisKind kind, double low, double high) {
  Axis axis(kind, low, high);
  axis.is_counted_ = true;
  return axis;
}

Axis Axis::of_words(std::vector<std::string> words) {
  Axis axis(AxisKind::words, 0, std::max(static_cast<double>(words.size()) - 1, 1.0));
  axis.words_ = std::move(words);
  return axis;
}

double Axis::turned(double value) const {
  if (kind_ == AxisKind::log) return std::log10(value);
  if (kind_ == AxisKind::share) return -std::log10(std::max(1 - value, nearest_));
  return value;
}

double Axis::at(double value) const {
  if (kind_ == AxisKind::words) return (value + 0.5) * part();
  return (turned(value) - from_) / (to_ - from_);
}

double Axis::inside(double value) const {
  const double place = at(value);
  return std::isnan(place) ? 0 : std::clamp(place, 0.0, 1.0);
}

std::vector<double> Axis::candidates(std::size_t most) const {
  if (!(high_ > low_)) return {low_};
  std::vector<double> all = kind_ == AxisKind::log     ? log_candidates(low_, high_)
                            : kind_ == AxisKind::share ? share_candidates()
                                                       : linear_candidates(low_, high_, most);
  std::erase_if(all, [&](double value) {
    return at(value) < -kTouch || at(value) > 1 + kTouch ||
           (is_counted_ && value != std::floor(value));
  });
  std::ranges::sort(all);
  std::vector<double> out;
  for (const double value : all)
    if (out.empty() || at(value) - at(out.back()) > 0.7 / static_cast<double>(most))
      out.push_back(value);
  return out.size() > 1 ? out : std::vector<double>{low_, high_};
}

std::vector<Tick> Axis::ticks(std::size_t most) const {
  std::vector<Tick> out;
  if (kind_ == AxisKind::words) {
    for (std::size_t i = 0; i < words_.size(); ++i)
      out.push_back({.value = static_cast<double>(i), .text = words_[i]});
    return out;
  }
  for (const double value : candidates(most))
    out.push_back({.value = value, .text = tick_text(value)});
  if (kind_ == AxisKind::log) write_as_powers(out);
  return out;
}

std::string Axis::title(const std::string& name) const {
  if (kind_ == AxisKind::log) return name + " (log scale)";
  if (kind_ == AxisKind::share) return name + " (log scale of 1 − x)";
  return name;
}

Axis metric_axis(const std::vector<double>& values, bool maximize) {
  const std::vector<double> all = numbers_of(values);
  if (all.empty()) return {AxisKind::linear, 0, 1};
  const AxisKind kind = kind_of(all, maximize);
  const double low = maximize ? quantile_of(all, 0.05) : all.front();
  const double high = maximize ? all.back() : quantile_of(all, 0.95);
  double nearest = 1;
  for (const double value : all)
    if (value < 1) nearest = std::min(nearest, 1 - value);
  return {kind, low, high, std::max(nearest / 2, 1e-7)};
}

Axis parameter_axis(const report::ParameterColumn& column) {
  if (!column.is_number) return Axis::of_words(column.labels);
  const bool log = column.is_log && column.min > 0;
  return {log ? AxisKind::log : AxisKind::linear, column.min, column.max};
}

}  // namespace hpo::figures
