#include "hpo/study/rate_rule.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "hpo/study/binding.h"
#include "hpo/study/checker.h"
#include "hpo/study/load_steps.h"
#include "hpo/study/places.h"
#include "hpo/study/scalars.h"
#include "hpo/study/substitute.h"

namespace hpo::study {

namespace {

/// Goyal et al. 2017, section 2.1: k times the batch, k times the rate. Krizhevsky 2014, section 5:
/// the root of k keeps the variance of a step.
double factor_of(RateRule rule, double batches) {
  switch (rule) {
    case RateRule::none:
      break;
    case RateRule::linear:
      return batches;
    case RateRule::sqrt:
      return std::sqrt(batches);
  }
  return 1;
}

/// The numbers that an expression takes over the space; none where text stands around a parameter.
std::vector<double> numbers_of(const Expr<std::int64_t>& value, const Space& space) {
  if (!value.varies()) return {static_cast<double>(value.value())};
  const References found = references(value.tree().node());
  if (!found.whole) return {};
  std::vector<double> numbers;
  for (const ParamValue& sample : samples(space.find(found.names[0])->domain))
    numbers.push_back(number_of(sample).value());
  return numbers;
}

}  // namespace

bool begins_at_full_height(const TrainRows& train) {
  if (!train.schedule) return true;
  const Node& schedule = train.schedule.node();
  const std::string& kind = schedule.find("type")->text;
  if (kind == "constant") return true;
  if (kind != "cosine" && kind != "step") return false;
  const Node* warmup = schedule.find("warmup");
  return warmup == nullptr || (stands_for_itself(*warmup) && as_number(*warmup) == 0);
}

double rate_factor(const TrainRows& train, const Params& params) {
  if (!train.rate_rule || !train.base_batch) return 1;
  const RateRule rule = train.rate_rule->in(params).value_or(RateRule::none);
  const std::optional<std::int64_t> base = train.base_batch->in(params);
  const std::optional<std::int64_t> batch = train.batch.in(params);
  if (rule == RateRule::none || !base || !batch) return 1;
  return factor_of(rule, static_cast<double>(*batch) / static_cast<double>(*base));
}

void check_rate_rule(const StudySpec& study) {
  const TrainRows& train = study.train;
  if (train.rate_rule && !train.base_batch)
    throw StudyError(study.places->at("train.rate_rule"),
                     "train.rate_rule needs train.base_batch, the batch size that the optimizer's "
                     "lr is for");
  if (train.base_batch && !train.rate_rule)
    throw StudyError(study.places->at("train.base_batch"),
                     "train.base_batch needs train.rate_rule, linear or sqrt");
}

std::optional<std::string> note_on_rate_rule(const StudySpec& study) {
  const TrainRows& train = study.train;
  const bool linear =
      train.rate_rule && !train.rate_rule->varies() && train.rate_rule->value() == RateRule::linear;
  if (!linear || !begins_at_full_height(train)) return std::nullopt;
  const std::vector<double> batches = numbers_of(train.batch, study.space),
                            bases = numbers_of(*train.base_batch, study.space);
  if (batches.empty() || bases.empty()) return std::nullopt;
  const double most = *std::ranges::max_element(batches) / *std::ranges::min_element(bases);
  if (most <= 1) return std::nullopt;
  return base::cat("train.rate_rule: linear multiplies lr by up to ", base::with_digits(most, 3),
                   ", and a rate that begins so high tends to diverge; begin lower with "
                   "`schedule: {cosine: {warmup: 2}}` or `schedule: warmup`");
}

}  // namespace hpo::study
