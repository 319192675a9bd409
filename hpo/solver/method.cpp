#include "hpo/solver/method.h"

#include <span>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/samplers/registry.h"
#include "hpo/stopping/registry.h"

namespace hpo {

namespace {

[[noreturn]] void refuse(std::string_view what, const std::string& name,
                         std::span<const base::KindInfo> known) {
  std::vector<std::string> words;
  for (const base::KindInfo& kind : known) words.push_back(kind.kind);
  throw base::Error(base::Errc::usage, base::cat("no ", what, " is called '", base::printable(name),
                                                 "'", base::expected_one_of(words, name)));
}

Params defaults(const base::KindInfo& kind, std::string_view what) {
  for (const base::FieldInfo& option : kind.fields) {
    if (!option.value)
      throw base::Error(base::Errc::usage, base::cat(what, " ", kind.kind, " needs ", option.name,
                                                     " and can only be used in a study file"));
  }
  return options_of(kind);
}

Params sampler_options(const SolverMethod& method) {
  const SamplerKind* kind = find_sampler_kind(method.sampler);
  if (kind == nullptr) refuse("method", method.sampler, sampler_kinds());
  return defaults(kind->info, "method");
}

Params rule_options(const SolverMethod& method) {
  const StoppingKind* kind = find_stopping_kind(method.rule);
  if (kind == nullptr) refuse("stopping rule", method.rule, stopping_kinds());
  if (kind->combines)
    throw base::Error(base::Errc::usage, base::cat("stopping rule ", method.rule,
                                                   " is made from others and can only be used in a "
                                                   "study file"));
  return defaults(kind->info, "stopping rule");
}

void check_metrics(std::size_t metrics, const SolverMethod& method) {
  if (metrics == 1) return;
  if (!searches_several(method.sampler)) {
    throw base::Error(
        base::Errc::usage,
        base::cat("the problem has ", metrics, " values, but method ", method.sampler,
                  " needs a single one; use one of ", base::listed(kinds_for_several())));
  }
  if (method.rule != "none")
    throw base::Error(base::Errc::usage,
                      base::cat("the problem has ", metrics, " values, but rule ", method.rule,
                                " looks at a single one; use rule none"));
}

}  // namespace

void check_method(const SolverMethod& method) {
  (void)sampler_options(method);
  (void)rule_options(method);
  if (is_population(method.sampler))
    throw base::Error(base::Errc::usage,
                      base::cat("method ", method.sampler,
                                " cannot be used here, because it copies networks between "
                                "trials"));
}

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

}  // namespace hpo
