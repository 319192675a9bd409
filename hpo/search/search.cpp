#include "hpo/search/search.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"
#include "hpo/log/metrics.h"
#include "hpo/samplers/registry.h"
#include "hpo/space/fill.h"
#include "hpo/space/random.h"
#include "hpo/stopping/registry.h"

namespace hpo {

namespace {

/// A rule compares losses alone: of trials that break bounds it sees one that no trial without has.
double loss_for_rule(const Score& score, std::size_t metric) {
  constexpr double kBeyond = 1e300;
  const double loss = metric == 0 ? score.loss : score.others.at(metric - 1);
  return score.feasible() ? loss : kBeyond * (2 - 1 / (1 + score.violation));
}

const Metric& rule_metric(const StudySpec& study) {
  return study.early_stop_metric == 0 ? study.metric : study.others.at(study.early_stop_metric - 1);
}

}  // namespace

Objective objective_of(const StudySpec& study) {
  Objective objective{.maximize = study.metric.goal == Goal::maximize,
                      .take_best = study.metric.take == Take::best,
                      .reference = study.metric.reference,
                      .others = {},
                      .subject_to = study.subject_to};
  for (const Metric& metric : study.others)
    objective.others.push_back({metric.name, metric.goal == Goal::maximize, metric.reference});
  return objective;
}

bool counts_epochs(const StudySpec& study) {
  const Unit unit = study.early_stop_unit;
  return unit == Unit::epochs || (unit == Unit::steps && study.numbers_steps());
}

std::unique_ptr<StoppingRule> rule_of(const StudySpec& study) {
  const bool known = counts_epochs(study);
  return make_stopping_rule(
      study.early_stop.kind,
      {.max_step = known ? study.max_epochs : std::numeric_limits<std::int64_t>::max(),
       .options = study.early_stop.options,
       .maximize = rule_metric(study).goal == Goal::maximize,
       .of = study.early_stop.of});
}

Search::Search(const StudySpec& study, const std::vector<Known>& known, const Around& around)
    : study_(study),
      unit_(counts_epochs(study) ? Unit::epochs : study.early_stop_unit),
      objective_(objective_of(study)),
      sampler_(make_sampler(study.method.kind, {.space = study.space,
                                                .seed = study.seed,
                                                .options = study.method.options,
                                                .max_step = study.max_epochs,
                                                .explorable = study.explorable,
                                                .reshapes = study.reshape.size(),
                                                .metrics = 1 + study.others.size()})),
      rule_(rule_of(study)) {
  if (!sampler_)
    throw base::Error(base::Errc::internal, base::cat("no sampler is called ", study.method.kind));
  if (!rule_)
    throw base::Error(base::Errc::internal,
                      base::cat("no stopping rule is called ", study.early_stop.kind));
  if (around) sampler_ = around(std::move(sampler_));
  tell_known(known);
}

/// Where a trial failed is not known. A search that ends with its last point tries such a point
/// again, so its sampler does not hear of it.
void Search::tell_known(const std::vector<Known>& known) {
  const auto has_failed = [](const Known& trial) { return trial.state == TrialState::failed; };
  const bool ends = std::ranges::any_of(known, has_failed) && study_.space.grid_size();
  for (const Known& trial : known) {
    if (ends && has_failed(trial)) continue;
    sampler_->created(known_, trial.params);
    if (trial.value)
      sampler_->reported(known_, trial.step, objective_.score(*trial.value, trial.metrics));
    sampler_->ended(known_, trial.state);
    ++known_;
  }
}

std::vector<Resumption> Search::resumptions() const {
  std::vector<Resumption> all = sampler_->decide();
  for (Resumption& one : all) {
    one.trial -= known_;
    if (one.source) *one.source -= known_;
  }
  return all;
}

std::optional<Params> Search::propose() {
  std::optional<Params> proposal = sampler_->propose(created_);
  if (created_ >= study_.try_first.size()) return proposal;
  const Params& given = study_.try_first[created_];
  const Space& space = study_.space;
  Stream stream(study_.seed, "try first", created_);
  Filled point = filled(space, given, proposal.value_or(space.middle()), stream);
  if (!point.point) point = filled(space, given);
  return point.point ? point.point : proposal;
}

std::string Search::why_exhausted() const {
  return study_.space.forbidden().empty() || study_.space.grid_size()
             ? "every point of the space was tried"
             : "the sampler finds no point that forbid leaves";
}

std::int64_t Search::progress(const Reported& report) const {
  if (unit_ == Unit::epochs) return report.step;
  constexpr double kMost = 9e18;
  const double used = unit_ == Unit::flops ? report.flops : report.used;
  return static_cast<std::int64_t>(std::min(used, kMost));
}

Decision Search::decision_on(std::uint64_t trial, const Reported& report) {
  // A rule that counts anything but epochs does not know where a trial ends.
  if (!study_.numbers_steps() && unit_ != Unit::epochs && report.epochs >= study_.max_epochs)
    return Decision::go;
  const bool sees = study_.early_stop_metric == 0 ||
                    find_metric(report.metrics, rule_metric(study_).name) != nullptr;
  if (!sees) return pauses(report.step) ? Decision::pause : Decision::go;
  const Decision decision = rule_->reported(
      trial, progress(report),
      loss_for_rule(objective_.score(report.value, report.metrics), study_.early_stop_metric));
  return decision == Decision::go && pauses(report.step) ? Decision::pause : decision;
}

Score Search::score_so_far(std::uint64_t trial, const Reported& report) {
  Score score = objective_.score(report.value, report.metrics);
  if (!objective_.take_best) return score;
  const auto [at, is_first] = best_.try_emplace(trial, score);
  if (!is_first && is_better(score, at->second)) at->second = std::move(score);
  return at->second;
}

void Search::tell(std::uint64_t trial, const EventBody& event) {
  if (const auto* created = std::get_if<Created>(&event)) {
    sampler_->created(known_ + trial, created->params);
    ++created_;
  } else if (const auto* report = std::get_if<Reported>(&event)) {
    sampler_->reported(known_ + trial, report->step, score_so_far(trial, *report));
    if (report->decision == Decision::pause) sampler_->paused(known_ + trial);
  } else if (const auto* replaced = std::get_if<Replaced>(&event)) {
    sampler_->replaced(known_ + trial, replaced->params);
  } else if (std::holds_alternative<Reopened>(event)) {
    sampler_->reopened(known_ + trial);
    rule_->reopened(trial);
    reopened_.insert(trial);
  } else if (std::holds_alternative<Resumed>(event)) {
    if (reopened_.erase(trial) > 0) return;
    sampler_->resumed(known_ + trial);
    rule_->resumed(trial);
  } else if (const auto* end = std::get_if<Ended>(&event)) {
    sampler_->ended(known_ + trial, end->state);
    rule_->ended(trial, end->state);
    reopened_.erase(trial);
    if (end->state != TrialState::failed) best_.erase(trial);
  }
}

}  // namespace hpo
