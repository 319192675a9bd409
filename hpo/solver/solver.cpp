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
    : problem_(std::move(problem)) {
  check_method(method);
  const Params options = sampler_options(method);
  if (const std::string reason = sampler_refuses(method.sampler, problem_.space, options);
      !reason.empty()) {
    throw base::Error(base::Errc::usage, reason);
  }
  check_metrics(problem_.metrics, method);
  sampler_ = make_sampler(method.sampler, {.space = problem_.space,
                                           .seed = seed,
                                           .options = options,
                                           .max_step = problem_.steps,
                                           .metrics = problem_.metrics});
  rule_ = make_stopping_rule(method.rule,
                             {.max_step = problem_.steps, .options = rule_options(method)});
}

SolverWork Solver::ask(std::uint64_t next_trial) {
  for (const std::uint64_t trial : rule_->gives_up()) end(trial, TrialState::stopped);
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
  if (const auto promoted = rule_->promotes(false)) return resume(*promoted);
  if (numbers_.contains(next_trial))
    throw base::Error(base::Errc::usage, base::cat("trial ", next_trial, " exists already"));
  const std::uint64_t number = trials_.size();
  std::optional<Params> params;
  if (!exhausted_) params = sampler_->propose(number);
  exhausted_ = !params;
  if (exhausted_) {
    const bool last = std::ranges::none_of(trials_, &Trial::open);
    if (const auto promoted = rule_->promotes(last)) return resume(*promoted);
    params = next_again();
  }
  sampler_->created(number, *params);
  trials_.push_back({.name = next_trial, .params = std::move(*params)});
  numbers_.emplace(next_trial, number);
  SolverWork work = work_on(number);
  work.fresh = true;
  return work;
}

Params Solver::next_again() {
  if (trials_.empty()) throw base::Error(base::Errc::usage, "the space has no point");
  // The trial that gets it is one more at the end of the same list.
  return trials_[again_++].params;
}

SolverWork Solver::resume(std::size_t number) {
  rule_->resumed(number);
  sampler_->resumed(number);
  return work_on(number);
}

SolverWork Solver::work_on(std::size_t number) {
  Trial& trial = trials_[number];
  if (trial.step >= trial.asked) {
    trial.asked = trial.step + 1;
    while (trial.asked < problem_.steps && !rule_->decides(trial.step, trial.asked)) ++trial.asked;
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
  const Word word = step >= trial.asked ? rule_->reported(number, step, values[0]) : Word::go;
  sampler_->reported(number, step, Score(values[0], 0, {values.begin() + 1, values.end()}));
  if (step >= problem_.steps) return end(number, TrialState::complete);
  if (word == Word::stop) return end(number, TrialState::stopped);
  if (word == Word::go) return going_on_.push_back(number);
  sampler_->paused(number);
}

void Solver::end(std::size_t number, TrialState state) {
  if (state == TrialState::stopped) stopped_.push_back(number);
  sampler_->ended(number, state);
  rule_->ended(number, state);
}

}  // namespace hpo
