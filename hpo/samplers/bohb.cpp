#include "hpo/samplers/bohb.h"

#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "hpo/samplers/random.h"
#include "hpo/samplers/sobol.h"
#include "hpo/samplers/tpe.h"
#include "hpo/samplers/tried.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr double kRandom = 0.33;
constexpr std::int64_t kCandidates = 24;

class Bohb final : public Sampler {
 public:
  explicit Bohb(const SamplerSetup& setup)
      : setup_(setup),
        share_(number_of(*setup.options.find("random")).value()),
        enough_(2 * (setup.space.size() + 2)),
        start_(even_start(setup)),
        random_(random_kind().make(setup)) {}

  void created(std::uint64_t trial, const Params& params) override {
    if (start_) start_->created(trial, params);
    random_->created(trial, params);
    tried_.add(params);
    params_[trial] = params;
  }

  void reported(std::uint64_t trial, std::int64_t step, const Score& score) override {
    if (step < level_ || std::isnan(score.loss)) return;
    const Seen seen{.trial = trial, .params = params_.at(trial), .score = score};
    if (step == level_) return tell(seen);
    std::vector<Seen>& there = waiting_[step];
    there.push_back(seen);
    if (there.size() >= enough_) rise_to(step);
  }

  void ended(std::uint64_t trial, TrialState state) override {
    random_->ended(trial, state);
    if (state == TrialState::failed) {
      failed_.push_back({.trial = trial, .params = params_.at(trial)});
      if (model_) tell_failed(failed_.back());
    }
    params_.erase(trial);
  }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    if (start_) return start_->propose(ordinal);
    Stream stream(setup_.seed, "bohb", ordinal);
    if (stream.uniform() >= share_) {
      if (auto params = model_->propose(ordinal); params && tried_.leaves(*params)) return params;
    }
    return random_->propose(ordinal);
  }

 private:
  struct Seen {
    std::uint64_t trial = 0;
    Params params;
    Score score{0};
  };

  /// A new model of what was reported at a higher step.
  void rise_to(std::int64_t step) {
    level_ = step;
    SamplerSetup setup = setup_;
    setup.options = {{"startup", std::int64_t{1}},
                     {"candidates", *setup_.options.find("candidates")}};
    model_ = tpe_kind().make(setup);
    start_.reset();
    told_.clear();
    for (const Seen& seen : waiting_.at(step)) tell(seen);
    for (const Seen& seen : failed_) tell_failed(seen);
    waiting_.erase(waiting_.begin(), waiting_.upper_bound(step));
  }

  /// To the model a trial begins and ends with its report.
  void tell(const Seen& seen) {
    if (!told_.insert(seen.trial).second) return;
    model_->created(seen.trial, seen.params);
    model_->reported(seen.trial, level_, seen.score);
    model_->ended(seen.trial, TrialState::complete);
  }

  /// One that failed and reported nothing at the model's step.
  void tell_failed(const Seen& seen) {
    if (!told_.insert(seen.trial).second) return;
    model_->created(seen.trial, seen.params);
    model_->ended(seen.trial, TrialState::failed);
  }

  SamplerSetup setup_;
  double share_;
  std::size_t enough_;  ///< reports for a model: as many good ones and others as there are axes
  std::unique_ptr<Sampler> start_;  ///< until there is a model
  std::unique_ptr<Sampler> random_;
  Tried tried_{setup_.space};
  std::map<std::uint64_t, Params> params_;             ///< of trials that run
  std::map<std::int64_t, std::vector<Seen>> waiting_;  ///< at steps above the model's
  std::vector<Seen> failed_;
  std::set<std::uint64_t> told_;  ///< of them the model knows
  std::int64_t level_ = 0;        ///< the model's step; 0: there is none
  std::unique_ptr<Sampler> model_;
};

}  // namespace

SamplerKind bohb_kind() {
  Option random{.name = "random",
                .type = OptionType::number,
                .default_value = kRandom,
                .min = 0,
                .max = 1,
                .words = {},
                .unit = "",
                .doc = "share of the proposals that is drawn at random"};
  return {.info = {.name = "bohb",
                   .doc = "tpe on what trials reported at the highest rung that enough of them "
                          "reached; with `early_stop: hyperband` this is BOHB",
                   .options = {std::move(random),
                               whole_option("candidates", kCandidates, 1, "points",
                                            "drawn for each proposal, the best of which is taken",
                                            10'000)}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return std::make_unique<Bohb>(setup);
          },
          .several = true};
}

}  // namespace hpo
