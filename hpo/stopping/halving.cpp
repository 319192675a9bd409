#include "hpo/stopping/halving.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hpo/stopping/options.h"
#include "hpo/stopping/rungs.h"

namespace hpo {

namespace {

constexpr std::int64_t kTrials = 27;

/// Trials that compete with each other.
struct Group {
  std::vector<Rung> rungs;
  std::size_t rung = 0;            ///< the one that is filled
  std::size_t expected = 0;        ///< trials that may come there
  std::size_t lost = 0;            ///< of them, those that ended before
  std::set<std::uint64_t> chosen;  ///< those that may go on from the rung below

  [[nodiscard]] bool over() const { return rung == rungs.size(); }
  /// Whether anybody waits or may come to wait for a decision.
  [[nodiscard]] bool is_open() const { return !over() || !chosen.empty(); }
  [[nodiscard]] bool full() const { return rungs[rung].size() + lost >= expected; }
};

class Halving final : public StoppingRule {
 public:
  Halving(const RuleSetup& setup, std::int64_t min, std::int64_t eta, std::int64_t trials)
      : max_(setup.max_step),
        eta_(static_cast<std::size_t>(eta)),
        trials_(static_cast<std::uint64_t>(trials)),
        steps_(rungs_below(setup.max_step, min, eta)) {}

  bool decides(std::int64_t last, std::int64_t step) const override {
    return reaches(steps_, last, step);
  }

  bool pauses() const override { return true; }

  Decision reported(std::uint64_t trial, std::int64_t step, double loss) override {
    if (step >= max_) return Decision::go;
    Group& group = group_of(trial);
    Standing& standing = standings_[trial];
    if (standing.rung >= steps_.size() || step < steps_[standing.rung]) return Decision::go;
    standing.step = step;
    standing.loss = loss;
    const bool finite = loss < std::numeric_limits<double>::infinity();
    if (standing.rung < group.rung) {
      const Decision decision = late(group, trial, finite);
      if (decision == Decision::stop || !at_rung(standing)) return decision;
    }
    arrive(group, trial, finite);
    if (!finite) refused_.insert(trial);
    settle(group);
    if (!finite) return Decision::stop;
    if (promotes(false) != trial) return Decision::pause;
    resumed(trial);
    return Decision::go;
  }

  std::optional<std::uint64_t> promotes(bool last) const override {
    for (const std::uint64_t number : open_) {
      const Group& group = groups_.at(number);
      if (!group.chosen.empty()) return *group.chosen.begin();
    }
    if (!last) return std::nullopt;
    for (const std::uint64_t number : open_) {
      const Group& group = groups_.at(number);
      if (!group.over() && group.rungs[group.rung].anyone_waits())
        return group.rungs[group.rung].first_waiting();
    }
    return std::nullopt;
  }

  std::vector<std::uint64_t> gives_up() const override {
    return {dropped_.begin(), dropped_.end()};
  }

  void resumed(std::uint64_t trial) override {
    const auto there = standings_.find(trial);
    if (there == standings_.end()) return;
    Group& group = group_of(trial);
    Standing& standing = there->second;
    // Not chosen: nobody else comes any more.
    while (standing.waits && !group.over()) close(group);
    settle(group);
    group.chosen.erase(trial);
    if (dropped_.erase(trial) > 0) standing.rung = group.rung;
    look_at(trial);
  }

  void ended(std::uint64_t trial, TrialState state) override {
    Group& group = group_of(trial);
    group.chosen.erase(trial);
    const bool recorded = dropped_.erase(trial) > 0 || refused_.erase(trial) > 0;
    const auto taken = standings_.extract(trial);
    Standing standing = taken ? taken.mapped() : Standing{};
    const bool misses = !recorded && standing.rung == group.rung && !group.over();
    if (misses && standing.waits) group.rungs[group.rung].leave(trial);
    standing.lost = misses && !standing.waits;
    if (standing.lost) ++group.lost;
    if (recorded || standing.waits) ++standing.rung;
    standing.waits = false;
    if (state == TrialState::failed) failed_[trial] = standing;
    if (misses) settle(group);
    look_at(trial);
  }

  /// The group waits for the trial again, unless it has gone on without it.
  void reopened(std::uint64_t trial) override {
    const auto found = failed_.extract(trial);
    if (!found) return;
    Standing& standing = standings_[trial] = found.mapped();
    Group& group = group_of(trial);
    const bool is_awaited = std::exchange(standing.lost, false);
    if (is_awaited && standing.rung == group.rung && !group.over()) --group.lost;
  }

