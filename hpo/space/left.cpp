#include "hpo/space/left.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hpo {

namespace {

/// Draws that may hit a value that was taken out, before the next one that is left is sought.
constexpr int kLeftDraws = 16;

/// The step of a range; 0 where values lie dense, as in a range of one value.
double step_of(const Domain& domain) {
  if (const auto* ints = std::get_if<IntRange>(&domain)) return static_cast<double>(ints->step);
  return std::get<FloatRange>(domain).step;
}

}  // namespace

const ParamValue& Left::nth(std::size_t i) const {
  if (const auto* choice = std::get_if<Choice>(domain_)) return choice->values[i];
  return std::get<Constant>(*domain_).value;
}

Left::Left(const Domain& domain) : domain_(&domain) {
  if (const auto* choice = std::get_if<Choice>(&domain)) {
    listed_.emplace(choice->values.size());
    std::iota(listed_->begin(), listed_->end(), std::size_t{0});
  } else if (std::holds_alternative<Constant>(domain)) {
    listed_.emplace(1, 0);
  } else if (const auto* ints = std::get_if<IntRange>(&domain)) {
    low_ = static_cast<double>(ints->min);
    high_ = static_cast<double>(ints->max - (ints->max - ints->min) % ints->step);
  } else {
    const auto& range = std::get<FloatRange>(domain);
    low_ = range.min;
    high_ =
        range.step == 0 ? range.max : std::get<double>(nth_value(domain, *cardinality(domain) - 1));
  }
}

ParamValue Left::value_of(double number) const {
  if (std::holds_alternative<IntRange>(*domain_)) return static_cast<std::int64_t>(number);
  return number;
}

std::optional<ParamValue> Left::only() const {
  if (listed_) return listed_->size() == 1 ? std::optional(nth(listed_->front())) : std::nullopt;
  return low_ == high_ ? std::optional(value_of(low_)) : std::nullopt;
}

bool Left::is_out(double number) const { return std::ranges::find(out_, number) != out_.end(); }

bool Left::has(const ParamValue& value) const {
  if (listed_) return std::ranges::any_of(*listed_, [&](std::size_t i) { return nth(i) == value; });
  return contains(*domain_, value) && has_same(value);
}

bool Left::has_same(const ParamValue& value) const {
  if (listed_)
    return std::ranges::any_of(*listed_, [&](std::size_t i) { return same_value(nth(i), value); });
  const auto number = number_of(value);
  return number && *number >= low_ && *number <= high_ && at_most(*number) == *number &&
         !is_out(*number);
}

bool Left::numbers() const {
  return !listed_ || std::ranges::all_of(
                         *listed_, [&](std::size_t i) { return number_of(nth(i)).has_value(); });
}

double Left::low() const {
  if (!listed_) return low_;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t i : *listed_) least = std::min(least, *number_of(nth(i)));
  return least;
}

double Left::high() const {
  if (!listed_) return high_;
  double most = -std::numeric_limits<double>::infinity();
  for (const std::size_t i : *listed_) most = std::max(most, *number_of(nth(i)));
  return most;
}

double Left::next(double number, bool up) const {
  const double step = step_of(*domain_);
  if (step == 0)
    return std::nextafter(number, std::numeric_limits<double>::infinity() * (up ? 1 : -1));
  if (std::holds_alternative<IntRange>(*domain_)) return up ? number + step : number - step;
  const std::uint64_t rank = *rank_of(*domain_, number);
  if (up ? rank + 1 == *cardinality(*domain_) : rank == 0)
    return up ? number + step : number - step;
  return std::get<double>(nth_value(*domain_, up ? rank + 1 : rank - 1));
}

double Left::at_most(double number) const {
  const double step = step_of(*domain_);
  if (step == 0) return number;
  const double first = *number_of(nth_value(*domain_, 0));
  const auto last = static_cast<double>(*cardinality(*domain_) - 1);
  const double guess = std::clamp(std::round((number - first) / step), 0.0, last);
  const double value = *number_of(nth_value(*domain_, static_cast<std::uint64_t>(guess)));
  return value > number ? next(value, false) : value;
}

double Left::at_least(double number) const {
  const double value = at_most(number);
  return value < number ? next(value, true) : value;
}

void Left::skip_out() {
  while (low_ <= high_ && is_out(low_)) low_ = next(low_, true);
  while (low_ <= high_ && is_out(high_)) high_ = next(high_, false);
}

void Left::keep(const ParamValue& value) {
  if (listed_) {
    std::erase_if(*listed_, [&](std::size_t i) { return nth(i) != value; });
  } else {
    low_ = high_ = *number_of(value);
  }
}

template <class Gone>
bool Left::take_listed(Gone gone) {
  return std::erase_if(*listed_, [&](std::size_t i) { return gone(nth(i)); }) > 0;
}

bool Left::take_number(double number) {
  out_.push_back(number);
  skip_out();
  return true;
}

bool Left::take(const ParamValue& value) {
  if (listed_) return take_listed([&](const ParamValue& other) { return other == value; });
  return has(value) && take_number(*number_of(value));
}

bool Left::take_same(const ParamValue& value) {
  if (listed_)
    return take_listed([&](const ParamValue& other) { return same_value(other, value); });
  return has_same(value) && take_number(*number_of(value));
}

bool Left::keep_to(double most) {
  if (listed_)
    return take_listed([&](const ParamValue& value) { return *number_of(value) > most; });
  if (!(most < high_)) return false;
  high_ = most < low_ ? next(low_, false) : at_most(most);
  skip_out();
  return true;
}

bool Left::keep_from(double least) {
  if (listed_)
    return take_listed([&](const ParamValue& value) { return *number_of(value) < least; });
  if (!(least > low_)) return false;
  low_ = least > high_ ? next(high_, true) : at_least(least);
  skip_out();
  return true;
}

ParamValue Left::draw(Stream& stream) const {
  if (listed_) return nth((*listed_)[stream.below(listed_->size())]);
  const double from = unit_cell(*domain_, value_of(low_)).from;
  const double to = unit_cell(*domain_, value_of(high_)).to;
  double number = low_;
  for (int i = 0; i < kLeftDraws; ++i) {
    const ParamValue value = from_unit(*domain_, stream.uniform(from, to));
    number = std::clamp(*number_of(value), low_, high_);
    if (!is_out(number)) return value_of(number);
  }
  while (is_out(number)) number = number == high_ ? low_ : next(number, true);
  return value_of(number);
}

}  // namespace hpo
