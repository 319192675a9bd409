#include "hpo/stopping/asha.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "hpo/stopping/options.h"

namespace hpo {

namespace {

constexpr std::int64_t kMin = 1;
constexpr std::int64_t kEta = 3;

struct Rung {
  std::int64_t step;
  std::vector<double> losses;  // ascending
};

class Asha final : public StoppingRule {
 public:
  Asha(std::int64_t min, std::int64_t max, std::int64_t eta) : eta_(static_cast<std::size_t>(eta)) {
    for (std::int64_t step : asha_rungs(min, max, eta)) rungs_.push_back({step, {}});
  }

  bool decides(std::int64_t last, std::int64_t step) const override {
    return std::ranges::any_of(
        rungs_, [&](const Rung& rung) { return last < rung.step && rung.step <= step; });
  }

  Word reported(std::uint64_t trial, std::int64_t step, double loss) override {
    if (std::isnan(loss)) loss = std::numeric_limits<double>::infinity();
    std::int64_t& last = last_[trial];
    Word word = Word::go;
    for (Rung& rung : rungs_) {
      if (last < rung.step && rung.step <= step && !stays(rung, loss)) word = Word::stop;
      if (word == Word::stop) break;
    }
    last = std::max(last, step);
    return word;
  }

  void ended(std::uint64_t trial, TrialState) override { last_.erase(trial); }

 private:
  bool stays(Rung& rung, double loss) const {
    auto place = std::ranges::lower_bound(rung.losses, loss);
    auto better = static_cast<std::size_t>(place - rung.losses.begin());
    rung.losses.insert(place, loss);
    return loss < std::numeric_limits<double>::infinity() &&
           better < std::max<std::size_t>(1, rung.losses.size() / eta_);
  }

  std::size_t eta_;
  std::vector<Rung> rungs_;
  std::unordered_map<std::uint64_t, std::int64_t> last_;
};

}  // namespace

std::vector<std::int64_t> asha_rungs(std::int64_t min, std::int64_t max, std::int64_t eta) {
  std::vector<std::int64_t> rungs;
  for (std::int64_t step = min; step < max; step *= eta) {
    rungs.push_back(step);
    if (step > max / eta) break;
  }
  return rungs;
}

StoppingKind asha_kind() {
  Option min = whole_option("min", kMin, 1, "epochs",
                            "the first rung: what every trial is given, in `unit`");
  Option eta = whole_option("eta", kEta, 2, "",
                            "one in eta goes on from rung to rung, and rungs are eta times apart");
  return {.info = {.name = "asha",
                   .doc = "asynchronous successive halving: at min, min*eta, min*eta^2... only the "
                          "best 1/eta go on",
                   .options = {std::move(min), std::move(eta)}},
          .make = [](const RuleSetup& setup) -> std::unique_ptr<StoppingRule> {
            return std::make_unique<Asha>(int_option(setup, "min", kMin), setup.max_step,
                                          int_option(setup, "eta", kEta));
          }};
}

}  // namespace hpo
