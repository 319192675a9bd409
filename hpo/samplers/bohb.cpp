#include "hpo/samplers/bohb.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "hpo/samplers/random.h"
#include "hpo/samplers/sobol.h"
#include "hpo/samplers/tpe.h"
#include "hpo/samplers/visited_points.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr double kRandomShare = 0.33;
constexpr std::int64_t kCandidates = 24;
constexpr std::int64_t kWhole = std::int64_t{1} << 60;  ///< step of what came to its own end

class Bohb final : public Sampler {
 public:
  explicit Bohb(const SamplerSetup& setup)
      : setup_(setup),
        share_(number_of(*setup.options.find("random")).value()),
        enough_(2 * (setup.space.size() + 2)),
        start_(even_start(setup)),
        random_(random_sampler().make(setup)) {}

  void created(std::uint64_t trial, const Params& params) override {
    if (start_) start_->created(trial, params);
    random_->created(trial, params);
    visited_.add(params);
    trials_[trial].place = setup_.space.to_unit(params);
  }

  void reported(std::uint64_t trial, std::int64_t step, const Score& score) override {
    if (std::isnan(score.loss)) return;
    Known& known = trials_.at(trial);
    known.last = score;
    ++known.reports;
    take(known, step, score);
    learn();
  }

  void ended(std::uint64_t trial, TrialState state) override {
    random_->ended(trial, state);
    Known& known = trials_.at(trial);
    known.failed = state == TrialState::failed;
    if (state == TrialState::complete && known.reports > 0) take_whole(known);
    learn();
  }

  /// The model forgets the failure with the next report or end.
  void reopened(std::uint64_t trial) override {
    trials_.at(trial).failed = false;
    next_ = 0;
  }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    if (start_) return start_->propose(ordinal);
    Stream stream(setup_.seed, "bohb", ordinal);
    if (stream.uniform() >= share_) {
      if (auto params = model_->propose(ordinal); params && visited_.leaves(*params)) return params;
    }
    return random_->propose(ordinal);
  }

 private:
  struct Known {
    std::vector<double> place;  ///< in the unit cube
    std::int64_t step = 0;  ///< of the first report that reached the model's step, or the last one
    Score score{0};
    std::vector<std::pair<std::int64_t, Score>> beyond;  ///< reports behind the model's step
    std::size_t passed = 0;  ///< of `beyond`, that are behind it no longer
    Score last{0};
    std::size_t reports = 0;
    bool failed = false;

    void report(std::int64_t at, const Score& reported, std::int64_t level) {
      if (step >= level) return;
      step = at;
      score = reported;
    }

    /// The model's step is another one.
    void pass(std::int64_t level) {
      for (; passed < beyond.size() && beyond[passed].first <= level; ++passed)
        report(beyond[passed].first, beyond[passed].second, level);
      if (2 * passed <= beyond.size()) return;
      beyond.erase(beyond.begin(), beyond.begin() + static_cast<std::ptrdiff_t>(passed));
      passed = 0;
    }
  };

  void take(Known& known, std::int64_t step, const Score& score) {
    if (level_ > 0) known.report(step, score, level_);
    if (step <= level_) return;
    known.beyond.emplace_back(step, score);
    if (++reports_[step] >= enough_) rise_to(step);
  }

  /// What came to its own end is there at every step. Its only report is what it ended with, which
  /// a trial without steps has at step 1: nothing to compare others with that are at that step.
  void take_whole(Known& known) {
    if (known.reports == 1 && !known.beyond.empty()) {
      --reports_[known.beyond.back().first];
      known.beyond.pop_back();
    }
    take(known, kWhole, known.last);
  }

  void rise_to(std::int64_t step) {
    level_ = step;
    start_.reset();
    reports_.erase(reports_.begin(), reports_.upper_bound(step));
    for (auto& [trial, known] : trials_) {
      known.pass(step);
    }
    if (step > learnt_level_ + learnt_level_ / 10) next_ = 0;
  }

  /// Anew when there is a tenth more to learn from, or the model's step is a tenth further.
  void learn() {
    if (++news_ < next_ || level_ == 0) return;
    next_ = news_ + news_ / 10;
    learnt_level_ = level_;
    model_.reset();
    SamplerSetup setup = setup_;
    setup.options = {{"startup", std::int64_t{1}},
                     {"candidates", *setup_.options.find("candidates")}};
    model_ = tpe_sampler().make(setup);
    for (const std::uint64_t trial : compared()) tell(trial, trials_.at(trial));
  }

  /// Those that reported at the model's step, those that failed, and as many as the first of those
  /// that did not get there, the newest ones. A trial that no younger one has overtaken is still on
  /// its way.
  [[nodiscard]] std::set<std::uint64_t> compared() const {
    std::set<std::uint64_t> there, left;
    for (const auto& [trial, known] : trials_)
      if (known.step >= level_ || known.failed) there.insert(trial);
    std::int64_t farthest = 0;
    for (auto i = trials_.rbegin(); i != trials_.rend() && left.size() < there.size(); ++i) {
      const Known& known = i->second;
      if (known.step < level_ && !known.failed && known.step > 0 && known.step < farthest)
        left.insert(i->first);
      farthest = std::max(farthest, known.step);
    }
    there.merge(left);
    return there;
  }

  /// To the model a trial is complete that reported at its step, stopped that did not get there,
  /// and failed whatever it reported before.
  void tell(std::uint64_t trial, const Known& known) {
    if (known.step == 0 && !known.failed) return;
    model_->created(trial, setup_.space.from_unit(known.place));
    if (known.step > 0) model_->reported(trial, known.step, known.score);
    model_->ended(trial, known.failed           ? TrialState::failed
                         : known.step >= level_ ? TrialState::complete
                                                : TrialState::stopped);
  }

  SamplerSetup setup_;
  double share_;
  std::size_t enough_;  ///< reports for a model: as many good ones and others as there are axes
  std::unique_ptr<Sampler> start_;  ///< until there is a model
  std::unique_ptr<Sampler> random_;
  VisitedPoints visited_{setup_.space};
  std::map<std::uint64_t, Known> trials_;
  std::map<std::int64_t, std::size_t> reports_;  ///< [step], of those behind the model's
  std::int64_t level_ = 0;                       ///< the model's step; 0: there is none
  std::int64_t learnt_level_ = 0;                ///< of the present model
  std::size_t news_ = 0;                         ///< reports and ends so far
  std::size_t next_ = 0;                         ///< how many there must be for the next model
  std::unique_ptr<Sampler> model_;
};

}  // namespace

SamplerKind bohb_sampler() {
  base::FieldInfo random{.name = "random",
                         .type = base::FieldType::real,
                         .min = 0,
                         .max = 1,
                         .value = kRandomShare,
                         .doc = "Share of the proposals that are random."};
  return {.info = {.kind = "bohb",
                   .doc = "`tpe` on the reports at the highest step that enough trials reached. "
                          "With `early_stop: hyperband` this is BOHB.",
                   .fields = {std::move(random),
                              base::integer_field(
                                  "candidates", kCandidates, 1, "points",
                                  "Points drawn for each proposal, the best of which is taken.",
                                  10'000)}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return std::make_unique<Bohb>(setup);
          },
          .several = true};
}

}  // namespace hpo
