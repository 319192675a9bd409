#include "hpo/samplers/gp.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "hpo/samplers/acquisition.h"
#include "hpo/samplers/random.h"
#include "hpo/samplers/sobol.h"
#include "hpo/samplers/standings.h"
#include "hpo/samplers/surrogate.h"
#include "hpo/samplers/visited_points.h"

namespace hpo {

namespace {

constexpr std::size_t kMostTrials = 250;         // that the process sees
constexpr std::size_t kMostRunning = 100;        // of those on their way
constexpr std::size_t kMostPassed = 25;          // ended ones that a running one can be ahead of
constexpr std::size_t kMostNumbers = 4'000'000;  // distances along all axes
constexpr std::size_t kLeaders = 4;
constexpr std::size_t kFewestEnded = 2;  // that have ended, for a model
constexpr double kMargin = 0.003;  // deviations of the losses: a smaller gain is not looked for
constexpr double kDoubt = 0.3;     // deviations a running trial is taken for worse than expected

std::size_t most_trials(std::size_t axes) {
  const double pairs =
      static_cast<double>(kMostNumbers) / static_cast<double>(std::max<std::size_t>(axes, 1));
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(2 * pairs)), 20, kMostTrials);
}

/// Numbers of ended trials, at most as many as have ended, at which the shape was fitted anew;
/// before `startup` have ended, each.
struct FittedAt {
  std::size_t used;    ///< of the shape that is to be used
  std::size_t newest;  ///< of the one that is fitted beside a third of a period's trials
};

FittedAt fitted_at(std::size_t startup, std::size_t count) {
  if (count < startup) return {count, count};
  FittedAt at{startup, startup};
  for (std::size_t next = startup; next <= count; next += std::max<std::size_t>(1, next / 10)) {
    at.newest = next;
    if (next == startup || next + next / 30 <= count) at.used = next;
  }
  return at;
}

/// Rounding and tiny numbers as a program begins with, whatever the thread is set to.
class UsualArithmetic {
 public:
  UsualArithmetic() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~UsualArithmetic() { std::fesetenv(&before_); }
  UsualArithmetic(const UsualArithmetic&) = delete;
  UsualArithmetic& operator=(const UsualArithmetic&) = delete;

 private:
  std::fenv_t before_{};
};

/// The shape that fits some trials, found by whichever thread asks first.
class Fit {
 public:
  Fit(std::size_t at, Points points, std::vector<double> values)
      : at_(at), points_(std::move(points)), values_(std::move(values)) {}

  [[nodiscard]] std::size_t at() const { return at_; }  ///< how many trials had ended

  const Shape& shape() {
    std::call_once(once_, [this] {
      const UsualArithmetic here;
      shape_ = fitted(points_, values_);
    });
    return shape_;
  }

 private:
  std::size_t at_;
  Points points_;
  std::vector<double> values_;
  std::once_flag once_;
  Shape shape_;
};

class Gp final : public Sampler {
 public:
  explicit Gp(const SamplerSetup& setup)
      : space_(setup.space),
        seed_(setup.seed),
        startup_(static_cast<std::size_t>(std::get<std::int64_t>(*setup.options.find("startup")))),
        features_(setup.space),
        start_(even_start(setup)),
        random_(random_sampler().make(setup)) {}

  void created(std::uint64_t trial, const Params& params) override {
    for (Sampler* sampler : {start_.get(), random_.get()}) sampler->created(trial, params);
    visited_.add(params);
    points_.push_back(space_.to_unit(params));
    running_.begin(trial);
  }

  void reported(std::uint64_t trial, std::int64_t step, const Score& score) override {
    running_.report(trial, step, score);
    (void)standings_.report(trial, step, score);
  }

  void paused(std::uint64_t trial) override {
    waiting_.insert(trial);
    record(running_.so_far(trial));
  }

  void resumed(std::uint64_t trial) override {
    waiting_.erase(trial);
    standings_.go_on(trial);
  }

  void ended(std::uint64_t trial, TrialState state) override {
    if (waiting_.contains(trial)) resumed(trial);
    record(running_.end(trial, state));
  }

