#pragma once
// Gradient-boosted trees (Chen and Guestrin, "XGBoost: a scalable tree boosting system", KDD 2016),
// by the library XGBoost: the opponent that a network on a table has to beat.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nn/data/dataset.h"
#include "nn/evaluation/answers.h"

namespace nn {

inline constexpr std::string_view kBoostedTrees = "gradient-boosted trees";

/// The library that fits trees and its version, "xgboost 1.7.4"; empty if it is not installed.
[[nodiscard]] std::string trees_library();

/// The size of an ensemble. Encodable.
struct TreeSize {
  std::int64_t rounds = 100;  ///< at most; fewer where the validation rows ask for no more
  std::int64_t depth = 6;
  std::uint64_t rows = 0;  ///< of the training part; 0: all of them
  /// The share of these rows that each tree sees: Friedman, "Stochastic gradient boosting" (2002).
  double row_share = 1;
  /// Inputs that the trees see; 0: all of them. Those that say most about the target by themselves:
  /// by the part of its variance that a line explains, or of theirs that lies between the classes.
  std::uint64_t columns = 0;
  auto operator<=>(const TreeSize&) const = default;
};

/// The least size that is an opponent.
inline constexpr TreeSize kLeastTrees{};

/// What of a data set decides how long trees take.
struct TreeTable {
  std::uint64_t rows = 0;   ///< of the training part
  std::uint64_t cols = 0;   ///< inputs
  std::uint64_t bins = 0;   ///< of the histograms of all inputs together
  std::uint64_t trees = 1;  ///< a round
};
[[nodiscard]] TreeTable tree_table(const Dataset& data);

/// Returns the work of fitting, in the unit of nn::Flops: what a core does in the same time.
[[nodiscard]] double tree_flops(const TreeTable& table, const TreeSize& size);

/// A fitted ensemble: one booster for all classes, or one for each number to predict. Encodable.
struct BoostedTrees {
  std::vector<std::vector<std::uint8_t>> boosters;  ///< as the library saves them
  std::vector<std::int64_t> rounds;                 ///< of each
  std::vector<std::uint32_t> columns;               ///< inputs that they see, ascending
  auto operator<=>(const BoostedTrees&) const = default;
};

/// Fits trees on the training part with the inputs of the network, one thread and a fixed seed. A
/// pure function of the arguments and the library. Boosting stops after kPatience rounds that bring
/// nothing on the validation part; without one every fifth training row stands for it, and the
/// trees are fitted again on all rows. Throws base::Error (internal) if the library is not
/// installed or refuses.
[[nodiscard]] BoostedTrees fit_trees(const Dataset& data, const TreeSize& size);

inline constexpr std::int64_t kPatience = 20;

/// Answers the rows of a part as a network for the data would: margins of classes, of two classes
/// (0, margin), or numbers in the scale of the stored targets.
[[nodiscard]] Answers tree_answers(const BoostedTrees& trees, const Dataset& data, Part part);

}  // namespace nn
