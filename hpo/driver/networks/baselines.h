#pragma once
// What simple predictors reach on a study's data: the rows that a network's result is read beside,
// and the opponent that it is judged against.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/networks/tree_size.h"
#include "hpo/log/baseline_rows.h"
#include "nn/evaluation/answers.h"
#include "nn/evaluation/baseline.h"
#include "nn/training/train.h"
#include "runtime/async.h"
#include "runtime/group.h"
#include "runtime/value.h"

namespace hpo {

/// The predictors of nn/evaluation/baseline.h and gradient-boosted trees, on their way or known
/// from the log. Tasks of their own fit and score them, once for all studies of the same data. With
/// folds they go the way of a trial: one fitted for each fold, whose mean is their score, and one
/// on all rows but the test part for the score there.
class Baselines {
 public:
  /// Starts them; trees only where they have a size, the linear one only if it is asked for. Needs
  /// a rt::Runtime. Loads the folds of the data.
  explicit Baselines(const LoadedStudy& loaded, TreePlan trees = {}, bool linear = true);
  /// Takes what the log has of them.
  Baselines(std::vector<BaselineRow> known, TreePlan trees)
      : trees_(std::move(trees)), known_(std::move(known)) {}
  /// Cancels those that are still on their way.
  ~Baselines();
  Baselines(const Baselines&) = delete;
  Baselines& operator=(const Baselines&) = delete;

  /// Waits for them. Throws what their tasks threw, but for trees, which are left out then.
  [[nodiscard]] std::vector<BaselineRow> rows() const;
  /// Comes to its end when rows() need not wait any more. Refers to this object.
  [[nodiscard]] rt::Async<void> ready() const;

  /// Answers the rows of a part with the predictor of that name, fitted on the training part of
  /// `data`. Throws base::Error (storage) if there is none.
  [[nodiscard]] rt::Value<nn::Answers> answers(const std::string& name, const StudyData& data,
                                               nn::Part part) const;

  [[nodiscard]] const TreePlan& trees() const { return trees_; }

 private:
  struct Row {
    std::string name;
    std::vector<rt::Value<nn::Scores>> valid;  ///< of each fold
    rt::Value<nn::Scores> test;
  };
  [[nodiscard]] Row begin(const std::string& name, const StudyData& whole) const;
  [[nodiscard]] rt::Value<nn::Scores> score(const std::string& name, const StudyData& data,
                                            nn::Part part) const;

  TreePlan trees_;
  std::optional<rt::Group> group_;  ///< of their tasks
  std::vector<StudyData> folds_;    ///< those whose validation parts count; without folds the data
  std::vector<Row> rows_;
  std::vector<BaselineRow> known_;
};

}  // namespace hpo
