#pragma once
// The judgement of a study's network on the test part, which neither the search nor a baseline has
// seen.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpo/driver/networks/baselines.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/driver/networks/trial_plan.h"
#include "hpo/log/calibration.h"
#include "hpo/log/trial_table.h"
#include "hpo/log/verdict.h"
#include "hpo/study/spec.h"
#include "nn/evaluation/answers.h"
#include "nn/evaluation/calibration.h"
#include "nn/evaluation/difference.h"
#include "nn/model/slab.h"
#include "runtime/async.h"
#include "runtime/value.h"

namespace hpo {

/// The network that a study ends with, and the trial that it comes from.
struct Winner {
  rt::Value<nn::ParamSlab> net;
  nn::ModelSpec model;
  PlanPtr plan;
  const StudyData* data = nullptr;  ///< that it was trained on and is written with
  TrialRow trial;
  rt::Value<nn::Answers> validated = {}, tested = {};  ///< to these parts; see answer_unseen()
  std::optional<nn::Calibration> calibration = {};     ///< none: there is nothing to fit it to
};

/// Answers the validation and the test part once for all that asks about them: the answers are in
/// no store.
void answer_unseen(Winner& winner);

/// Returns the metric that the winner was chosen by, without its part. A study that looks at no
/// score of the validation part is judged by a usual one.
[[nodiscard]] std::string judged_metric(const StudySpec& study, nn::LearningTask task);

/// Fits the winner's calibration to the validation part, if it has one and nobody else did. Returns
/// it with what it comes to on the test part; nothing if there is nothing to fit it to. After
/// answer_unseen(). The arguments outlive the coroutine.
[[nodiscard]] rt::Async<std::optional<Calibrated>> calibrate(const StudySpec& study,
                                                             Winner& winner);

/// A metric as trials report it, "test.accuracy", and how sure it is.
using NamedEstimate = std::pair<std::string, nn::Estimate>;

/// Estimates the metrics of the winner on the test part, those of single targets left out. None
/// without such a part. After answer_unseen(); `winner` outlives the coroutine.
[[nodiscard]] rt::Async<std::vector<NamedEstimate>> estimates_of(const Winner& winner);

/// Returns how many weights the network of a trial has.
using WeightsOf = std::function<std::uint64_t(const TrialRow& trial)>;

/// Compares the winner with the baseline that is best on the validation part, on the test part and
/// by the study's first metric of a part. After answer_unseen(). A pure function of networks, data
/// and `trials`. What is passed by reference outlives the coroutine.
[[nodiscard]] rt::Async<Verdict> judge(const StudySpec& study, Winner winner,
                                       const Baselines& baselines, const TrialTable& trials,
                                       WeightsOf weights_of);

}  // namespace hpo
