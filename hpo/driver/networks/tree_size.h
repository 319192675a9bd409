#pragma once
// How large the trees are that a study's network is compared with.

#include <cstdint>
#include <optional>
#include <string>

#include "hpo/driver/networks/loaded_study.h"
#include "nn/evaluation/boosted_trees.h"

namespace hpo {

/// The trees of a study, or why it has none.
struct TreePlan {
  std::optional<nn::TreeSize> size = {};
  double share = 0;         ///< their counted work as a part of the study's
  std::string reason = "";  ///< without a size: why, a few words
};

/// Chooses the size of trees whose counted work is a tenth of the study's at most. More work buys
/// rounds. Less takes rows away from each tree, then inputs and then rows from all of them, but
/// leaves nn::kLeastTrees, kRowShare, kFewestColumns and kFewestRows.
[[nodiscard]] TreePlan tree_plan(const nn::TreeTable& table, double study_flops);

/// The trees of a study whose trials all train as long as the middle of its space, or a third of
/// that where a rule stops them.
[[nodiscard]] TreePlan trees_of_sweep(const LoadedStudy& loaded);

/// The trees of a single training; none if they would take longer than it.
[[nodiscard]] TreePlan trees_of_training(const LoadedStudy& loaded);

/// Writes a share above 1 for people: "41.4 times", "910 times".
[[nodiscard]] std::string times_text(double share);

inline constexpr double kTreeShare = 0.1;
inline constexpr std::int64_t kMostRounds = 300;
inline constexpr std::uint64_t kFewestRows = 4000;
inline constexpr double kRowShare = 0.5;
inline constexpr std::uint64_t kFewestColumns = 500;

}  // namespace hpo
