// What the data decides about a study: task, loss, metric, goal, folds.

#include <algorithm>
#include <array>

#include "base/text.h"
#include "hpo/study/checker.h"
#include "hpo/study/goals.h"
#include "hpo/study/load_steps.h"
#include "hpo/study/metric_names.h"
#include "hpo/study/places.h"
#include "hpo/study/trial_spec.h"
#include "hpo/study/words.h"

namespace hpo {

namespace study {

namespace {

using nn::LearningTask;

/// Rows outside of the test part that `folds: auto` makes folds of. Beyond them one validation part
/// has 1,000 rows or more: two networks that disagree on 5% of those are told apart to 0.7%, and
/// five times the work would make that 0.35%.
constexpr std::int64_t kFewestToFold = 20, kMostToFold = 3999, kFolds = 5;

/// Shares of the rarest class under which accuracy rewards who ignores it, of two classes and of
/// more. Of many classes each is rare: one that has half of an even share is not.
constexpr double kRareOfTwo = 0.1, kRareOfMore = 0.05, kRarePart = 0.5;

/// The metric of a file that names none, where accuracy would mislead; empty: accuracy will do.
std::string metric_for_rare(const StudySpec& study, const DataInfo& data) {
  // A target without a metric was meant for accuracy.
  if (study.names_metric || study.limits.target || data.task != LearningTask::classification)
    return "";
  const bool two = data.outputs == 2;
  const double even = 1 / static_cast<double>(data.outputs);
  const bool rare =
      data.rarest_share < (two ? kRareOfTwo : std::min(kRareOfMore, kRarePart * even));
  return !rare ? "" : two ? "valid.auc" : "valid.balanced_accuracy";
}

std::optional<LearningTask> task_of_loss(const StudySpec& study) {
  if (!study.train.loss) return std::nullopt;
  const std::string& loss = study.train.loss.node().find("type")->text;
  if (std::ranges::find(nn::loss_kinds(), loss, &nn::KindInfo::kind) == nn::loss_kinds().end())
    return std::nullopt;  // a parameter
  const bool labels = nn::target_kind(loss) == nn::TargetKind::labels;
  return labels ? LearningTask::classification : LearningTask::regression;
}

/// The task that the file implies so far, and the value that implied it.
class Implied {
 public:
  void add(std::optional<LearningTask> task, Position at, const std::string& name) {
    if (!task) return;
    if (!found_) {
      found_ = {*task, at, name};
    } else if (*task != found_->task) {
      throw StudyError(at,
                       base::cat(name, " is for ", to_word(*task), ", but ", found_->by, " is for ",
                                 to_word(found_->task), "; both must be for the same task"));
    }
  }
  [[nodiscard]] std::optional<ImpliedTask> found() const { return found_; }

 private:
  std::optional<ImpliedTask> found_;
};

void choose_folds(StudySpec& study, std::int64_t rows) {
  if (study.data.folds != 0) return;
  const bool ordered = !study.data.split.group.empty() || !study.data.split.time.empty();
  const bool few = rows >= kFewestToFold && rows <= kMostToFold;
  study.data.folds = few && !ordered ? std::optional(kFolds) : std::nullopt;
}

}  // namespace

std::optional<ImpliedTask> implied_task(const StudySpec& study) {
  Implied implied;
  const Places& places = *study.places;
  if (study.data.task != LearningTask::guess)
    implied.add(study.data.task, places.at("data.task"), "data.task");
  if (study.data.idx) implied.add(LearningTask::classification, places.at("data.idx"), "data.idx");
  // A loss that the file leaves out follows from the others.
  const auto loss = task_of_loss(study);
  const bool written = places.has("train.loss");
  if (written) implied.add(loss, places.at("train.loss"), "train.loss");
  const std::vector<Metric> metrics = metrics_of(study);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const std::string& name = metrics[i].name;
    implied.add(task_of_metric(name), place_of_metric(study, i, "name"), "metric " + name);
  }
  for (const Bound& bound : study.subject_to)
    implied.add(task_of_metric(bound.metric), places.at("subject_to." + bound.metric),
                "subject_to " + bound.metric);
  if (!written) implied.add(loss, places.at("train.loss"), "train.loss");
  return implied.found();
}

bool needs_the_target(const StudySpec& study, LearningTask task) {
  return task == LearningTask::classification && study.data.task == LearningTask::guess &&
         !study.data.idx;
}

void check_task(const StudySpec& study, LearningTask task) {
  const auto implied = implied_task(study);
  if (!implied || implied->task == task) return;
  const bool numbers = task == LearningTask::regression;
  throw StudyError(
      implied->at,
      base::cat(implied->by, " is for ", numbers ? "classification" : "regression",
                ", but the target holds ", numbers ? "numbers" : "classes",
                "; both must be for the same task",
                numbers ? "; data.task: classification makes a class of each number" : ""));
}

bool is_settled(const StudySpec& study) {
  const auto is_named = [](const Metric& metric) { return !metric.name.empty() && metric.goal; };
  return is_named(study.metric) && std::ranges::all_of(study.others, is_named) &&
         study.data.folds != 0 && study.data.task != LearningTask::guess && study.train.loss;
}

void add_goal_defaults(StudySpec& study, LearningTask task) {
  const bool labels = task == LearningTask::classification;
  if (!study.train.loss) {
    const Field& row = *study_block().find("train")->find("loss");
    const Node name = plain_node(labels ? "cross_entropy" : "mse", study.places->at("train"));
    study.train.loss = Tree(Checker::of_values().check(name, row, row.path), row);
  }
  // A mean of errors in different units is that of the target with the largest one.
  const bool several = study.data.target.size() > 1;
  const char* measured = labels ? "valid.accuracy" : several ? "valid.r2" : "valid.rmse";
  if (study.metric.name.empty() && study.others.empty()) study.metric.name = measured;
  const auto add_goal = [](Metric& metric) {
    if (!metric.goal && !metric.name.empty())
      metric.goal = is_maximized(metric.name) ? Goal::maximize : Goal::minimize;
  };
  add_goal(study.metric);
  std::ranges::for_each(study.others, add_goal);
  (void)implied_task(study);
}

}  // namespace study

StudySpec settle(const StudySpec& study, const DataInfo& data) {
  return study::with_place(study.file, [&] {
    study::check_task(study, data.task);
    StudySpec settled = study;
    if (const std::string metric = study::metric_for_rare(study, data); !metric.empty())
      settled.metric = {.name = metric, .goal = Goal::maximize, .take = study.metric.take};
    if (study::is_settled(settled)) return settled;
    if (settled.data.task == nn::LearningTask::guess) settled.data.task = data.task;
    study::add_goal_defaults(settled, data.task);
    study::choose_folds(settled, data.rows);
    study::derive(settled);
    return settled;
  });
}

}  // namespace hpo
