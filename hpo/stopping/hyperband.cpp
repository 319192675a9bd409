#include "hpo/stopping/hyperband.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "hpo/stopping/asha.h"
#include "hpo/stopping/options.h"
#include "hpo/stopping/rungs.h"

namespace hpo {

namespace {

constexpr std::int64_t kBrackets = 5;

/// Deals trials out, one after the other.
class Dealer {
 public:
  explicit Dealer(std::vector<std::int64_t> sizes)
      : sizes_(std::move(sizes)), dealt_(sizes_.size(), 0) {}

  std::size_t next() {
    std::size_t least = 0;
    for (std::size_t s = 1; s < sizes_.size(); ++s) {
      // (dealt + 1) / size without a division
      if ((dealt_[s] + 1) * sizes_[least] < (dealt_[least] + 1) * sizes_[s]) least = s;
    }
    ++dealt_[least];
    return least;
  }

 private:
  std::vector<std::int64_t> sizes_, dealt_;
};

class Hyperband final : public StoppingRule {
 public:
  Hyperband(const RuleSetup& setup, AshaBracket first, std::int64_t most)
      : promote_(first.promote),
        steps_(rungs_below(setup.max_step, first.min, first.eta)),
        dealer_(bracket_sizes(std::min<std::int64_t>(most, std::ssize(steps_) + 1), first.eta)) {
    const auto brackets = std::min<std::int64_t>(most, std::ssize(steps_) + 1);
    for (std::int64_t s = 0; s < brackets; ++s) {
      AshaBracket bracket = first;
      bracket.min = s < std::ssize(steps_) ? steps_[static_cast<std::size_t>(s)] : setup.max_step;
      brackets_.push_back(make_asha(bracket));
    }
  }

  bool decides(std::int64_t last, std::int64_t step) const override {
    return reaches(steps_, last, step);
  }

  bool pauses() const override { return promote_; }

  Decision reported(std::uint64_t trial, std::int64_t step, double loss) override {
    return bracket_of(trial).reported(trial, step, loss);
  }

  std::optional<std::uint64_t> promotes(bool last) const override {
    for (const auto& bracket : brackets_) {
      if (const auto trial = bracket->promotes(false)) return trial;
    }
    if (!last || complete_) return std::nullopt;
    for (const auto& bracket : brackets_) {
      if (const auto trial = bracket->promotes(true)) return trial;
    }
    return std::nullopt;
  }

  void resumed(std::uint64_t trial) override { bracket_of(trial).resumed(trial); }

  void ended(std::uint64_t trial, TrialState state) override {
    complete_ = complete_ || state == TrialState::complete;
    bracket_of(trial).ended(trial, state);
  }

  void reopened(std::uint64_t trial) override { bracket_of(trial).reopened(trial); }

 private:
  StoppingRule& bracket_of(std::uint64_t trial) {
    while (places_.size() <= trial) places_.push_back(dealer_.next());
    return *brackets_[places_[trial]];
  }

  bool promote_;
  std::vector<std::int64_t> steps_;
  Dealer dealer_;
  std::vector<std::unique_ptr<StoppingRule>> brackets_;
  std::vector<std::size_t> places_;  // of trials
  bool complete_ = false;
};

}  // namespace

std::vector<std::int64_t> bracket_sizes(std::int64_t brackets, std::int64_t eta) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t s = 0; s < brackets; ++s) {
    const double share = static_cast<double>(brackets) / static_cast<double>(brackets - s);
    const double trials = std::pow(static_cast<double>(eta), static_cast<double>(brackets - 1 - s));
    sizes.push_back(static_cast<std::int64_t>(std::ceil(share * trials - 1e-9)));
  }
  return sizes;
}

std::vector<std::size_t> deal_brackets(const std::vector<std::int64_t>& sizes, std::size_t trials) {
  Dealer dealer(sizes);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < trials; ++i) places.push_back(dealer.next());
  return places;
}

StoppingKind hyperband_rule() {
  base::FieldInfo brackets =
      base::integer_field("brackets", kBrackets, 1, "",
                          "Number of brackets, at most the number of rungs plus one. With one more "
                          "bracket than rungs, the last bracket stops no trial.");
  brackets.max = 20;
  return {.info = {.kind = "hyperband",
                   .doc = "Several `asha` brackets side by side. Each bracket has a later first "
                          "rung than the previous bracket, and fewer trials.",
                   .fields = {first_rung_option(kDefaultMin), eta_option(kDefaultEta),
                              std::move(brackets), promote_option()}},
          .make = [](const RuleSetup& setup) -> std::unique_ptr<StoppingRule> {
            const AshaBracket first{.max = setup.max_step,
                                    .min = int_option(setup, "min", kDefaultMin),
                                    .eta = int_option(setup, "eta", kDefaultEta),
                                    .promote = flag_option(setup, "promote")};
            return std::make_unique<Hyperband>(setup, first,
                                               int_option(setup, "brackets", kBrackets));
          }};
}

}  // namespace hpo
