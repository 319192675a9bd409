#include "hpo/space/parameter.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/digits.h"
#include "base/error.h"
#include "base/text.h"
#include "hpo/space/line.h"

namespace hpo {

namespace {

/// The nearest double with 12 significant decimal digits, clamped to the range that rounding may
/// have left.
double rounded(double value, double min, double max) {
  return std::clamp(base::rounded_to_digits(value, 12), min, max);
}

double clamped_unit(double u) { return u > 0 ? std::min(u, 1.0) : 0.0; }

/// Which of `count` equal cells `u` lies in.
std::uint64_t cell_of(double u, std::uint64_t count) {
  const auto cell = static_cast<std::uint64_t>(clamped_unit(u) * static_cast<double>(count));
  return std::min(cell, count - 1);
}

std::uint64_t steps_of(const FloatRange& range) {
  return static_cast<std::uint64_t>(std::floor((range.max - range.min) / range.step + 1e-9)) + 1;
}

std::uint64_t steps_of(const IntRange& range) {
  return (static_cast<std::uint64_t>(range.max) - static_cast<std::uint64_t>(range.min)) /
             static_cast<std::uint64_t>(range.step) +
         1;
}

/// Whether values are counted in steps that are not all equally likely.
bool is_uneven(const FloatRange& range) {
  return range.step > 0 && (range.scale == Scale::log || range.prior);
}
bool is_uneven(const IntRange& range) { return range.scale == Scale::log || range.prior; }

template <class Range>
Steps uneven_steps(const Range& range) {
  return {static_cast<double>(range.min), static_cast<double>(range.step), steps_of(range),
          range.scale, range.prior};
}

Line line_of(const FloatRange& range) { return {range.min, range.max, range.scale, range.prior}; }

/// Beyond so many deviations from the mean nothing is left of a prior.
constexpr double kFarthest = 20;

std::optional<DomainFault> prior_fault(const std::optional<Normal>& prior, Scale scale) {
  if (!prior) return std::nullopt;
  const bool log = scale == Scale::log;
  if (!std::isfinite(prior->mean) || (log && !(prior->mean > 0))) {
    return DomainFault{"mean", base::cat("is ", text_of(prior->mean), ", expected ",
                                         log ? "more than 0 with scale: log" : "a finite number")};
  }
  if (std::isfinite(prior->deviation) && prior->deviation > (log ? 1 : 0)) return std::nullopt;
  return DomainFault{"deviation",
                     base::cat("is ", text_of(prior->deviation), ", expected ",
                               log ? "a factor above 1 with scale: log" : "a number above 0")};
}

/// Of a prior and bounds that are sound by themselves.
template <class Range>
std::optional<DomainFault> reach_fault(const Range& range) {
  if (!range.prior) return std::nullopt;
  const auto along = [&](auto x) {
    const auto value = static_cast<double>(x);
    return range.scale == Scale::log ? std::log(value) : value;
  };
  const double middle = along(range.prior->mean), far = kFarthest * along(range.prior->deviation);
  if (along(range.max) >= middle - far && along(range.min) <= middle + far) return std::nullopt;
  return DomainFault{"mean", base::cat("is ", text_of(range.prior->mean),
                                       ", more than 20 deviations away from the range, expected a "
                                       "mean in it or near it")};
}

template <class Range>
std::optional<DomainFault> bounds_fault(const Range& range, const std::string& min,
                                        const std::string& max) {
  if (range.max < range.min)
    return DomainFault{"max", base::cat("is ", max, ", expected at least min, which is ", min)};
  if (range.scale == Scale::log && !(range.min > 0)) {
    return DomainFault{"min", base::cat("is ", min, ", expected more than 0 with scale: log")};
  }
  return std::nullopt;
}

// One visitor a question: each overload answers it for one kind of domain.

struct FindFault {
  std::optional<DomainFault> operator()(const FloatRange& range) const {
    if (!std::isfinite(range.min))
      return DomainFault{"min", "is not finite, expected a finite number"};
    if (!std::isfinite(range.max))
      return DomainFault{"max", "is not finite, expected a finite number"};
    if (!std::isfinite(range.max - range.min))
      return DomainFault{"max", "is too far from min for a float"};
    if (auto fault = prior_fault(range.prior, range.scale)) return fault;
    if (auto fault = bounds_fault(range, text_of(range.min), text_of(range.max))) return fault;
    if (auto fault = reach_fault(range)) return fault;
    if (range.step == 0) return std::nullopt;
    if (!(range.step > 0) || !std::isfinite(range.step)) {
      return DomainFault{"step",
                         base::cat("is ", text_of(range.step), ", expected a number above 0")};
    }
    if ((range.max - range.min) / range.step > static_cast<double>(kLargestBound)) {
      return DomainFault{"step", "is too small for the range, expected at most 2^48 steps"};
    }
    return std::nullopt;
  }
  std::optional<DomainFault> operator()(const IntRange& range) const {
    const std::string limit = "is too large, expected an int between -2^48 and 2^48";
    if (range.min < -kLargestBound || range.min > kLargestBound) return DomainFault{"min", limit};
    if (range.max < -kLargestBound || range.max > kLargestBound) return DomainFault{"max", limit};
    if (auto fault = prior_fault(range.prior, range.scale)) return fault;
    if (auto fault = bounds_fault(range, std::to_string(range.min), std::to_string(range.max)))
      return fault;
    if (range.step < 1)
      return DomainFault{"step", base::cat("is ", range.step, ", expected an int of at least 1")};
    return reach_fault(range);
  }
  std::optional<DomainFault> operator()(const Choice& choice) const {
    if (choice.values.empty())
      return DomainFault{"values", "is empty, expected at least one value"};
    std::vector<std::string> seen;
    for (const ParamValue& value : choice.values) {
      const double* number = std::get_if<double>(&value);
      if (number != nullptr && !std::isfinite(*number)) {
        return DomainFault{"values",
                           base::cat("has ", text_of(value), ", expected finite numbers")};
      }
      seen.push_back(text_of(value));
    }
    std::sort(seen.begin(), seen.end());
    const auto twin = std::adjacent_find(seen.begin(), seen.end());
    if (twin != seen.end())
      return DomainFault{"values", base::cat("has ", *twin, " twice, expected distinct values")};
    const bool numbers = std::ranges::all_of(
        choice.values, [](const ParamValue& v) { return number_of(v).has_value(); });
    if (!choice.ordered || !numbers || are_sorted_numbers(choice.values)) return std::nullopt;
    return DomainFault{
        "values", "are not sorted, but ordered: true needs numbers in rising or falling order"};
  }
  std::optional<DomainFault> operator()(const Constant& constant) const {
    const double* number = std::get_if<double>(&constant.value);
    if (number == nullptr || std::isfinite(*number)) return std::nullopt;
    return DomainFault{"value", "is not finite, expected a finite number"};
  }
};

struct Cardinality {
  std::optional<std::uint64_t> operator()(const FloatRange& range) const {
    if (range.min == range.max) return 1;
    if (range.step == 0) return std::nullopt;
    return steps_of(range);
  }
  std::optional<std::uint64_t> operator()(const IntRange& range) const { return steps_of(range); }
  std::optional<std::uint64_t> operator()(const Choice& choice) const {
    return choice.values.size();
  }
  std::optional<std::uint64_t> operator()(const Constant&) const { return 1; }
};

struct NthValue {
  std::uint64_t i;
  ParamValue operator()(const FloatRange& range) const {
    if (i == 0) return range.min;
    return rounded(range.min + static_cast<double>(i) * range.step, range.min, range.max);
  }
  ParamValue operator()(const IntRange& range) const {
    return range.min + static_cast<std::int64_t>(i) * range.step;
  }
  ParamValue operator()(const Choice& choice) const { return choice.values.at(i); }
  ParamValue operator()(const Constant& constant) const { return constant.value; }
};

struct RankOf {
  const ParamValue& value;
  std::optional<std::uint64_t> operator()(const FloatRange& range) const {
    const double* number = std::get_if<double>(&value);
    const auto count = Cardinality{}(range);
    if (number == nullptr || !count || !(*number >= range.min && *number <= range.max))
      return std::nullopt;
    if (range.step == 0) return 0;
    const double guess = std::round((*number - range.min) / range.step);
    const std::uint64_t i = std::min(static_cast<std::uint64_t>(guess), *count - 1);
    return NthValue{i}(range) == value ? std::optional(i) : std::nullopt;
  }
  std::optional<std::uint64_t> operator()(const IntRange& range) const {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < range.min || *number > range.max) return std::nullopt;
    const std::int64_t distance = *number - range.min;
    if (distance % range.step != 0) return std::nullopt;
    return static_cast<std::uint64_t>(distance / range.step);
  }
  std::optional<std::uint64_t> operator()(const Choice& choice) const {
    const auto at = std::find(choice.values.begin(), choice.values.end(), value);
    if (at == choice.values.end()) return std::nullopt;
    return static_cast<std::uint64_t>(at - choice.values.begin());
  }
  std::optional<std::uint64_t> operator()(const Constant& constant) const {
    return constant.value == value ? std::optional<std::uint64_t>(0) : std::nullopt;
  }
};

struct FromUnit {
  double u;
  ParamValue operator()(const FloatRange& range) const {
    if (is_uneven(range)) return NthValue{uneven_steps(range).rank_at(clamped_unit(u))}(range);
    if (const auto count = Cardinality{}(range)) return NthValue{cell_of(u, *count)}(range);
    return rounded(line_of(range).value(clamped_unit(u)), range.min, range.max);
  }
  ParamValue operator()(const IntRange& range) const {
    return NthValue{is_uneven(range) ? uneven_steps(range).rank_at(clamped_unit(u))
                                     : cell_of(u, steps_of(range))}(range);
  }
  ParamValue operator()(const Choice& choice) const {
    return choice.values[cell_of(u, choice.values.size())];
  }
  ParamValue operator()(const Constant& constant) const { return constant.value; }
};

struct ToUnit {
  const ParamValue& value;
  double operator()(const FloatRange& range) const {
    if (is_uneven(range)) return middle(uneven_steps(range).cell(*RankOf{value}(range)));
    if (const auto count = Cardinality{}(range)) return middle(*RankOf{value}(range), *count);
    return line_of(range).place(std::get<double>(value));
  }
  double operator()(const IntRange& range) const {
    const std::uint64_t rank = *RankOf{value}(range);
    return is_uneven(range) ? middle(uneven_steps(range).cell(rank))
                            : middle(rank, steps_of(range));
  }
  double operator()(const Choice& choice) const {
    return middle(*RankOf{value}(choice), choice.values.size());
  }
  double operator()(const Constant&) const { return 0.5; }

