#pragma once
// The steps of loading a study file, in order: read_yaml, add_defaults, a Checker, read_block,
// add_population_defaults, add_task_defaults, derive. Not for users of hpo/study: see spec.h.

#include <cstdint>
#include <optional>
#include <string>

#include "hpo/study/node.h"
#include "hpo/study/spec.h"
#include "hpo/study/study_error.h"
#include "nn/data/data_spec.h"

namespace hpo::study {

/// Adds what a file leaves out and the table has no fixed default for. `root` is as it was read.
void add_defaults(Node& root, const std::string& stem);

/// A task, and what in the file says that it is this one ("metric valid.rmse").
struct ImpliedTask {
  nn::LearningTask task;
  Position at;
  std::string by;
};

/// Returns the task that the file names, directly or by a loss or metric that only one task has.
/// Throws a StudyError if it names two.
[[nodiscard]] std::optional<ImpliedTask> implied_task(const StudySpec& study);

/// True if a task that implied_task() found is an assumption about the target: a metric for classes
/// must not turn a column of numbers into hundreds of them unasked.
[[nodiscard]] bool needs_the_target(const StudySpec& study, nn::LearningTask task);

/// Throws a StudyError if the study names another task than that of the data.
void check_task(const StudySpec& study, nn::LearningTask task);

/// True if the study leaves nothing to the data.
[[nodiscard]] bool is_settled(const StudySpec& study);

/// Fills in loss, metric and goal where they follow from the task.
void add_goal_defaults(StudySpec& study, nn::LearningTask task);

/// Computes the members of a study that follow from its rows, and checks what rows say about each
/// other. Idempotent. Throws a StudyError.
void derive(StudySpec& study);

}  // namespace hpo::study
