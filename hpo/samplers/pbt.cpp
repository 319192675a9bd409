#include "hpo/samplers/pbt.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "hpo/samplers/explore.h"
#include "hpo/samplers/random.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr std::int64_t kMembers = 8;

std::int64_t members_of(const Params& options) {
  const ParamValue* value = options.find("members");
  return value != nullptr ? std::get<std::int64_t>(*value) : kMembers;
}

struct Member {
  Params params;
  std::int64_t step = 0;  ///< of its last report
  Score score{0};
  bool waits = false;
};

class Pbt final : public Sampler {
 public:
  explicit Pbt(const SamplerSetup& setup)
      : space_(setup.space),
        seed_(setup.seed),
        members_(static_cast<std::size_t>(members_of(setup.options))),
        every_(std::get<std::int64_t>(*setup.options.find("every"))),
        max_step_(setup.max_step),
        quantile_(number_of(*setup.options.find("quantile")).value()),
        explore_{.parameters = setup.explorable,
                 .resample = number_of(*setup.options.find("resample")).value(),
                 .factor = number_of(*setup.options.find("factor")).value()},
        reshapes_(setup.reshapes),
        random_(random_sampler().make(setup)) {}

  void created(std::uint64_t trial, const Params& params) override {
    random_->created(trial, params);
    ++created_;
    population_[trial].params = params;
  }

  void reported(std::uint64_t trial, std::int64_t step, const Score& score) override {
    Member& member = population_.at(trial);
    member.step = step;
    member.score = score;
    member.waits = pauses(step);
    if (member.waits && step <= decided_) return let_go_on(trial);
    select();
  }

  void ended(std::uint64_t trial, TrialState state) override {
    auto member = population_.extract(trial);
    if (state == TrialState::failed) failed_.insert(std::move(member));
    forget(trial);
    select();
  }

  /// The population may have passed boundaries that the member comes to now: nobody waits for it
  /// there.
  void reopened(std::uint64_t trial) override {
    population_.insert(failed_.extract(trial));
    population_.at(trial).waits = false;
  }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    return random_->propose(ordinal);
  }

  bool pauses(std::int64_t step) const override { return step < max_step_ && step % every_ == 0; }

  std::vector<Resumption> decide() const override { return resumptions_; }

  void replaced(std::uint64_t trial, const Params& params) override {
    population_.at(trial).params = params;
    forget(trial);
  }

  void resumed(std::uint64_t trial) override {
    population_.at(trial).waits = false;
    forget(trial);
  }

 private:
  void forget(std::uint64_t trial) {
    std::erase_if(resumptions_, [&](const Resumption& d) { return d.trial == trial; });
  }

  void let_go_on(std::uint64_t trial) {
    resumptions_.push_back({.trial = trial});
    std::ranges::sort(resumptions_, {}, &Resumption::trial);
  }

  /// Decides about the whole population once all of it waits at the same boundary.
  void select() {
    if (created_ < members_ || population_.empty()) return;
    const std::int64_t step = population_.begin()->second.step;
    const bool all_there = std::ranges::all_of(
        population_, [&](const auto& m) { return m.second.waits && m.second.step == step; });
    if (!all_there || step == decided_) return;
    decided_ = step;
    const std::vector<std::uint64_t> ranked = ranking();
    const std::size_t chosen = quantile_of(ranked.size());
    std::vector<std::uint64_t> best;
    for (std::size_t i = 0; i < chosen && !diverged(ranked[i]); ++i) best.push_back(ranked[i]);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      const bool falls = !best.empty() && (i + chosen >= ranked.size() || diverged(ranked[i]));
      resumptions_.push_back(falls ? take_over(ranked[i], best) : Resumption{.trial = ranked[i]});
    }
    std::ranges::sort(resumptions_, {}, &Resumption::trial);
  }

  /// Best first; those that break bounds behind those that break none, what is no finite number
  /// last; among equals the lower number first.
  [[nodiscard]] std::vector<std::uint64_t> ranking() const {
    std::vector<std::uint64_t> ranked;
    for (const auto& [trial, member] : population_) ranked.push_back(trial);
    std::ranges::sort(ranked, {}, [&](std::uint64_t trial) {
      const Score& score = population_.at(trial).score;
      if (diverged(trial)) return std::tuple(true, 0.0, 0.0, trial);
      return std::tuple(false, score.violation, score.loss, trial);
    });
    return ranked;
  }

  [[nodiscard]] bool diverged(std::uint64_t trial) const {
    return !std::isfinite(population_.at(trial).score.loss);
  }

  /// How many fall, and how many they may be replaced by.
  [[nodiscard]] std::size_t quantile_of(std::size_t size) const {
    const double share = std::ceil(quantile_ * static_cast<double>(size) - 1e-9);
    return std::min(static_cast<std::size_t>(share), size / 2);
  }

  [[nodiscard]] Resumption take_over(std::uint64_t trial,
                                     const std::vector<std::uint64_t>& best) const {
    Stream stream(seed_, "explore", decided_ / every_, trial);
    Resumption resumption{.trial = trial, .source = best[stream.below(best.size())]};
    const std::uint64_t reshape = stream.below(reshapes_ + 1);
    if (reshape < reshapes_) resumption.reshape = reshape;
    resumption.params =
        explored(space_, population_.at(*resumption.source).params, explore_, stream);
    return resumption;
  }

  const Space& space_;
  std::uint64_t seed_;
  std::size_t members_;
  std::int64_t every_, max_step_;
  double quantile_;
  Exploration explore_;
  std::size_t reshapes_;
  std::unique_ptr<Sampler> random_;

  std::size_t created_ = 0;
  std::map<std::uint64_t, Member> population_;  ///< trials that have not ended
  std::map<std::uint64_t, Member> failed_;      ///< as they were
  std::int64_t decided_ = 0;                    ///< the last boundary that was decided about
  std::vector<Resumption> resumptions_;         ///< that nobody acted on yet, in trial order
};