 private:
  struct Standing {
    std::size_t rung = 0;  ///< the next one that it is compared at
    bool waits = false;
    bool lost = false;  ///< counted as such at that rung
    std::int64_t step = 0;
    double loss = 0;
  };

  Group& group_of(std::uint64_t trial) {
    auto [there, is_new] = groups_.try_emplace(trial / trials_);
    Group& group = there->second;
    if (is_new) {
      group.expected = trials_;
      open_.insert(trial / trials_);
      for (const std::int64_t step : steps_) group.rungs.emplace_back(step);
    }
    return group;
  }

  /// Keeps groups in which nothing is left to decide out of every later look.
  void look_at(std::uint64_t trial) {
    if (!group_of(trial).is_open()) open_.erase(trial / trials_);
  }

  [[nodiscard]] bool at_rung(const Standing& standing) const {
    return standing.rung < steps_.size() && standing.step >= steps_[standing.rung];
  }

  /// The decision on a trial that comes to rungs which were decided about without it, in a study
  /// that was extended: nobody waits there, so it goes on if it is among the best 1/eta so far. One
  /// that catches up with its group is waited for from there on.
  Decision late(Group& group, std::uint64_t trial, bool finite) {
    Standing& standing = standings_.at(trial);
    for (; standing.rung < group.rung && at_rung(standing); ++standing.rung) {
      Rung& rung = group.rungs[standing.rung];
      rung.record(trial, standing.loss);
      if (!finite || rung.better(standing.loss) >= std::max<std::size_t>(1, rung.size() / eta_))
        return Decision::stop;
    }
    if (standing.rung == group.rung && !group.over()) ++group.expected;
    return Decision::go;
  }

  void arrive(Group& group, std::uint64_t trial, bool waits) {
    Standing& standing = standings_.at(trial);
    standing.waits = waits;
    Rung& rung = group.rungs[standing.rung];
    rung.record(trial, standing.loss);
    if (waits) rung.wait(trial, standing.loss);
  }

  /// Decides at every rung that is full.
  void settle(Group& group) {
    while (!group.over() && group.full()) close(group);
  }

  void close(Group& group) {
    Rung& rung = group.rungs[group.rung];
    const std::vector<std::uint64_t> waiting = rung.waiting();
    const std::size_t share = std::max<std::size_t>(1, (rung.size() + group.lost) / eta_);
    const std::size_t winners = std::min(share, waiting.size());
    ++group.rung;
    group.expected = winners;
    group.lost = 0;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      rung.leave(waiting[i]);
      standings_.at(waiting[i]).waits = false;
      if (i < winners)
        go_on(group, waiting[i]);
      else
        dropped_.insert(waiting[i]);
    }
  }

  void go_on(Group& group, std::uint64_t trial) {
    Standing& standing = standings_.at(trial);
    ++standing.rung;
    const bool further = standing.rung < steps_.size() && standing.step >= steps_[standing.rung];
    if (further)
      arrive(group, trial, true);
    else
      group.chosen.insert(trial);
  }

  std::int64_t max_;
  std::size_t eta_;
  std::uint64_t trials_;
  std::vector<std::int64_t> steps_;
  std::map<std::uint64_t, Group> groups_;
  std::set<std::uint64_t> open_;  ///< numbers of those that are
  std::unordered_map<std::uint64_t, Standing> standings_;
  std::unordered_map<std::uint64_t, Standing> failed_;  ///< of those that may run again
  std::set<std::uint64_t> dropped_;                     ///< that wait, and will never go on
  std::set<std::uint64_t> refused_;  ///< that were recorded with no number, and end now
};

}  // namespace

StoppingKind successive_halving_rule() {
  return {.info = {.kind = "successive_halving",
                   .doc = "Successive halving in groups: at the rungs min, min*eta, min*eta^2, ... "
                          "all trials of a group wait for one another. Only the best 1/eta "
                          "continue.",
                   .fields = {first_rung_option(kDefaultMin), eta_option(kDefaultEta),
                              base::integer_field("trials", kTrials, 2, "trials",
                                                  "Size of a group. The next group starts when all "
                                                  "trials of the current group have started.")}},
          .make = [](const RuleSetup& setup) -> std::unique_ptr<StoppingRule> {
            return std::make_unique<Halving>(setup, int_option(setup, "min", kDefaultMin),
                                             int_option(setup, "eta", kDefaultEta),
                                             int_option(setup, "trials", kTrials));
          }};
}

}  // namespace hpo
