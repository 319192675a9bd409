#pragma once
// What is left of a parameter's domain while a point is filled in.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "hpo/space/parameter.h"
#include "hpo/space/random.h"

namespace hpo {

/// Values of a domain, of which ever fewer are left. Those of a range lie between two ends, which
/// are values of the domain, less single ones that were taken out.
class Left {
 public:
  /// All of `domain`, which outlives it.
  explicit Left(const Domain& domain);

  [[nodiscard]] bool empty() const { return listed_ ? listed_->empty() : low_ > high_; }
  /// The value, where just one is left.
  [[nodiscard]] std::optional<ParamValue> only() const;
  [[nodiscard]] bool has(const ParamValue& value) const;
  /// Whether values are left that are the same as `value`.
  [[nodiscard]] bool has_same(const ParamValue& value) const;
  /// Whether what is left is of a list of values and `is(value)` for each of them.
  template <class Is>
  [[nodiscard]] bool all_listed(Is is) const {
    return listed_ && std::ranges::all_of(*listed_, [&](std::size_t i) { return is(nth(i)); });
  }

  /// Whether all that is left are numbers; if so, the smallest and the largest. Not when empty.
  [[nodiscard]] bool numbers() const;
  [[nodiscard]] double low() const;
  [[nodiscard]] double high() const;

  /// Leaves nothing but `value`, which it has.
  void keep(const ParamValue& value);
  // These leave less and say whether they did.
  bool take(const ParamValue& value);
  bool take_same(const ParamValue& value);
  bool keep_to(double most);     ///< of numbers
  bool keep_from(double least);  ///< of numbers

  /// One of the values as the domain makes them likely. Not when empty.
  [[nodiscard]] ParamValue draw(Stream& stream) const;

 private:
  [[nodiscard]] const ParamValue& nth(std::size_t i) const;  ///< of the list
  template <class Gone>
  bool take_listed(Gone gone);
  bool take_number(double number);
  [[nodiscard]] ParamValue value_of(double number) const;
  [[nodiscard]] bool is_out(double number) const;
  /// The value next to one, upwards or downwards; beyond the domain there is one, too.
  [[nodiscard]] double next(double number, bool up) const;
  /// The nearest value that is not beyond `number`, which lies between the ends.
  [[nodiscard]] double at_most(double number) const;
  [[nodiscard]] double at_least(double number) const;
  void skip_out();

  const Domain* domain_;
  std::optional<std::vector<std::size_t>> listed_;  ///< places in a list of values; none: a range
  double low_ = 0, high_ = 0;
  std::vector<double> out_;
};

}  // namespace hpo
