#pragma once
// Tasks that judge a study's result: gradient-boosted trees as an opponent, the difference of two
// predictors on the same rows, and the error of one score.

#include <string>
#include <utility>
#include <vector>

#include "nn/data/dataset.h"
#include "nn/evaluation/answers.h"
#include "nn/evaluation/boosted_trees.h"
#include "nn/evaluation/calibration.h"
#include "nn/evaluation/difference.h"
#include "nn/training/hyper.h"
#include "nn/training/train.h"
#include "runtime/resources.h"
#include "runtime/value.h"

namespace tasks {

/// Compares the answers of two predictors to one part of the data (nn/evaluation/difference.h) by a
/// metric named as in nn::measure(). `loss` is what the metric "loss" means.
[[nodiscard]] rt::Value<nn::Difference> compare(const rt::Value<nn::Answers>& first,
                                                const rt::Value<nn::Answers>& second,
                                                const rt::Value<nn::Dataset>& data, nn::Part part,
                                                const std::string& metric, const nn::Choice& loss);

/// Returns the metric of one predictor's answers and its standard error.
[[nodiscard]] rt::Value<nn::Estimate> estimate(const rt::Value<nn::Answers>& answers,
                                               const rt::Value<nn::Dataset>& data, nn::Part part,
                                               const std::string& metric, const nn::Choice& loss);

/// Puts the classes of one part beside the answers to it, and the answers to two parts together.
[[nodiscard]] rt::Value<nn::LabelledAnswers> labelled(const rt::Value<nn::Answers>& answers,
                                                      const rt::Value<nn::Dataset>& data,
                                                      nn::Part part);
[[nodiscard]] rt::Value<nn::LabelledAnswers> joined(const rt::Value<nn::LabelledAnswers>& first,
                                                    const rt::Value<nn::LabelledAnswers>& second);

/// Fits the calibration of a network of classes (nn/evaluation/calibration.h), with a threshold
/// chosen by `metric`.
[[nodiscard]] rt::Value<nn::Calibration> calibrate(const rt::Value<nn::LabelledAnswers>& answered,
                                                   const std::string& metric);

/// Returns nn::calibration_figures() of answers to one part.
using Figures = std::vector<std::pair<std::string, double>>;
[[nodiscard]] rt::Value<Figures> calibration_figures(const rt::Value<nn::Answers>& answers,
                                                     const rt::Value<nn::Dataset>& data,
                                                     nn::Part part,
                                                     const nn::Calibration& calibration);

/// Seconds for which trees were fitted in this process.
[[nodiscard]] double tree_seconds() noexcept;

/// Fits trees. The library's version is part of the call's key. The task fails where that library
/// is not installed, which may be another machine.
[[nodiscard]] rt::Value<nn::BoostedTrees> fit_trees(
    const rt::Value<nn::Dataset>& data, const nn::TreeSize& size, rt::Flops cost,
    const std::string& library = nn::trees_library());

[[nodiscard]] rt::Value<nn::Answers> answers(const rt::Value<nn::BoostedTrees>& trees,
                                             const rt::Value<nn::Dataset>& data, nn::Part part);

/// Scores answers to one part of the data.
[[nodiscard]] rt::Value<nn::Scores> score_answers(const rt::Value<nn::Answers>& answers,
                                                  const rt::Value<nn::Dataset>& data, nn::Part part,
                                                  const nn::Choice& loss);

}  // namespace tasks
