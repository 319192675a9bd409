#pragma once
// Dealing out rows to training, validation and test.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/data/data_spec.h"

namespace nn {

/// Row numbers, disjoint, each list ascending.
struct Parts {
  std::vector<std::uint32_t> train, valid, test;
  /// The independent observation that each row of a part belongs to: its group, or its stretch of
  /// time, of which a part of n rows has √n. Empty: each row is one.
  std::vector<std::uint32_t> valid_units, test_units;
};

/// What decides where a row may go. Every span that is not empty holds `count` values; at most one
/// of `groups` and `times` is not.
struct SplitBy {
  std::size_t count = 0;
  std::span<const std::int32_t> labels = {};  ///< 0 <= label < classes
  std::size_t classes = 0;
  std::span<const std::uint32_t> groups = {};  ///< rows with equal values stay together
  std::span<const double> times = {};          ///< finite; later rows are never trained on
  /// The last so many rows are the test part, and spec.test does not count.
  std::size_t test_rows = 0;
};

/// Deals out rows 0..count-1, depending on nothing but the arguments. Test gets round(n *
/// spec.test) of them, valid round(n * spec.valid), train the rest.
///   by default  shuffled under spec.seed. With labels every class is dealt out in these shares as
///               evenly as whole rows allow (largest remainders, lower class first on ties).
///   groups      whole groups, shuffled: test takes them while that brings it nearer to its share,
///               then valid; labels do not count.
///   times       in their order (rows of equal time in the order of the table): the last are the
///               test part, those before it valid.
/// With spec.folds = k > 0, test rows are the same and the others make k folds; valid is number
/// spec.fold of them (from 0), train the rest, spec.valid does not count. Of times there are k + 1
/// blocks: valid is block fold + 1, train all before it.
///
/// Throws DataError(path) for shares outside [0, 1), when a part that was asked for, or the
/// training part, would be empty, and when there are fewer rows or groups than folds.
[[nodiscard]] Parts split_rows(const std::string& path, const SplitBy& by, const SplitSpec& spec);

}  // namespace nn
