#pragma once
// How trials stand among each other while some of them still run.
//
// Where long trials run beside short ones, the short ones end first, and a sampler that learns from
// ended trials alone would take the short ones for the good ones. So a trial that runs stands ahead
// of every ended one that was behind it at the same step.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "hpo/samplers/merit.h"
#include "hpo/space/score.h"

namespace hpo {

/// Of one metric.
class Standings {
 public:
  /// `most`: how many of the ended trials are remembered with their reports; no running trial is
  /// ahead of the others.
  explicit Standings(std::size_t most) : most_(most) {}

  /// A trial that runs reports; whether it is its first report.
  bool report(std::uint64_t trial, std::int64_t step, const Score& score);
  /// It has ended; whether it never reported.
  bool end(const Merit& merit);
  /// A trial that waited goes on.
  void go_on(std::uint64_t trial);
  /// A trial that failed runs again with the reports that it had. Returns true if it never
  /// reported: it stands nowhere then.
  bool reopen(std::uint64_t trial);
  /// A running trial counts no more.
  void forget(std::uint64_t trial) { running_.erase(trial); }

  /// Trials that have reported or ended.
  [[nodiscard]] std::size_t size() const { return ended_.size() + running_.size(); }
  /// True if the trial ended by failing.
  [[nodiscard]] bool has_failed(std::uint64_t trial) const;

  /// The best `count` (at most `most`) of them, best first. Of those that run and are ahead of the
  /// same trial the one that came farther is first, because more is known of it.
  [[nodiscard]] std::vector<std::uint64_t> best(std::size_t count) const;

  /// The best ended trial that a running one is ahead of; none where there is none.
  [[nodiscard]] std::optional<std::uint64_t> ahead_of(std::uint64_t trial) const;

 private:
  struct Report {
    std::int64_t step = 0;
    double loss = 0;
  };
  /// In the order of steps: the last one, and of those before it some, the farther apart the later.
  using Curve = std::vector<Report>;
  struct Runner {
    Curve curve;
    bool feasible = true;
    std::size_t place = 0;  ///< in `ended_`, of the first that it is ahead of; `most_`: of none
  };

  void place_running();
  [[nodiscard]] bool is_ahead(const Runner& runner, const Merit& ended) const;
  [[nodiscard]] std::size_t place_of(const Runner& runner) const;

  std::size_t most_;
  std::vector<Merit> ended_;               ///< best first
  std::map<std::uint64_t, Curve> curves_;  ///< of the best `most_` of them
  std::map<std::uint64_t, Runner> running_;
  std::map<std::uint64_t, Runner> failed_;  ///< as they ran, of those that had reported
};

}  // namespace hpo
