#pragma once
// The columns of a table that a network knew before, beside those that it is given now.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "nn/data/dataset.h"

namespace nn {

/// Whether columns have names; those of a table without a header are known by their places.
[[nodiscard]] bool has_named_columns(const Dataset::Header& header);

/// What is predicted: "classes" or "numbers"; and its columns.
[[nodiscard]] std::string task_word(LearningTask task);
[[nodiscard]] std::vector<std::string> target_names(const Dataset::Header& header);

/// "numbers", "dates" or "texts".
[[nodiscard]] std::string kind_word(const FeatureColumn& column);

/// The columns of a data set by name, and their first inputs.
class Columns {
 public:
  explicit Columns(const std::vector<FeatureColumn>& columns) {
    std::size_t input = 0;
    for (const FeatureColumn& column : columns) {
      places_.emplace(column.name, Place{&column, input});
      input += column.inputs();
    }
  }
  struct Place {
    const FeatureColumn* column;
    std::size_t input;
  };
  /// Null: there is none.
  [[nodiscard]] const Place* find(const std::string& name) const {
    const auto at = places_.find(name);
    return at == places_.end() ? nullptr : &at->second;
  }

 private:
  std::unordered_map<std::string, Place> places_;
};

/// For each input of `to` the place in `from`; nothing where that has none.
[[nodiscard]] std::vector<std::optional<std::size_t>> places_in(
    const std::vector<FeatureColumn>& to, const std::vector<FeatureColumn>& from);

/// A column that both have, as a network that goes on sees it. Throws base::Error (study) where
/// they hold other things.
[[nodiscard]] FeatureColumn merged(const FeatureColumn& known, const FeatureColumn& fresh);

/// Turns a row of one data set into one of another.
class RowMaker {
 public:
  /// Rows of `cols` inputs in the columns `to` (none: as they are) out of rows in the columns
  /// `from`.
  RowMaker(const std::vector<FeatureColumn>& to, const std::vector<FeatureColumn>& from,
           std::size_t cols);

  /// Both rows whole. A NaN is a missing number or date.
  template <class T, class U>
  void make(const T* from, U* to) const {
    std::transform(base_.begin(), base_.end(), to, [](float x) { return static_cast<U>(x); });
    for (const Move& move : moves_) {
      const auto read = static_cast<double>(from[move.from]);
      const bool missing = std::isnan(read);
      if (missing && move.indicator) to[*move.indicator] = U{1};
      const double value = missing ? move.fill : read + move.more;
      // One-hot inputs that share a place, and an indicator that both have, stay 0 or 1.
      to[move.to] = move.flag ? static_cast<U>(std::max(static_cast<double>(to[move.to]), value))
                              : static_cast<U>(value);
    }
  }

 private:
  struct Move {
    std::size_t to, from;
    bool flag = true;  ///< 0 or 1
    double more = 0;
    double fill = 0;                            ///< of a missing one
    std::optional<std::size_t> indicator = {};  ///< of `to`, that tells of it
  };

  void leave_out(const FeatureColumn& column, std::size_t input);
  void take(const FeatureColumn& column, std::size_t input, const Columns::Place& place);

  std::vector<float> base_;
  std::vector<Move> moves_;
};

}  // namespace nn