std::string pbt_refusal(const Space& space, const Params& options) {
  const std::optional<std::uint64_t> points = space.grid_size();
  const std::int64_t members = members_of(options);
  if (!points || *points >= static_cast<std::uint64_t>(members)) return "";
  return "a population of " + std::to_string(members) + " begins with as many different points, " +
         "but the space has " + std::to_string(*points);
}

base::FieldInfo share_option(std::string name, double value, double max, std::string doc) {
  return {.name = std::move(name),
          .type = base::FieldType::real,
          .min = 0,
          .max = max,
          .value = value,
          .doc = std::move(doc)};
}

std::vector<base::FieldInfo> options() {
  return {{.name = "members",
           .type = base::FieldType::integer,
           .min = 2,
           .max = 10'000,
           .value = kMembers,
           .unit = "trials",
           .doc = "Size of the population."},
          {.name = "every",
           .type = base::FieldType::integer,
           .min = 1,
           .max = 1e6,
           .value = std::int64_t{1},
           .unit = "epochs",
           .doc = "Epochs from one comparison to the next."},
          share_option("quantile", 0.25, 0.5,
                       "Share of the population that is replaced, rounded up, by copies of as many "
                       "of the best members. 0: none."),
          share_option("resample", 0.25, 1,
                       "Probability that a parameter is drawn anew instead of perturbed."),
          {.name = "factor",
           .type = base::FieldType::real,
           .min = 1.001,
           .max = 1000,
           .value = 1.2,
           .doc = "Factor by which a perturbed number is multiplied or divided. Ints and stepped "
                  "numbers move by at least one step. Numbers of a list and words of an ordered "
                  "list move to a neighbor. Other words stay the same."}};
}

}  // namespace

SamplerKind pbt_sampler() {
  return {
      .info = {.kind = "pbt",
               .doc = "Population based training: after each comparison, the worst members "
                      "continue with networks of the best members and with parameters near theirs.",
               .fields = options()},
      .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
        return std::make_unique<Pbt>(setup);
      },
      .refuses = pbt_refusal,
      .population = true};
}

}  // namespace hpo
