#pragma once
// What is learnt: classes or numbers, out of the target's values.

#include <cstdint>
#include <string>
#include <vector>

#include "nn/data/csv_columns.h"
#include "nn/data/split.h"

namespace nn {

struct TargetValues {
  LearningTask task = LearningTask::classification;
  std::vector<std::string>
      class_names;                    ///< ascending: by value when all are numbers, else by bytes
  std::vector<std::int32_t> labels;   ///< one a row (classification)
  std::vector<double> numbers;        ///< [rows, names] (regression)
  std::vector<NumberFormat> formats;  ///< one a name; empty where all are plain
};

/// Most classes that a target may have.
inline constexpr std::size_t kMaxClasses = 10000;

/// What a class that is a number is called: its shortest text; -0 and 0 are one class.
[[nodiscard]] std::string name_of_class(double number);

/// A target of numbers [rows, names]; settles what `task` leaves open (see LearningTask), adding a
/// note. Numbers that are equal are one class, however they are written; several columns are
/// numbers to predict. `path` and `names` are for messages. Throws DataError: fewer classes than
/// `fewest`, more
/// than kMaxClasses, classes in several columns.
[[nodiscard]] TargetValues target_of(const std::string& path, const std::vector<std::string>& names,
                                     std::vector<double> numbers, LearningTask task,
                                     std::vector<std::string>& notes, std::size_t fewest = 2);

/// Names the classes with their numbers of rows, and those that differ in capitals, blanks, dashes
/// or underscores alone.
void note_classes(const TargetValues& target, std::vector<std::string>& notes);

/// Says where accuracy tells little: of classes whose rarest is below a tenth of the rows and below
/// half of an equal share; and which classes have a single row.
void note_balance(const TargetValues& target, std::vector<std::string>& notes);

/// Says which classes have rows, though not one to train on; those of a single row are left to
/// note_balance.
void note_parts(const TargetValues& target, const Parts& parts, std::vector<std::string>& notes);

/// The target of every row of a table, as target_of for one of numbers; texts that are numbers in a
/// NumberFormat are numbers unless they look like classes. Throws DataError, too, for a text where
/// a number is expected: by `task`, or because fewer than one in ten rows have a text and the
/// others numbers that do not look like classes; and where `task` is open and most rows have a text
/// of their own.
[[nodiscard]] TargetValues read_target(CsvFiles files, CsvSurvey& table, LearningTask task,
                                       std::size_t fewest = 2);

}  // namespace nn