  static double middle(const Cell& cell) { return 0.5 * (cell.from + cell.to); }
  static double middle(std::uint64_t rank, std::uint64_t count) {
    return (static_cast<double>(rank) + 0.5) / static_cast<double>(count);
  }
};

struct UnitCell {
  const ParamValue& value;
  Cell operator()(const FloatRange& range) const {
    if (is_uneven(range)) return uneven_steps(range).cell(*RankOf{value}(range));
    if (const auto count = Cardinality{}(range)) return nth(*RankOf{value}(range), *count);
    const double at = ToUnit{value}(range);
    return {at, at};
  }
  Cell operator()(const IntRange& range) const {
    const std::uint64_t rank = *RankOf{value}(range);
    return is_uneven(range) ? uneven_steps(range).cell(rank) : nth(rank, steps_of(range));
  }
  Cell operator()(const Choice& choice) const {
    return nth(*RankOf{value}(choice), choice.values.size());
  }
  Cell operator()(const Constant&) const { return {0, 1}; }

  static Cell nth(std::uint64_t rank, std::uint64_t count) {
    const double cells = static_cast<double>(count);
    return {static_cast<double>(rank) / cells, static_cast<double>(rank + 1) / cells};
  }
};

template <class Range>
std::string manner_of(const Range& range) {
  std::string text = range.scale == Scale::log ? " (log)" : "";
  if (!range.prior) return text;
  return text + base::cat(", around ", text_of(range.prior->mean));
}

struct Describe {
  std::string operator()(const FloatRange& range) const {
    std::string text = base::cat("a float from ", text_of(range.min), " to ", text_of(range.max));
    if (range.step != 0) text += " in steps of " + text_of(range.step);
    return text + manner_of(range);
  }
  std::string operator()(const IntRange& range) const {
    std::string text = base::cat("an int from ", range.min, " to ", range.max);
    if (range.step != 1) text += base::cat(" in steps of ", range.step);
    return text + manner_of(range);
  }
  std::string operator()(const Choice& choice) const {
    std::string text = "one of ";
    if (choice.ordered && !are_sorted_numbers(choice.values)) text += "(in this order) ";
    for (std::size_t i = 0; i < choice.values.size(); ++i) {
      if (i == 20) return text + base::cat(", ... (", choice.values.size(), " values)");
      text += (i == 0 ? "" : ", ") + text_of(choice.values[i]);
    }
    return text;
  }
  std::string operator()(const Constant& constant) const {
    return "the constant " + text_of(constant.value);
  }
};

}  // namespace

