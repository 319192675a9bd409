#include "hpo/driver/search.h"

#include "hpo/samplers/registry.h"
#include "hpo/stopping/registry.h"
#include "runtime/base/text.h"

namespace hpo {

Objective objective_of(const StudySpec& study) {
  return {.maximize = study.metric.goal == Goal::maximize,
          .take_best = study.metric.take == Take::best};
}

Search::Search(const StudySpec& study)
    : objective_(objective_of(study)),
      sampler_(make_sampler(study.method.kind, {study.space, study.seed, study.method.options})),
      rule_(
          make_stopping_rule(study.early_stop.kind, {study.max_epochs, study.early_stop.options})) {
  if (!sampler_)
    throw rt::Error(rt::Errc::internal, rt::cat("no sampler is called ", study.method.kind));
  if (!rule_)
    throw rt::Error(rt::Errc::internal,
                    rt::cat("no stopping rule is called ", study.early_stop.kind));
}

Word Search::word_on(std::uint64_t trial, const Reported& report) {
  return rule_->reported(trial, report.step, objective_.loss(report.value));
}

void Search::tell(std::uint64_t trial, const EventBody& event) {
  if (const auto* created = std::get_if<Created>(&event)) {
    sampler_->created(trial, created->params);
    ++created_;
  } else if (const auto* report = std::get_if<Reported>(&event)) {
    sampler_->reported(trial, report->step, objective_.loss(report->value));
  } else if (const auto* end = std::get_if<Ended>(&event)) {
    sampler_->ended(trial, end->state);
    rule_->ended(trial, end->state);
  }
}

}  // namespace hpo
