#pragma once
// What policies that race share: who takes part, what a size costs, who wins.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nn/adapt/policy.h"

namespace nn {

/// Which changes a race tries.
struct Entrants {
  bool widen = true, deepen = false, shrink = true;
  bool operator==(const Entrants&) const = default;
};

/// Fields that every policy that races takes, in the order of the reference page.
[[nodiscard]] std::vector<FieldInfo> contest_fields();

/// The rules of a policy's races; a value.
class Contest {
 public:
  /// `policy` is complete.
  explicit Contest(const Adaptation& adaptation);

  /// What to try on `spec`: each layer wider, all of them wider, each deeper, each narrower, all of
  /// them narrower, as far as `which` and the fields say, the network allows it and max_weights has
  /// room. Of each layer
  /// `factor` times or a `factor`-th of its units.
  [[nodiscard]] std::vector<Operations> entrants(const ModelSpec& spec,
                                                 const Entrants& which) const;

  /// `cost` of a spec: FLOPs of one row forward, weights, or the modelled seconds of one row.
  [[nodiscard]] double cost(const ModelSpec& spec) const;

  /// Accepts one candidate of a race whose first is the network as it was. With a price (`price`
  /// above 0) the lowest loss + price * log(cost) wins. Without one, losses that differ by
  /// `shrink_within` or less count as equal: a larger network must be better than equal to the kept
  /// one and bring its loss below `grow_below` times; of those the lowest loss wins. But a smaller
  /// network that is equal to the best so far goes before it; of those the lowest cost wins.
  void judge(Round& round) const;

  [[nodiscard]] std::int64_t rows() const { return rows_; }

  /// What the fields allow.
  [[nodiscard]] const Entrants& allowed() const { return allowed_; }

 private:
  [[nodiscard]] double loss_of(const Candidate& candidate) const;
  void judge_by_price(Round& round) const;
  void judge_by_loss(Round& round) const;

  std::uint64_t max_weights_;
  Entrants allowed_;
  double factor_, grow_below_, shrink_within_, price_;
  std::string cost_;
  std::int64_t rows_;
  bool on_training_;
};

/// Seconds that one row takes on a nominal core: weights read at 20 GB/s, 50 GFLOP/s, 1 us a layer
/// with weights. A model, never a measurement: noise must not decide.
[[nodiscard]] double modelled_latency(const ModelSpec& spec);

}  // namespace nn
