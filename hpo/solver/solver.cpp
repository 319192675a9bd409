#include "hpo/solver/solver.h"

#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace hpo {

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
    throw base::Error(base::Errc::usage, base::cat("trial ", name, " is not being evaluated"));
  const std::size_t number = found->second;
  Trial& trial = trials_[number];
  if (!values.empty() && values.size() != problem_.metrics)
    throw base::Error(base::Errc::usage, base::cat("the trial has ", values.size(),
                                                   " values, expected ", problem_.metrics));
  if (step > problem_.steps)
    throw base::Error(base::Errc::usage, base::cat("trial ", name, " is told at step ", step,
                                                   ", expected at most ", problem_.steps));
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
  report.decision = machine_.answer(number, report);
  machine_.apply(number, report);
  if (report.over) return end(number, TrialState::complete);
  if (report.decision == Decision::stop) return end(number, TrialState::stopped);
  if (report.decision == Decision::go) going_on_.push_back(number);
}

void Solver::end(std::size_t number, TrialState state) {
  if (state == TrialState::stopped) stopped_.push_back(number);
  machine_.apply(number, Ended{.state = state});
}

}  // namespace hpo