  void reopened(std::uint64_t trial) override {
    running_.reopen(trial);
    (void)standings_.reopen(trial);
    std::erase_if(ended_, [&](const Merit& merit) { return merit.trial == trial; });
    // Shapes are named by how many records they were fitted to, which are others now.
    fit_.reset();
    next_.reset();
    process_.reset();
  }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    if (!has_begun() || features_.axes().empty()) return start_->propose(ordinal);
    std::vector<Merit> ended = last_of_each(ended_);
    std::erase_if(ended, [&](const Merit& merit) { return runs(merit.trial); });
    const std::vector<Merit> seen = remembered(ended, most_trials(features_.axes().size()));
    const std::vector<double> values = tamed(seen, measure(ended));
    GaussianProcess model = with_running(seen, values);
    double best = INFINITY;
    for (const Merit& merit : seen)
      best = std::min(best, model.mean(features_.of(points_[merit.trial])));
    best -= kMargin;
    Stream stream = proposal_stream(seed_, ordinal);
    for (const std::vector<double>& place :
         promising(features_, model, best, leaders(seen), space_.size(), stream)) {
      Params params = space_.from_unit(place);
      if (visited_.leaves(params)) return params;
    }
    return random_->propose(ordinal);
  }

  std::function<void()> work_ahead() override {
    if (!has_begun() || features_.axes().empty()) return {};
    const FittedAt at = fitted_at(startup_, ended_.size());
    if (at.newest == at.used || (next_ && next_->at() == at.newest)) return {};
    next_ = fit(at.newest);
    return [fit = next_] {
      try {
        (void)fit->shape();
      } catch (const std::bad_alloc&) {
        // Who needs it tries again, and says so.
      }
    };
  }

 private:
  void record(const Merit& merit) {
    ended_.push_back(merit);
    (void)standings_.end(merit);
  }

  [[nodiscard]] bool runs(std::uint64_t trial) const {
    return running_.all().contains(trial) && !waiting_.contains(trial);
  }

  /// Beside running trials the first ones are not waited for to the last.
  [[nodiscard]] bool has_begun() const {
    const std::size_t over = points_.size() - (running_.all().size() - waiting_.size());
    return points_.size() >= startup_ && over >= kFewestEnded && 2 * over >= startup_;
  }

  [[nodiscard]] Points points_of(std::span<const Merit> seen) const {
    Points points(features_.along());
    for (const Merit& merit : seen) points.add(features_.of(points_[merit.trial]));
    return points;
  }

  /// The model of what has ended and of what runs, each of which is taken for a slight
  /// disappointment, the more so the less is known there, but for no worse than the best ended
  /// trial that it is ahead of.
  GaussianProcess with_running(std::span<const Merit> seen, std::vector<double> values) {
    GaussianProcess& known = process_of(seen, values);
    const auto& begun = running_.all();
    GaussianProcess model = known;
    std::size_t room = kMostRunning;
    for (auto trial = begun.rbegin(); trial != begun.rend() && room > 0; ++trial) {
      if (waiting_.contains(trial->first)) continue;
      --room;
      const std::vector<Feature> point = features_.of(points_[trial->first]);
      const Belief belief = known.at(point);
      model.add(point);
      double value = belief.mean + kDoubt * belief.deviation;
      if (const auto passed = standings_.ahead_of(trial->first)) {
        const auto at = std::ranges::find(seen, *passed, &Merit::trial);
        if (at != seen.end()) value = std::min(value, values[std::size_t(at - seen.begin())]);
      }
      values.push_back(value);
    }
    if (model.size() > known.size()) model.learn(values);
    return model;
  }

  /// The process of what has ended: the one of the proposal before, where trials were only added.
  GaussianProcess& process_of(std::span<const Merit> seen, std::span<const double> values) {
    Fit& fit = current_fit();
    const bool goes_on =
        process_ && process_fit_ == fit.at() && in_process_.size() <= seen.size() &&
        std::ranges::equal(in_process_, seen.first(in_process_.size()), {}, {}, &Merit::trial);
    if (goes_on) {
      for (const Merit& merit : seen.subspan(in_process_.size()))
        process_->add(features_.of(points_[merit.trial]));
      process_->learn(values);
    } else {
      process_.emplace(points_of(seen), values, fit.shape());
      process_fit_ = fit.at();
    }
    in_process_.clear();
    for (const Merit& merit : seen) in_process_.push_back(merit.trial);
    return *process_;
  }

  [[nodiscard]] std::vector<std::vector<double>> leaders(std::vector<Merit> seen) const {
    const auto count = static_cast<std::ptrdiff_t>(std::min(kLeaders, seen.size()));
    std::ranges::partial_sort(seen, seen.begin() + count);
    std::vector<std::vector<double>> places;
    for (std::ptrdiff_t i = 0; i < count; ++i)
      places.push_back(points_[seen[static_cast<std::size_t>(i)].trial]);
    return places;
  }

  [[nodiscard]] Yardstick measure(std::span<const Merit> ended) const {
    return yardstick(ended.first(std::min(startup_, ended.size())), ended);
  }

  [[nodiscard]] std::shared_ptr<Fit> fit(std::size_t at) const {
    const std::vector<Merit> ended = last_of_each(std::span(ended_).first(at));
    const std::vector<Merit> seen = remembered(ended, most_trials(features_.axes().size()));
    return std::make_shared<Fit>(at, points_of(seen), tamed(seen, measure(ended)));
  }

  Fit& current_fit() {
    const std::size_t at = fitted_at(startup_, ended_.size()).used;
    if (next_ && next_->at() == at) fit_ = std::move(next_);
    if (!fit_ || fit_->at() != at) fit_ = fit(at);
    return *fit_;
  }

  const Space& space_;
  std::uint64_t seed_;
  std::size_t startup_;
  Features features_;
  std::unique_ptr<Sampler> start_, random_;
  VisitedPoints visited_{space_};
  std::vector<std::vector<double>> points_;  // of each trial, in the unit cube
  RunningMerits running_;
  Standings standings_{kMostPassed};
  std::set<std::uint64_t> waiting_;  // of those that run: they count as stopped meanwhile
  std::vector<Merit> ended_;         // in the order of ends and waits; a trial may be there again
  std::shared_ptr<Fit> fit_, next_;  // that is used, and that was handed out
  std::optional<GaussianProcess> process_;  // of these trials, with the shape fitted to so many
  std::vector<std::uint64_t> in_process_;
  std::size_t process_fit_ = 0;
};

}  // namespace

SamplerKind gp_sampler() {
  return {.info = {.kind = "gp",
                   .doc = "Bayesian optimization: proposes the point of the largest expected "
                          "improvement under a Gaussian process. For few and long trials.",
                   .fields = {base::integer_field(
                       "startup", 10, 2, "trials",
                       "Number of evenly spread trials at the beginning. At least half of this "
                       "number must have ended before the model proposes.",
                       10'000)}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return std::make_unique<Gp>(setup);
          }};
}

}  // namespace hpo