std::optional<DomainFault> fault_of(const Domain& domain) {
  return std::visit(FindFault{}, domain);
}

bool contains(const Domain& domain, const ParamValue& value) {
  const auto* range = std::get_if<FloatRange>(&domain);
  if (range == nullptr || range->step != 0) return rank_of(domain, value).has_value();
  const double* number = std::get_if<double>(&value);
  return number != nullptr && *number >= range->min && *number <= range->max;
}

ParamValue as_meant(const Domain& domain, const ParamValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < -kLargestBound || *number > kLargestBound ||
      contains(domain, value))
    return value;
  const ParamValue real = static_cast<double>(*number);
  return contains(domain, real) ? real : value;
}

std::optional<std::uint64_t> cardinality(const Domain& domain) {
  return std::visit(Cardinality{}, domain);
}

ParamValue nth_value(const Domain& domain, std::uint64_t i) {
  return std::visit(NthValue{i}, domain);
}

bool has_order(const Domain& domain) {
  if (const auto* choice = std::get_if<Choice>(&domain)) return choice->ordered;
  return !std::holds_alternative<Constant>(domain);
}

bool are_sorted_numbers(const std::vector<ParamValue>& values) {
  std::vector<double> numbers;
  for (const ParamValue& value : values) {
    const std::optional<double> number = number_of(value);
    if (!number) return false;
    numbers.push_back(*number);
  }
  return std::ranges::is_sorted(numbers, std::less<>()) ||
         std::ranges::is_sorted(numbers, std::greater<>());
}

