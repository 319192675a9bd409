// The members of a study that follow from its rows, and what rows say about each other.

#include <algorithm>
#include <limits>
#include <string>

#include "base/text.h"
#include "base/words.h"
#include "hpo/samplers/grid.h"
#include "hpo/samplers/registry.h"
#include "hpo/study/asked.h"
#include "hpo/study/checker.h"
#include "hpo/study/command.h"
#include "hpo/study/goals.h"
#include "hpo/study/gpus.h"
#include "hpo/study/lateness.h"
#include "hpo/study/load_steps.h"
#include "hpo/study/places.h"
#include "hpo/study/points.h"
#include "hpo/study/population.h"
#include "hpo/study/rate_rule.h"
#include "hpo/study/stopping.h"
#include "hpo/study/substitute.h"

namespace hpo::study {

namespace {

std::int64_t most_epochs(const StudySpec& study) {
  if (study.numbers_steps())
    return step_of_end(study).value_or(std::numeric_limits<std::int64_t>::max());
  const Expr<std::int64_t>& epochs = study.train.epochs;
  if (!epochs.varies()) return epochs.value();
  const References found = references(epochs.tree().node());
  if (!found.whole)
    throw StudyError(epochs.tree().node().at,
                     "train.epochs mixes text with a parameter, expected an int or one $name");
  double most = 0;
  for (const ParamValue& value : samples(study.space.find(found.names[0])->domain))
    most = std::max(most, number_of(value).value());
  return static_cast<std::int64_t>(most);
}

void check_split(const StudySpec& study) {
  const SplitRows& split = study.data.split;
  if (study.data.source() == "idx" || split.valid + split.test < 1) return;
  throw StudyError(study.places->at("data.split.test"),
                   "data.split.valid and data.split.test take all rows, expected a sum below 1");
}

/// A network that is copied from another one goes on with the rows of that one.
void check_folds(const StudySpec& study) {
  if (!study.data.folds || !is_population(study.method.kind)) return;
  throw StudyError(study.places->at("data.folds"),
                   base::cat("data.folds cannot be used with method ", study.method.kind,
                             ", whose trials copy networks from each other and must keep the same "
                             "training rows; remove data.folds or choose another method"));
}

void check_rates(const StudySpec& study) {
  const Node* lr = study.train.optimizer.node().find("lr");
  if (lr == nullptr || !lr->is_list() || !study.train.schedule) return;
  throw StudyError(
      study.places->at("train.schedule"),
      "train.schedule cannot be used with an optimizer.lr that changes by epochs; remove one of "
      "the two");
}

/// A search that is played through, run or asked to its end has one in sight.
void check_grid(const StudySpec& study) {
  if (study.method.kind != "grid" || study.limits.trials) return;
  const std::uint64_t points = study.space.grid_size().value();
  if (points > kMostGridPoints)
    throw StudyError(study.places->at("method"),
                     base::cat("this grid has ", base::grouped(points),
                               " points, expected at most ", base::grouped(kMostGridPoints),
                               "; or set limits.trials to try only some of them"));
}

void check_name(const StudySpec& study) {
  if (is_study_name(study.name)) return;
  throw StudyError(study.places->at("name"),
                   base::cat("name is ", describe(string_node(study.name, {})),
                             ", expected 1 to 64 letters, digits, dots, underscores and dashes, "
                             "beginning with a letter, digit or underscore"));
}

void check_slots(const StudySpec& study) {
  if (study.order == Order::arrival || study.parallel != 0) return;
  throw StudyError(
      study.places->at("parallel"),
      "parallel: auto cannot be used with order: virtual, whose search must not depend "
      "on the machine; use a number");
}

void check_method(const StudySpec& study) {
  const std::string refusal = sampler_refuses(study.method.kind, study.space, study.method.options);
  if (!refusal.empty()) throw StudyError(study.places->at("method"), refusal);
  check_grid(study);
}

}  // namespace

void derive(StudySpec& study) {
  check_name(study);
  check_goals(study);
  if (study.try_first_tree) study.try_first = read_points(study.try_first_tree.node(), study.space);
  study.method = read_chosen(study.method_tree.node(), sampler_kinds());
  read_stopping(study);
  study.max_epochs = most_epochs(study);
  check_slots(study);
  if (study.is_asked)
    check_asked(study);
  else if (study.runs_command)
    check_command(study);
  else
    check_parts(study);
  if (!study.numbers_steps()) {
    check_split(study);
    check_rates(study);
    check_rate_rule(study);
    check_lateness(study);
    check_folds(study);
    check_precision(study);
  }
  check_threshold(study);
  check_stopping(study);
  read_population(study);
  check_method(study);
}

}  // namespace hpo::study
