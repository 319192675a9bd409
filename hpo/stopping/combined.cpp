#include "hpo/stopping/combined.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hpo {

namespace {

using Rules = std::vector<std::unique_ptr<StoppingRule>>;

class Combined final : public StoppingRule {
 public:
  Combined(Rules rules, bool all) : rules_(std::move(rules)), all_(all) {}

  bool decides(std::int64_t last, std::int64_t step) const override {
    return std::ranges::any_of(rules_, [&](const auto& rule) { return rule->decides(last, step); });
  }

  bool pauses() const override {
    return std::ranges::any_of(rules_, [](const auto& rule) { return rule->pauses(); });
  }

  Decision reported(std::uint64_t trial, std::int64_t step, double loss) override {
    Standing& standing = standings_[trial];
    standing.stops.resize(rules_.size(), false);
    bool waits = false;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const bool decides = rules_[i]->decides(standing.last, step);
      const Decision decision = rules_[i]->reported(trial, step, loss);
      if (decides) standing.stops[i] = decision == Decision::stop;
      waits = waits || decision == Decision::pause;
    }
    const bool decided = decides(std::exchange(standing.last, step), step);
    if (decided && stopped(standing)) return Decision::stop;
    return waits ? Decision::pause : Decision::go;
  }

  void ended(std::uint64_t trial, TrialState state) override {
    if (state != TrialState::failed) standings_.erase(trial);
    for (const auto& rule : rules_) rule->ended(trial, state);
  }

  void reopened(std::uint64_t trial) override {
    for (const auto& rule : rules_) rule->reopened(trial);
  }

  std::optional<std::uint64_t> promotes(bool last) const override {
    for (const auto& rule : rules_) {
      if (const auto trial = rule->promotes(last)) return trial;
    }
    return std::nullopt;
  }

  std::vector<std::uint64_t> gives_up() const override {
    for (const auto& rule : rules_) {
      if (rule->pauses()) return rule->gives_up();
    }
    return {};
  }

  void resumed(std::uint64_t trial) override {
    for (const auto& rule : rules_) rule->resumed(trial);
  }

 private:
  struct Standing {
    std::int64_t last = 0;
    std::vector<bool> stops;  ///< what each rule last said
  };

  [[nodiscard]] bool stopped(const Standing& standing) const {
    const auto says = [](bool stops) { return stops; };
    return all_ ? std::ranges::all_of(standing.stops, says)
                : std::ranges::any_of(standing.stops, says);
  }

  Rules rules_;
  bool all_;
  std::unordered_map<std::uint64_t, Standing> standings_;  ///< of those that run, or failed
};

std::unique_ptr<StoppingRule> combine(const RuleSetup& setup, bool all) {
  Rules rules;
  for (const Chosen& chosen : setup.of) {
    RuleSetup one = setup;
    one.options = chosen.options;
    one.of = chosen.of;
    rules.push_back(make_stopping_rule(chosen.kind, one));
    if (!rules.back()) return nullptr;
  }
  return std::make_unique<Combined>(std::move(rules), all);
}

}  // namespace

StoppingKind any_of_rule() {
  return {.info = {.kind = "any_of",
                   .doc = "Stops a trial when one of the rules stops it. At most one of the rules "
                          "may pause trials.",
                   .fields = {}},
          .make = [](const RuleSetup& setup) { return combine(setup, false); },
          .combines = true};
}

StoppingKind all_of_rule() {
  return {
      .info = {.kind = "all_of",
               .doc =
                   "Stops a trial when all of the rules would stop it. The last decision of a rule "
                   "about a trial holds until the next decision of that rule. None of the rules "
                   "may pause trials.",
               .fields = {}},
      .make = [](const RuleSetup& setup) { return combine(setup, true); },
      .combines = true};
}

}  // namespace hpo
