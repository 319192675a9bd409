#pragma once
// What the simplest predictors reach on a study's data (nn/evaluation/baseline.h): the rows that a
// network's result is read beside.

#include <string>
#include <vector>

#include "hpo/driver/networks/loaded_study.h"
#include "hpo/log/baseline_rows.h"
#include "nn/evaluation/baseline.h"
#include "nn/training/train.h"
#include "runtime/value.h"

namespace hpo {

/// Two predictors on their way: fitted and scored by tasks of their own, once for all studies of
/// the same data. With folds they go the way of a trial: one fitted for each fold, whose mean is
/// their score, and one on all rows but the test part for the score there.
class Baselines {
 public:
  /// Starts them. Needs a rt::Runtime. Loads the folds of the data.
  explicit Baselines(const LoadedStudy& loaded);

  /// Waits for them. Throws what their tasks threw.
  [[nodiscard]] std::vector<BaselineRow> rows() const;

 private:
  struct Row {
    std::string name;
    std::vector<rt::Value<nn::Scores>> valid;  ///< of each fold
    rt::Value<nn::Scores> test;
  };
  [[nodiscard]] Row begin(nn::Baseline kind, const StudyData& whole) const;

  std::vector<StudyData> folds_;  ///< those whose validation parts count; without folds the data
  std::vector<Row> rows_;
};

}  // namespace hpo
