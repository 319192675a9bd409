#pragma once
// What the simplest predictors reach on a study's data (nn/baseline.h): the rows that a network's
// result is read beside.

#include <string>
#include <vector>

#include "hpo/driver/network_work.h"
#include "hpo/log/baseline_rows.h"
#include "nn/train.h"
#include "runtime/value.h"

namespace hpo {

/// Two predictors on their way: fitted and scored by tasks of their own, once for all studies of
/// the same data.
class Baselines {
 public:
  /// Starts them. Needs a rt::Runtime. Of a study with folds `data` is one of them, and only the
  /// test part says something.
  Baselines(const StudyData& data, bool folded);

  /// Waits for them. Throws what their tasks threw.
  [[nodiscard]] std::vector<BaselineRow> rows() const;

 private:
  struct Row {
    std::string name;
    rt::Value<nn::Scores> valid, test;
  };
  std::vector<Row> rows_;
  bool folded_;
};

}  // namespace hpo
