#include "hpo/samplers/auto.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "hpo/samplers/cmaes.h"
#include "hpo/samplers/gp.h"
#include "hpo/samplers/nsga2.h"
#include "hpo/samplers/tpe.h"

namespace hpo {

namespace {

constexpr std::size_t kModelled = 200;  // trials
constexpr std::size_t kMany = 200;      // trials from which on a distribution moves
constexpr std::uint64_t kOther = 8;     // of so many proposals one is not the model's
constexpr std::size_t kMostFree = 30;   // parameters
constexpr std::size_t kMostBeside = 8;  // trials that run, for it to move alone
constexpr std::uint64_t kDense = 8;     // values

bool is_free(const Parameter& parameter) { return cardinality(parameter.domain) != 1; }

std::size_t free_parameters(const Space& space) {
  return static_cast<std::size_t>(std::ranges::count_if(space.parameters(), is_free));
}

bool is_modelled(const Space& space) { return free_parameters(space) <= kMostFree; }

/// Numbers that are always there, with so many values that steps may be small.
bool is_dense(const Parameter& parameter) {
  return parameter.when.empty() && has_order(parameter.domain) &&
         cardinality(parameter.domain).value_or(kDense) >= kDense;
}

bool is_flat(const Space& space) {
  return std::ranges::all_of(space.parameters(),
                             [](const Parameter& p) { return p.when.empty() || !is_free(p); });
}

bool is_landscape(const Space& space) {
  const std::size_t free = free_parameters(space);
  return free > 0 && free <= kMostFree &&
         std::ranges::all_of(space.parameters(),
                             [](const Parameter& p) { return !is_free(p) || is_dense(p); });
}

std::unique_ptr<Sampler> made(const SamplerKind& kind, SamplerSetup setup) {
  setup.options = options_of(kind.info);
  return kind.make(setup);
}

class Auto final : public Sampler {
 public:
  explicit Auto(const SamplerSetup& setup)
      : later_(made(tpe_sampler(), setup)), several_(setup.metrics > 1), learns_(several_) {
    if (several_) {
      if (is_flat(setup.space)) last_ = made(nsga2_sampler(), setup);
      return;
    }
    if (is_modelled(setup.space)) first_ = made(gp_sampler(), setup);
    if (is_landscape(setup.space)) last_ = made(cmaes_sampler(), setup);
  }

  void created(std::uint64_t trial, const Params& params) override {
    if (first_) first_->created(trial, params);
    later_->created(trial, params);
    if (last_) last_->created(trial, params);
    ++created_;
  }

  void reported(std::uint64_t trial, std::int64_t step, const Score& score) override {
    if (first_) first_->reported(trial, step, score);
    later_->reported(trial, step, score);
    if (last_) last_->reported(trial, step, score);
  }

  void paused(std::uint64_t trial) override {
    if (first_) first_->paused(trial);
    later_->paused(trial);
    if (last_ && learns_) last_->paused(trial);
    waiting_.insert(trial);
    count();
  }

  void resumed(std::uint64_t trial) override {
    if (first_) first_->resumed(trial);
    later_->resumed(trial);
    if (last_ && learns_) last_->resumed(trial);
    waiting_.erase(trial);
  }

  void ended(std::uint64_t trial, TrialState state) override {
    if (first_) first_->ended(trial, state);
    later_->ended(trial, state);
    if (last_ && learns_) last_->ended(trial, state);
    waiting_.erase(trial);
    ++ended_;
    count();
  }

  void reopened(std::uint64_t trial) override {
    if (first_) first_->reopened(trial);
    later_->reopened(trial);
    if (last_ && learns_) last_->reopened(trial);
    --ended_;
  }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    if (last_ && many_ && (ordinal % 2 == 0 || several_ || created_ - over() < kMostBeside))
      return last_->propose(ordinal);
    return (first_ && ordinal % kOther != 1 ? first_ : later_)->propose(ordinal);
  }

  std::function<void()> work_ahead() override { return first_ ? first_->work_ahead() : nullptr; }

 private:
  [[nodiscard]] std::size_t over() const { return ended_ + waiting_.size(); }

  void count() {
    if (over() >= kModelled) first_.reset();
    if (over() >= kMany) many_ = learns_ = true;
  }

  std::unique_ptr<Sampler> first_, later_, last_;
  std::set<std::uint64_t> waiting_;
  std::size_t created_ = 0, ended_ = 0;
  bool several_;         ///< metrics
  bool many_ = false;    ///< trials have ended; stays so where those that wait go on
  bool learns_ = false;  ///< `last_`: a distribution from its turn on, a population from the first
};

bool ends_within(const Prospect& prospect, std::size_t trials) {
  return prospect.trials && *prospect.trials <= static_cast<std::int64_t>(trials);
}

/// What is asked once many trials have ended, and how many run beside each other then.
std::string moving(const Prospect& prospect, const std::string& why) {
  const std::string most = std::to_string(kMostBeside);
  if (prospect.parallel <= 0)
    return "then cmaes, with tpe in turn while more than " + most + " trials run, " + why;
  const std::string parallel = " and parallel is " + std::to_string(prospect.parallel);
  if (prospect.parallel <= static_cast<std::int64_t>(kMostBeside))
    return "then cmaes, " + why + parallel + ", at most " + most;
  return "then cmaes and tpe in turn, " + why + parallel + ", more than " + most;
}

std::string reason(const Space& space, const Prospect& prospect) {
  const std::string limit = prospect.trials ? std::to_string(*prospect.trials) : "";
  const std::string many = std::to_string(kMany);
  if (prospect.metrics > 1) {
    const std::string why =
        "because " + std::to_string(prospect.metrics) + " metrics are searched for";
    if (!is_flat(space)) return "tpe, " + why + " and parameters are conditional";
    if (ends_within(prospect, kMany))
      return "tpe, " + why + " and limits.trials is " + limit + ", at most " + many;
    return "tpe for the first " + many + " trials, then nsga2, " + why +
           " and no parameter is conditional";
  }
  const std::string free = std::to_string(free_parameters(space)), most = std::to_string(kMostFree);
  if (!is_modelled(space))
    return "tpe alone, because " + free + " parameters are free, more than the " + most +
           " that gp is good for";
  const std::string first = "gp, and tpe for every eighth trial, ";
  if (ends_within(prospect, kModelled))
    return first + "because limits.trials is " + limit + " and " + free +
           " parameters are free, at most " + most;
  const std::string behind = first + "for the first " + std::to_string(kModelled) + " trials, ";
  if (!is_landscape(space))
    return behind + "then tpe, because not all free parameters (" + free + ") are numbers of " +
           std::to_string(kDense) + " values or more that always exist";
  return behind + moving(prospect, "because all free parameters (" + free + ") are numbers");
}

}  // namespace

SamplerKind auto_sampler() {
  return {
      .info = {.kind = "auto",
               .doc =
                   "Chooses a sampler by the space and by the number of trials. With at most 30 "
                   "free parameters, the first 200 trials come from `gp`, except every eighth, "
                   "which comes from `tpe`. Later trials come from `tpe`, or from `cmaes` if all "
                   "parameters are numbers. With more free parameters, `auto` uses `tpe`. With "
                   "several metrics, it uses `tpe`, and after 200 trials `nsga2` if no parameter "
                   "is conditional. `check` reports the choice and its reason.",
               .fields = {}},
      .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
        return std::make_unique<Auto>(setup);
      },
      .reason = reason,
      .several = true};
}

}  // namespace hpo
