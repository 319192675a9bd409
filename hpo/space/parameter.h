#pragma once
// One hyperparameter: what values it may take, and when it exists.
//
// Samplers see a parameter as an interval of the unit cube: `from_unit` maps u in [0, 1) to a value
// so that equal lengths of u carry equal prior weight (in the logarithm for scale log), `to_unit`
// goes back to the middle of a value's cell. Floats are rounded to 12 significant digits: two
// processors' exp() may differ in the last bit, and a proposal must not.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hpo/space/value.h"

namespace hpo {

enum class Scale : std::uint8_t { linear, log };

/// Which values of a range are likely: a normal distribution, cut off at the range's ends. With
/// scale log the logarithm has it: `mean` is the middle value, `deviation` > 1 a factor.
struct Normal {
  double mean = 0;
  double deviation = 1;
  bool operator==(const Normal&) const = default;
};

/// Floats in [min, max], both included. With a step: min, min + step, ... <= max. Log needs min >
/// 0.
struct FloatRange {
  double min = 0;
  double max = 1;
  Scale scale = Scale::linear;
  double step = 0;                             ///< 0: any value
  std::optional<Normal> prior = std::nullopt;  ///< none: all values alike
  bool operator==(const FloatRange&) const = default;
};

/// Ints min, min + step, ... <= max. Log needs min >= 1.
struct IntRange {
  std::int64_t min = 0;
  std::int64_t max = 1;
  Scale scale = Scale::linear;
  std::int64_t step = 1;
  std::optional<Normal> prior = std::nullopt;  ///< none: all values alike
  bool operator==(const IntRange&) const = default;
};

/// One of a list of distinct values. `ordered`: neighbours in the list are alike; numbers then rise
/// or fall.
struct Choice {
  std::vector<ParamValue> values;
  bool ordered = false;
  bool operator==(const Choice&) const = default;
};

/// Always the same value; it takes no part in the search but stands in every trial's params.
struct Constant {
  ParamValue value;
  bool operator==(const Constant&) const = default;
};

using Domain = std::variant<FloatRange, IntRange, Choice, Constant>;

/// Holds when the named parameter is active and its value is one of `values`.
struct Condition {
  std::string parameter;
  std::vector<ParamValue> values;
  bool operator==(const Condition&) const = default;
};

/// A named domain; active when all of `when` hold (an empty list: always).
struct Parameter {
  std::string name;
  Domain domain;
  std::vector<Condition> when;
  bool operator==(const Parameter&) const = default;
};

/// Largest magnitude of an int bound: beyond it neighbouring ints cannot be told apart as points
/// of the unit cube.
inline constexpr std::int64_t kLargestBound = std::int64_t{1} << 48;

/// A fault of a domain: which of its fields (`min`, `max`, `step`, `values`...) and the end
/// of a sentence about it ("is 0, expected ..."). None when the domain is sound: bounds finite and
/// in order, at least one value, all distinct.
struct DomainFault {
  std::string field;
  std::string problem;
};
[[nodiscard]] std::optional<DomainFault> fault_of(const Domain& domain);

/// True when the domain has `value`, type included (an int is no float).
[[nodiscard]] bool contains(const Domain& domain, const ParamValue& value);

/// What a person who wrote `value` meant: the float where the domain has that float and not the int
/// (`1` for 1.0), else `value` itself. A float never becomes an int.
[[nodiscard]] ParamValue as_meant(const Domain& domain, const ParamValue& value);

/// Number of distinct values; none when there are too many to count (a float range without a step).
[[nodiscard]] std::optional<std::uint64_t> cardinality(const Domain& domain);

/// The i-th value, in ascending or listed order; i < cardinality(domain).
[[nodiscard]] ParamValue nth_value(const Domain& domain, std::uint64_t i);

/// Whether values that are near to each other in the unit interval are alike.
[[nodiscard]] bool has_order(const Domain& domain);

/// Whether these are numbers that rise or fall from each to the next.
[[nodiscard]] bool are_sorted_numbers(const std::vector<ParamValue>& values);

/// The i with nth_value(domain, i) == value; none when the domain lacks the value or cannot be
/// counted.
[[nodiscard]] std::optional<std::uint64_t> rank_of(const Domain& domain, const ParamValue& value);

/// The value at u in [0, 1]; u outside is clamped, NaN counts as 0.
[[nodiscard]] ParamValue from_unit(const Domain& domain, double u);

/// The middle of the cell of `value`, in [0, 1]: from_unit(to_unit(v)) == v for finite domains, and
/// v to 12 digits for floats (fewer in the tails of a prior). Throws base::Error (internal) when
/// the domain does not have the value.
[[nodiscard]] double to_unit(const Domain& domain, const ParamValue& value);

/// The part of [0, 1] that from_unit maps to `value`; a point, from == to, where values lie dense.
/// Throws as to_unit does.
struct Cell {
  double from = 0, to = 0;
};
[[nodiscard]] Cell unit_cell(const Domain& domain, const ParamValue& value);

/// Describes the domain for messages: `a float from 0.0001 to 0.1 (log)`, `an int from 16 to 256`,
/// `one of adam, sgd`.
[[nodiscard]] std::string describe(const Domain& domain);

/// "; did you mean 8?" for 8.0 where the domain has the int; else empty.
[[nodiscard]] std::string whole_hint(const Domain& domain, const ParamValue& value);

}  // namespace hpo
