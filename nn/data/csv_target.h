#pragma once
// The target column of a CSV file: classes or numbers.

#include <cstdint>
#include <string>
#include <vector>

#include "nn/data/csv_columns.h"

namespace nn {

struct CsvTarget {
  LearningTask task = LearningTask::classification;
  std::vector<std::string>
      class_names;                   ///< ascending: by value when all are numbers, else by bytes
  std::vector<std::int32_t> labels;  ///< one a row (classification)
  std::vector<double> numbers;       ///< one a row (regression)
};

/// Most classes that a target may have.
inline constexpr std::size_t kMaxClasses = 10000;

/// Reads the target of every row and settles what `task` leaves open (see LearningTask), adding a
/// note. Numbers that are equal are one class, however they are written. Throws DataError: a
/// missing target, a text where a number is expected, one class only, more than kMaxClasses.
[[nodiscard]] CsvTarget read_target(const CsvText& csv, CsvSurvey& table, LearningTask task);

}  // namespace nn
