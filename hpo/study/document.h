#pragma once
// A checked study file and what is done with it as a whole. Not for users of hpo/study: see spec.h.

#include <optional>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "hpo/space/space.h"
#include "hpo/study/node.h"
#include "hpo/study/spec.h"
#include "nn/data/data_spec.h"

namespace hpo::study {

struct Document {
  std::string file;  ///< for messages
  Node root;         ///< in the checker's canonical form; paths of data are absolute
};

/// Runs `body` and turns a Fault into the base::Error that users see.
template <class Body>
auto with_place(const std::string& file, const Body& body) {
  try {
    return body();
  } catch (const Fault& fault) {
    constexpr std::size_t kMost = 4096;  // a path may hold anything, a message is one line
    throw base::Error(base::Errc::study,
                      base::cat(base::printable(file, kMost), ":", fault.at().line, ":",
                                fault.at().column, ": ", fault.what()));
  }
}

/// Puts in what a file leaves out and the table has no fixed default for. `root` is as it was read.
void add_defaults(Node& root, const std::string& stem);

/// A task, and what in the file says that it is this one ("metric valid.rmse").
struct ImpliedTask {
  nn::LearningTask task;
  Position at;
  std::string by;
};

/// What the file says about the task, directly or by a loss or metric that only one task has.
/// Throws a Fault when it says two things.
[[nodiscard]] std::optional<ImpliedTask> implied_task(const Node& root);

/// Settles `data.folds: auto` for a table with so many rows outside of the test part.
void choose_folds(Node& root, std::int64_t rows);

/// Fills in task, loss and metric where they follow from the task. The result has to be checked
/// again.
void add_task_defaults(Node& root, nn::LearningTask task);
/// The same without the task, which the target has to agree to first.
void add_goal_defaults(Node& root, nn::LearningTask task);

/// Whether a task that implied_task() found is an assumption about the target: a metric for classes
/// must not turn a column of numbers into hundreds of them unasked.
[[nodiscard]] bool needs_the_target(const Node& root, nn::LearningTask task);

/// The parts of a StudySpec that come from a canonical tree. Throws a Fault for what makes no sense
/// together.
void read_spec(StudySpec& study, const Node& root);

}  // namespace hpo::study
