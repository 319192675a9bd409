#pragma once
// The card of a model: a page in Markdown beside the model's file that says what it is, what it is
// worth and how to repeat it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpo/driver/networks/judging.h"
#include "hpo/log/baseline_rows.h"
#include "hpo/log/verdict.h"
#include "hpo/study/spec.h"
#include "nn/evaluation/difference.h"

namespace hpo {

struct CardFacts {
  std::string model_file;  ///< its name alone
  std::string arithmetic;  ///< tasks::arithmetic()
  Metrics tested;          ///< as trials report the test part
  /// Of the same metrics where they have one.
  std::vector<std::pair<std::string, nn::Estimate>> intervals;
  std::vector<BaselineRow> baselines;
  std::optional<Verdict> verdict;
};

/// Writes the page. A pure function of the arguments: no clock, no folder and no machine is in it.
[[nodiscard]] std::string model_card(const StudySpec& study, const Winner& winner,
                                     const CardFacts& facts);

/// "best.md" for "best.safetensors".
[[nodiscard]] std::string card_file(const std::string& model_file);

}  // namespace hpo