std::optional<std::uint64_t> rank_of(const Domain& domain, const ParamValue& value) {
  return std::visit(RankOf{value}, domain);
}

ParamValue from_unit(const Domain& domain, double u) { return std::visit(FromUnit{u}, domain); }

namespace {

void must_contain(const char* who, const Domain& domain, const ParamValue& value) {
  if (contains(domain, value)) return;
  throw base::Error(base::Errc::internal,
                    base::cat(who, ": ", text_of(value), " is not ", describe(domain)));
}

}  // namespace

double to_unit(const Domain& domain, const ParamValue& value) {
  must_contain("to_unit", domain, value);
  return std::visit(ToUnit{value}, domain);
}

Cell unit_cell(const Domain& domain, const ParamValue& value) {
  must_contain("unit_cell", domain, value);
  return std::visit(UnitCell{value}, domain);
}

std::string describe(const Domain& domain) { return std::visit(Describe{}, domain); }

std::string whole_hint(const Domain& domain, const ParamValue& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::holds_alternative<IntRange>(domain)) return "";
  if (*number != std::floor(*number) || std::abs(*number) > static_cast<double>(kLargestBound))
    return "";
  const auto whole = static_cast<std::int64_t>(*number);
  return contains(domain, whole) ? base::cat("; did you mean ", whole, "?") : "";
}

}  // namespace hpo
