#include "hpo/samplers/auto.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "hpo/samplers/gp.h"
#include "hpo/samplers/tpe.h"

namespace hpo {

namespace {

constexpr std::size_t kModelled = 100;  // trials
constexpr std::size_t kMostFree = 30;   // parameters

std::size_t free_parameters(const Space& space) {
  return static_cast<std::size_t>(std::ranges::count_if(
      space.parameters(), [](const Parameter& p) { return cardinality(p.domain) != 1; }));
}

bool is_modelled(const Space& space) { return free_parameters(space) <= kMostFree; }

std::unique_ptr<Sampler> made(const SamplerKind& kind, SamplerSetup setup) {
  for (const Option& option : kind.info.options)
    setup.options.set(option.name, *option.default_value);
  return kind.make(setup);
}

class Auto final : public Sampler {
 public:
  explicit Auto(const SamplerSetup& setup) : later_(made(tpe_kind(), setup)) {
    if (setup.metrics == 1 && is_modelled(setup.space)) first_ = made(gp_kind(), setup);
  }

  void created(std::uint64_t trial, const Params& params) override {
    if (first_) first_->created(trial, params);
    later_->created(trial, params);
  }

  void reported(std::uint64_t trial, std::int64_t step, const Score& score) override {
    if (first_) first_->reported(trial, step, score);
    later_->reported(trial, step, score);
  }

  void paused(std::uint64_t trial) override {
    if (first_) first_->paused(trial);
    later_->paused(trial);
    waiting_.insert(trial);
    count();
  }

  void resumed(std::uint64_t trial) override {
    if (first_) first_->resumed(trial);
    later_->resumed(trial);
    waiting_.erase(trial);
  }

  void ended(std::uint64_t trial, TrialState state) override {
    if (first_) first_->ended(trial, state);
    later_->ended(trial, state);
    waiting_.erase(trial);
    ++ended_;
    count();
  }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    const bool first = first_ && ordinal % 2 == 0;
    return (first ? first_ : later_)->propose(ordinal);
  }

 private:
  void count() {
    if (ended_ + waiting_.size() >= kModelled) first_.reset();
  }

  std::unique_ptr<Sampler> first_, later_;
  std::set<std::uint64_t> waiting_;
  std::size_t ended_ = 0;
};

std::string reason(const Space& space, std::size_t metrics) {
  if (metrics > 1) return "tpe, because " + std::to_string(metrics) + " metrics are searched for";
  const std::string free = std::to_string(free_parameters(space)), most = std::to_string(kMostFree);
  if (!is_modelled(space))
    return "tpe alone, because " + free + " parameters are free, more than the " + most +
           " that gp is good for";
  return "gp and tpe in turn for the first " + std::to_string(kModelled) +
         " trials, then tpe alone; parameters that are free: " + free + " (gp is good for " + most +
         ")";
}

}  // namespace

SamplerKind auto_kind() {
  return {.info = {.name = "auto",
                   .doc = "gp and tpe in turn for the first 100 trials where at most 30 parameters "
                          "are free, then tpe alone; `check` says which",
                   .options = {}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return std::make_unique<Auto>(setup);
          },
          .reason = reason,
          .several = true};
}

}  // namespace hpo
