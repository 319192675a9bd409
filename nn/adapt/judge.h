#pragma once
// Who wins a race, and what a size costs: shared by all policies that race.

#include <cstdint>
#include <string>
#include <vector>

#include "nn/adapt/policy.h"

namespace nn {

/// The fields that Judge reads, in the order of the reference page.
[[nodiscard]] std::vector<FieldInfo> judge_fields();

/// How the candidates of a race are compared; a value.
class Judge {
 public:
  /// The adaptation is complete and its policy has judge_fields().
  explicit Judge(const PolicySetup& setup);

  /// `cost` of a spec: FLOPs of one row forward, these as a mean over the training when the network
  /// has this spec from begins() on, weights, or the modelled seconds of one row.
  [[nodiscard]] double cost(const ModelSpec& spec) const;

  /// Candidates begin at this moment, in epochs.
  void begins(double epoch);
  /// What came of a turn, its boundaries on a grid of so many an epoch.
  void told(const Round& round, std::int64_t grid);

  /// Accepts one candidate of a race whose first is the network as it was. With a price (`price`
  /// above 0) the lowest loss + price * log(cost) wins. Without one, losses that differ by
  /// `shrink_within` or less count as equal: a larger network must be better than equal to the kept
  /// one and bring its loss below `grow_below` times; of those the lowest loss wins. But a smaller
  /// network that is equal to the best so far goes before it; of those the lowest cost wins. A loss
  /// that is no number is above all others.
  void judge(Round& round) const;

  /// Validation rows that candidates are compared on.
  [[nodiscard]] std::int64_t rows() const { return rows_; }

 private:
  [[nodiscard]] double loss_of(const Candidate& candidate) const;
  void judge_by_price(Round& round) const;
  void judge_by_loss(Round& round) const;

  double grow_below_, shrink_within_, price_, epochs_;
  double row_ = 0;                ///< FLOPs of one row, forward, of the network as it is
  double told_ = 0, passed_ = 0;  ///< end of the last round; the sum of a row's FLOPs up to it
  double begin_ = 0;              ///< where candidates begin
  std::string cost_;
  std::int64_t rows_;
  bool on_training_;
};

/// Seconds that one row takes on a nominal core: weights read at 20 GB/s, 50 GFLOP/s, 1 us a layer
/// with weights. A model, never a measurement: noise must not decide.
[[nodiscard]] double modelled_latency(const ModelSpec& spec);

}  // namespace nn
