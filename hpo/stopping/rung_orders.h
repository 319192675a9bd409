#pragma once
// Whether what trials had at one rung is kept or turned round by what they have later.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hpo {

/// Compares the order of trials at each rung with their order at the farthest place that enough of
/// them reached. The last place is the end of the trials.
///
/// Why this may be trusted although only the best of a rung get any farther: where early and late
/// losses go up together (are totally positive), they still do among trials that were chosen by
/// being below a bound at each rung. So an order that is turned round among those is no artefact of
/// the choice.
///
/// An order counts as turned round when it is so by more than one deviation of Kendall's statistic
/// between orders that have nothing to do with each other: without a margin every sixth look or so
/// at such rungs would be a coin's; with two deviations orders that do turn are found too late. Not
/// thread-safe.
class RungOrders {
 public:
  /// `rungs`, and the end behind them.
  explicit RungOrders(std::size_t rungs) : losses_(rungs + 1), kept_(rungs + 1) {}

  /// A trial had this loss, below +infinity, at that place; once each, earlier places first.
  void record(std::uint64_t trial, std::size_t place, double loss);

  /// Whether clearly more pairs of trials stand the other way round farther on than stand as they
  /// do at this rung. False while too few got farther.
  [[nodiscard]] bool turned(std::size_t rung) const;

 private:
  struct Pairs {
    std::int64_t kept = 0;  ///< less those turned round
    std::int64_t all = 0;
  };

  void compare(std::uint64_t trial, double loss);

  std::vector<std::unordered_map<std::uint64_t, double>> losses_;  ///< [place]: by trial
  std::vector<std::pair<std::uint64_t, double>> there_;            ///< at far_
  std::vector<Pairs> kept_;                                        ///< [rung]
  std::size_t far_ = 0;  ///< the place compared with; 0: none yet
};

}  // namespace hpo
