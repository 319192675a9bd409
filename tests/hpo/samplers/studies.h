// Whole searches in miniature, the same for every sampler of the registry.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hpo/samplers/registry.h"
#include "tests/hpo/samplers/spaces.h"

namespace hpo {

inline constexpr std::int64_t kMaxStep = 9;

/// A sampler, a space that it takes, and how many metrics it searches for.
struct Searched {
  std::string kind, space_name;
  Space space;
  std::size_t metrics = 1;

  [[nodiscard]] std::unique_ptr<Sampler> make(std::uint64_t seed = 1) const {
    std::vector<std::string> explorable;
    for (const Parameter& p : space.parameters()) explorable.push_back(p.name);
    const SamplerKind& known = *find_sampler_kind(kind);
    return known.make({.space = space,
                       .seed = seed,
                       .options = options_of(known.info),
                       .max_step = kMaxStep,
                       .explorable = explorable,
                       .metrics = metrics});
  }
};

/// A score with so many metrics, the further ones at odds with the first.
inline Score scored(double loss, double broken, std::size_t metrics) {
  Score score(loss, broken);
  for (std::size_t i = 1; i < metrics; ++i)
    score.others.push_back(std::cos(static_cast<double>(i) + 3 * loss));
  return score;
}

/// Every sampler with every space of spaces.h that it takes, and with three metrics where it can.
inline std::vector<Searched> all_searched() {
  const std::pair<const char*, Space> named[] = {
      {"small", spaces::small()},           {"conditional", spaces::conditional()},
      {"continuous", spaces::continuous()}, {"single", spaces::single()},
      {"nested", spaces::nested()},         {"empty", spaces::empty()},
      {"ordered", spaces::ordered()},       {"priors", spaces::priors()},
      {"fenced", spaces::fenced()},         {"corner", spaces::corner()}};
  std::vector<Searched> all;
  for (const base::KindInfo& kind : sampler_kinds()) {
    for (const auto& [name, space] : named) {
      if (!sampler_refuses(kind.kind, space, {}).empty()) continue;
      all.push_back({kind.kind, name, space});
      if (searches_several(kind.kind)) all.push_back({kind.kind, name, space, 3});
    }
  }
  return all;
}

inline std::string name_of(const Searched& searched) {
  return searched.kind + "_" + searched.space_name + (searched.metrics > 1 ? "_several" : "");
}

/// One thing that a sampler is told.
struct Told {
  std::uint64_t trial = 0;
  bool created = false;
  Params params = {};               ///< of a trial that was created
  std::optional<Score> score = {};  ///< it reported, at `step`
  std::int64_t step = 1;
  bool paused = false, resumed = false, reopened = false;
  std::optional<TrialState> state = {};  ///< it ended

  void to(Sampler& sampler) const {
    if (created) sampler.created(trial, params);
    if (resumed) sampler.resumed(trial);
    if (reopened) sampler.reopened(trial);
    if (score) sampler.reported(trial, step, *score);
    if (paused) sampler.paused(trial);
    if (state) sampler.ended(trial, *state);
  }
};

/// A study with `slots` trials at a time that end out of order; some fail, some report no number,
/// some are stopped, some break bounds; some wait, of which some go on, some of those wait again;
/// those that failed run again, some of them twice, and some fail for good.
class Miniature {
 public:
  Miniature(Sampler& sampler, std::size_t slots, std::size_t metrics = 1)
      : sampler_(&sampler), slots_(slots), metrics_(metrics) {}

  /// Goes on with another sampler, which was told everything.
  void hand_over(Sampler& sampler) { sampler_ = &sampler; }

  /// Until `trials` were created or the space is exhausted.
  void run(std::size_t trials) {
    while (created_ < trials) {
      while (running_.size() >= slots_) end_one();
      if (created_ % 3 == 2 && !waiting_.empty()) go_on();
      if (running_.size() < slots_ && created_ % 5 == 1 && !failed_.empty()) reopen();
      if (running_.size() >= slots_) continue;
      const std::optional<Params> params = sampler_->propose(created_);
      if (!params) return;
      tell({.trial = created_, .created = true, .params = *params});
      running_.push_back(created_++);
    }
  }

  [[nodiscard]] const std::vector<Told>& history() const { return history_; }

 private:
  void tell(Told told) {
    told.to(*sampler_);
    history_.push_back(std::move(told));
  }

  void go_on() {
    const std::uint64_t trial = waiting_.front();
    waiting_.erase(waiting_.begin());
    if (trial % 4 == 1) return tell({.trial = trial, .state = TrialState::stopped});
    tell({.trial = trial, .resumed = true});
    running_.push_back(trial);
  }

  void reopen() {
    const std::uint64_t trial = failed_.front();
    failed_.erase(failed_.begin());
    tell({.trial = trial, .reopened = true});
    running_.push_back(trial);
  }

  void end_one() {
    const std::size_t which = (created_ * 7) % running_.size();
    const std::uint64_t trial = running_[which];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(which));
    constexpr double kOdd[] = {NAN, INFINITY, -INFINITY, 1e300};
    const double loss = trial % 11 == 5 ? kOdd[trial % 4] : std::sin(static_cast<double>(trial));
    const double broken = trial % 10 == 4 ? 1 / static_cast<double>(trial) : 0;
    const std::int64_t step = ++steps_[trial];
    const bool fails = (trial % 13 == 7 || trial % 7 == 4) && failures_[trial] < 1 + trial % 3;
    if (trial % 13 != 7)
      tell({.trial = trial, .score = scored(loss, broken, metrics_), .step = step});
    if (fails) {
      tell({.trial = trial, .state = TrialState::failed});
      if (++failures_[trial] < 3) failed_.push_back(trial);
      return;
    }
    if (trial % 13 != 7 && trial % 3 == 1 && step <= 1 + static_cast<std::int64_t>(trial % 2)) {
      tell({.trial = trial, .paused = true});
      return waiting_.push_back(trial);
    }
    tell({.trial = trial, .state = trial % 5 == 3 ? TrialState::stopped : TrialState::complete});
  }

  Sampler* sampler_;
  std::size_t slots_, metrics_;
  std::vector<std::uint64_t> running_, waiting_, failed_;
  std::map<std::uint64_t, std::int64_t> steps_;
  std::map<std::uint64_t, std::uint64_t> failures_;
  std::vector<Told> history_;
  std::uint64_t created_ = 0;
};

/// What was proposed, as text.
inline std::string proposals_of(const std::vector<Told>& history) {
  std::string text;
  for (const Told& told : history) {
    if (told.created) text += json_of(told.params) + "\n";
  }
  return text;
}

}  // namespace hpo
