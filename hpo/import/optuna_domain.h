#pragma once
// A distribution of Optuna in the words of a study file.

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "hpo/space/value.h"

namespace hpo {

/// A domain of Optuna, and params out of it as our values.
class OptunaDomain {
 public:
  /// `distribution` is Optuna's JSON. Throws base::Error (data) for one that a study file has no
  /// words for.
  explicit OptunaDomain(const std::string& distribution);

  /// "type: float, min: 0.0, max: 1.0", as it stands in the parameter's map.
  [[nodiscard]] std::string yaml() const;

  /// Takes in all that a later domain of the same param can be, in whose scale. False where the two
  /// are of different kinds: then it stays as it is.
  [[nodiscard]] bool widen(const OptunaDomain& later);

  /// The value that Optuna keeps as `internal`. Throws base::Error (data): there is none.
  [[nodiscard]] ParamValue value(double internal) const;
  /// The value that a program fixed, which need not be one of the domain. Throws the same.
  [[nodiscard]] ParamValue fixed(const std::string& json) const;
  /// A number as this domain has it: Python's 1 and 1.0 are one. Other values, and numbers that it
  /// lacks, stay as they are.
  [[nodiscard]] ParamValue as_here(const ParamValue& value) const;

  [[nodiscard]] bool categorical() const { return categorical_; }
  /// Whether Python's None, which is a text here, is among the choices.
  [[nodiscard]] bool has_none() const { return none_; }
  /// All that it can be, as Optuna keeps it, ascending; empty: more than `most`, or floats.
  [[nodiscard]] std::vector<double> all(std::size_t most) const;

  /// A value as a study file has it: a dollar stands for itself when it is doubled.
  [[nodiscard]] static std::string yaml_of(const ParamValue& value);

 private:
  void add_choices(const base::Json& list);
  void add_choice(const ParamValue& choice);
  [[nodiscard]] double on_grid(double number) const;
  [[nodiscard]] bool single() const { return low_ == high_; }
  /// Of the steps that lead through both.
  [[nodiscard]] double common_step(const OptunaDomain& later) const;

  bool categorical_ = false, ints_ = false, log_ = false, none_ = false;
  double low_ = 0, high_ = 0, step_ = 0;
  std::vector<ParamValue> choices_;
};

}  // namespace hpo
