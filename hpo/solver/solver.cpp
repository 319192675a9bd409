#include "hpo/solver/solver.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/samplers/registry.h"
#include "hpo/stopping/registry.h"

namespace hpo {

namespace {

const KindInfo& find_kind(std::span<const KindInfo> kinds, const std::string& name,
                          std::string_view what) {
  const auto found = std::ranges::find(kinds, name, &KindInfo::name);
  if (found != kinds.end()) return *found;
  std::vector<std::string> words;
  for (const KindInfo& kind : kinds) words.push_back(kind.name);
  throw base::Error(base::Errc::usage, base::cat("no ", what, " is called '", base::printable(name),
                                                 "'", base::expected_one_of(words, name)));
}

Params defaults(const KindInfo& kind, std::string_view what) {
  Params options;
  for (const Option& option : kind.options) {
    if (!option.default_value)
      throw base::Error(base::Errc::usage, base::cat(what, " ", kind.name, " needs ", option.name,
                                                     " and can only be used in a study file"));
    options.set(option.name, *option.default_value);
  }
  return options;
}

Params sampler_options(const SolverMethod& method) {
  return defaults(find_kind(sampler_kinds(), method.sampler, "method"), "method");
}

Params rule_options(const SolverMethod& method) {
  const KindInfo& kind = find_kind(stopping_kinds(), method.rule, "stopping rule");
  if (kind.combines)
    throw base::Error(base::Errc::usage, base::cat("stopping rule ", kind.name,
                                                   " is made from others and can only be used in a "
                                                   "study file"));
  return defaults(kind, "stopping rule");
}

void check_metrics(std::size_t metrics, const SolverMethod& method) {
  if (metrics == 1) return;
  if (!searches_several(method.sampler)) {
    std::string able;
    for (const std::string& kind : kinds_for_several()) able += (able.empty() ? "" : ", ") + kind;
    throw base::Error(base::Errc::usage,
                      base::cat("the problem has ", metrics, " values, but method ", method.sampler,
                                " searches for one, expected one of ", able));
  }
  if (method.rule != "none")
    throw base::Error(base::Errc::usage,
                      base::cat("the problem has ", metrics, " values, of which rule ", method.rule,
                                " could look at one alone, expected none"));
}

/// Throws what the constructor of Solver does.
StudySpec study_of(const SolverProblem& problem, std::uint64_t seed, const SolverMethod& method) {
  check_method(method);
  StudySpec study;
  study.seed = seed;
  study.space = problem.space;
  study.method = {method.sampler, sampler_options(method)};
  study.early_stop = {method.rule, rule_options(method)};
  if (const std::string reason =
          sampler_refuses(method.sampler, problem.space, study.method.options);
      !reason.empty())
    throw base::Error(base::Errc::usage, reason);
  check_metrics(problem.metrics, method);
  study.metric.name = "value";
  for (std::size_t i = 1; i < problem.metrics; ++i)
    study.others.push_back({.name = base::cat("value ", i)});
  study.max_epochs = problem.steps;
  study.runs_command = true;
  return study;
}

}  // namespace

void check_method(const SolverMethod& method) {
  (void)sampler_options(method);
  (void)rule_options(method);
  if (is_population(method.sampler))
    throw base::Error(base::Errc::usage,
                      base::cat("method ", method.sampler,
                                " copies networks between trials, which nobody who "
                                "evaluates them elsewhere could follow"));
}

Solver::Solver(SolverProblem problem, std::uint64_t seed, const SolverMethod& method)
    : problem_(std::move(problem)),
      study_(study_of(problem_, seed, method)),
      machine_({.study = study_, .endless = true}) {}

SolverWork Solver::ask(std::uint64_t next_trial) {
  while (const auto given_up = machine_.next(machine_.running())) {
    if (std::holds_alternative<Ended>(given_up->event)) {
      end(*given_up->trial, TrialState::stopped);
    } else {
      machine_.apply(given_up->trial, given_up->event);
      going_on_.push_back(*given_up->trial);
    }
  }
  if (!stopped_.empty()) {
    const std::size_t trial = stopped_.front();
    stopped_.pop_front();
    return forget(trial);
  }
  if (!going_on_.empty()) {
    const std::size_t trial = going_on_.front();
    going_on_.pop_front();
    return work_on(trial);
  }
  const auto next = machine_.next(machine_.running() + 1);
  if (next && std::holds_alternative<Resumed>(next->event)) {
    machine_.apply(next->trial, next->event);
    return work_on(*next->trial);
  }
  if (numbers_.contains(next_trial))
    throw base::Error(base::Errc::usage, base::cat("trial ", next_trial, " exists already"));
  return begin(next_trial, next ? std::get<Created>(next->event) : next_again());
}

SolverWork Solver::begin(std::uint64_t name, Created created) {
  const std::uint64_t number = trials_.size();
  machine_.apply(number, created);
  trials_.push_back({.name = name, .params = std::move(created.params)});
  numbers_.emplace(name, number);
  SolverWork work = work_on(number);
  work.fresh = true;
  return work;
}

Created Solver::next_again() {
  if (trials_.empty()) throw base::Error(base::Errc::usage, "the space has no point");
  // The trial that gets it is one more at the end of the same list.
  return {.params = trials_[again_++].params};
}

SolverWork Solver::work_on(std::size_t number) {
  Trial& trial = trials_[number];
  if (trial.step >= trial.asked) {
    const auto decides = [&](std::int64_t step) {
      return machine_.search().decides(trial.step, Reported{.step = step});
    };
    trial.asked = trial.step + 1;
    while (trial.asked < problem_.steps && !decides(trial.asked)) ++trial.asked;
  }
  trial.open = true;
  return {.trial = trial.name, .params = problem_.written(trial.params), .next_step = trial.asked};
}

SolverWork Solver::forget(std::size_t number) const {
  const Trial& trial = trials_[number];
  return {.trial = trial.name, .params = problem_.written(trial.params), .next_step = {}};
}

void Solver::tell(std::uint64_t name, const std::vector<double>& values, std::int64_t step) {
  const auto found = numbers_.find(name);
  if (found == numbers_.end() || !trials_[found->second].open)
    throw base::Error(base::Errc::usage, base::cat("nobody was asked to evaluate trial ", name));
  const std::size_t number = found->second;
  Trial& trial = trials_[number];
  if (!values.empty() && values.size() != problem_.metrics)
    throw base::Error(base::Errc::usage, base::cat("the trial has ", values.size(),
                                                   " values, expected ", problem_.metrics));
  if (step > problem_.steps)
    throw base::Error(base::Errc::usage, base::cat("trial ", name, " is told at step ", step,
                                                   ", expected one up to ", problem_.steps));
  if (!values.empty() && step <= trial.step)
    throw base::Error(base::Errc::usage, base::cat("trial ", name, " is told at step ", step,
                                                   ", but was at ", trial.step, " already"));
  trial.open = false;
  if (values.empty()) return end(number, TrialState::failed);
  trial.step = step;
  Reported report{.step = step, .epochs = step, .value = values[0]};
  for (std::size_t i = 1; i < values.size(); ++i)
    report.metrics.emplace_back(study_.others[i - 1].name, values[i]);
  report.over = step >= problem_.steps;
  report.unseen = step < trial.asked;
  report.word = machine_.answer(number, report);
  machine_.apply(number, report);
  if (report.over) return end(number, TrialState::complete);
  if (report.word == Word::stop) return end(number, TrialState::stopped);
  if (report.word == Word::go) going_on_.push_back(number);
}

void Solver::end(std::size_t number, TrialState state) {
  if (state == TrialState::stopped) stopped_.push_back(number);
  machine_.apply(number, Ended{.state = state});
}

}  // namespace hpo
