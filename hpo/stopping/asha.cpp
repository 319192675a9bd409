#include "hpo/stopping/asha.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "hpo/stopping/options.h"
#include "hpo/stopping/rung_orders.h"
#include "hpo/stopping/rungs.h"

namespace hpo {

namespace {

class Asha : public StoppingRule {
 public:
  explicit Asha(const AshaBracket& bracket)
      : max_(bracket.max),
        eta_(static_cast<std::size_t>(bracket.eta)),
        looks_(rungs_below(bracket.max, bracket.min, bracket.eta)) {
    for (const std::int64_t step : looks_) rungs_.emplace_back(step);
    if (bracket.watch) looks_ = looks_below(bracket.max, looks_);
  }

  bool decides(std::int64_t last, std::int64_t step) const override {
    return reaches(looks_, last, step);
  }

  Decision reported(std::uint64_t trial, std::int64_t step, double loss) override {
    std::int64_t& last = last_[trial];
    const auto passed = [&](const Rung& rung) { return last < rung.step() && rung.step() <= step; };
    const auto begin = std::ranges::find_if(rungs_, passed);
    const auto end = std::find_if_not(begin, rungs_.end(), passed);
    last = std::max(last, step);
    if (begin == end) return Decision::go;
    if (!(loss < kWorstLoss)) {
      begin->record(trial, loss);
    } else if (step < max_) {
      return word_at({begin, end}, trial, loss);
    } else {
      for (Rung& rung : std::span(begin, end)) rung.record(trial, loss);
    }
    return step < max_ ? Decision::stop : Decision::go;
  }

  void ended(std::uint64_t trial, TrialState state) override {
    if (state != TrialState::failed) last_.erase(trial);
  }

 protected:
  /// Records a trial, whose loss is below +infinity, at the rungs that it reached, ascending.
  virtual Decision word_at(std::span<Rung> reached, std::uint64_t trial, double loss) = 0;

  [[nodiscard]] std::vector<Rung>& rungs() { return rungs_; }
  [[nodiscard]] const std::vector<Rung>& rungs() const { return rungs_; }
  [[nodiscard]] std::size_t share_of(const Rung& rung) const { return rung.size() / eta_; }

 private:
  std::int64_t max_;
  std::size_t eta_;
  std::vector<std::int64_t> looks_;
  std::vector<Rung> rungs_;
  std::unordered_map<std::uint64_t, std::int64_t> last_;  ///< of those that run, or failed
};

class Stopping final : public Asha {
 public:
  using Asha::Asha;

 protected:
  Decision word_at(std::span<Rung> reached, std::uint64_t trial, double loss) override {
    for (Rung& rung : reached) {
      rung.record(trial, loss);
      if (rung.better(loss) >= std::max<std::size_t>(1, share_of(rung))) return Decision::stop;
    }
    return Decision::go;
  }
};

class Promoting final : public Asha {
 public:
  explicit Promoting(const AshaBracket& bracket) : Asha(bracket) {
    if (bracket.doubt) orders_.emplace(rungs().size());
  }

  bool pauses() const override { return true; }

  std::optional<std::uint64_t> promotes(bool last) const override {
    for (std::size_t i = rungs().size(); i-- > 0;) {
      const Rung& rung = rungs()[i];
      const bool open = orders_ && orders_->turned(i);
      if (const auto trial = open ? rung.lowest_waiting() : rung.first_waiting_of(share_of(rung)))
        return trial;
    }
    if (!last || complete_) return std::nullopt;
    for (auto rung = rungs().rbegin(); rung != rungs().rend(); ++rung) {
      if (rung->anyone_waits()) return rung->first_waiting();
    }
    return std::nullopt;
  }

  void resumed(std::uint64_t trial) override {
    for (Rung& rung : rungs()) rung.leave(trial);
  }

  Decision reported(std::uint64_t trial, std::int64_t step, double loss) override {
    if (orders_ && loss < kWorstLoss) latest_[trial] = loss;
    return Asha::reported(trial, step, loss);
  }

  void ended(std::uint64_t trial, TrialState state) override {
    resumed(trial);
    Asha::ended(trial, state);
    if (state == TrialState::failed) return;
    complete_ = complete_ || state == TrialState::complete;
    if (const auto loss = latest_.extract(trial); loss && state == TrialState::complete)
      orders_->record(trial, rungs().size(), loss.mapped());
  }

 protected:
  Decision word_at(std::span<Rung> reached, std::uint64_t trial, double loss) override {
    for (Rung& rung : reached) {
      rung.record(trial, loss);
      if (orders_) orders_->record(trial, static_cast<std::size_t>(&rung - rungs().data()), loss);
    }
    reached.back().wait(trial, loss);
    if (promotes(false) != trial) return Decision::pause;
    reached.back().leave(trial);
    return Decision::go;
  }

 private:
  bool complete_ = false;
  std::optional<RungOrders> orders_;
  /// With orders: the last loss of each that runs, or failed.
  std::unordered_map<std::uint64_t, double> latest_;
};

}  // namespace

std::unique_ptr<StoppingRule> make_asha(const AshaBracket& bracket) {
  if (bracket.promote) return std::make_unique<Promoting>(bracket);
  return std::make_unique<Stopping>(bracket);
}

StoppingKind asha_rule() {
  return {.info = {.kind = "asha",
                   .doc = "Asynchronous successive halving: at the rungs min, min*eta, min*eta^2, "
                          "... only the best 1/eta continue.",
                   .fields = {first_rung_option(kDefaultMin), eta_option(kDefaultEta),
                              promote_option()}},
          .make = [](const RuleSetup& setup) {
            return make_asha({.max = setup.max_step,
                              .min = int_option(setup, "min", kDefaultMin),
                              .eta = int_option(setup, "eta", kDefaultEta),
                              .promote = flag_option(setup, "promote")});
          }};
}

}  // namespace hpo
