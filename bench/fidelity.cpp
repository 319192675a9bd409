// Stopping rules, and samplers with them, on tabulated learning curves.

#include <limits>
#include <span>

#include "base/text.h"
#include "bench/bench.h"
#include "bench/fidelity_play.h"
#include "bench/measure.h"

namespace bench {

namespace {

constexpr double kBudgets[] = {5, 10, 20, 40};  ///< in whole trainings

/// `auto`, then what is held against it, then the rules that it is held against.
constexpr std::size_t kFirstFixed = 3;

std::vector<Contender> contenders() {
  const hpo::Params promote{{"promote", true}};
  std::vector<Contender> all{{"auto", "random", chosen_rule("auto")},
                             {"bohb, auto", "bohb", chosen_rule("auto")},
                             {"tpe, auto", "tpe", chosen_rule("auto")}};
  const auto add = [&](const std::string& name, const std::string& rule, const hpo::Params& said) {
    all.push_back({name, "random", chosen_rule(rule, said)});
  };
  add("none", "none", {});
  add("median", "median", {});
  add("asha", "asha", {});
  add("asha, promote", "asha", promote);
  add("successive_halving", "successive_halving", {});
  add("hyperband", "hyperband", {});
  add("hyperband, 3 brackets", "hyperband", {{"brackets", std::int64_t{3}}});
  add("hyperband, promote", "hyperband", promote);
  return all;
}

/// The mean regret of all seeds at each budget.
std::vector<MeanError> regrets_of(const Contender& contender, const Curves& curves,
                                  std::int64_t workers, int seeds) {
  std::vector<double> budgets;
  for (const double trainings : kBudgets) budgets.push_back(trainings * kCurveEpochs);
  std::vector<std::vector<double>> regrets(budgets.size());
  for (int seed = 0; seed < seeds; ++seed) {
    show_progress(base::cat("fidelity: ", curves.name, ", ", workers, " workers, ", contender.name,
                            ", seed ", seed));
    const Played one = play(contender, curves, workers, static_cast<std::uint64_t>(seed), budgets);
    for (std::size_t b = 0; b < regrets.size(); ++b) regrets[b].push_back(one.regrets[b]);
  }
  std::vector<MeanError> means;
  means.reserve(regrets.size());
  for (const std::vector<double>& at : regrets) means.push_back(mean_error(at));
  return means;
}

/// `auto` against the best of the fixed rules at each budget, everything else against `auto`. The
/// spread is the 95% interval of the mean.
void compare(const Curves& curves, std::int64_t workers, int seeds, std::vector<Case>& cases) {
  const std::vector<Contender> all = contenders();
  std::vector<std::vector<MeanError>> means;
  for (const Contender& one : all) means.push_back(regrets_of(one, curves, workers, seeds));
  show_progress("");
  constexpr double kWidth = 2 * 1.96;
  for (std::size_t c = 0; c < all.size(); ++c) {
    for (std::size_t b = 0; b < std::size(kBudgets); ++b) {
      std::size_t rival = c == 0 ? kFirstFixed : 0;
      for (std::size_t other = kFirstFixed; c == 0 && other < all.size(); ++other)
        if (means[other][b].mean < means[rival][b].mean) rival = other;
      const auto [ours, error] = means[c][b];
      cases.push_back({.name = base::cat(curves.name, ": ", all[c].name, ", ", workers,
                                         " workers, ", kBudgets[b], " whole trainings"),
                       .ours = ours,
                       .unit = "regret",
                       .rival = all[rival].name,
                       .rival_value = means[rival][b].mean,
                       .ratio = means[rival][b].mean / ours,
                       .spread = kWidth * error / ours});
    }
  }
}

/// A day of 16 workers whose epochs last a minute.
Case a_day() {
  constexpr double kMinutes = 24 * 60;
  constexpr std::int64_t kWorkers = 16;
  const Contender contender{"auto", "random", chosen_rule("auto")};
  const Curves curves = crossing_curves();
  const double day[] = {kMinutes * kWorkers};
  std::vector<double> seconds;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    seconds.push_back(play(contender, curves, kWorkers, seed, day).seconds);
  const Sample sample = sample_of(seconds);
  return {.name = "24 hours of 16 workers, an epoch a minute",
          .ours = sample.median,
          .unit = "s",
          .spread = sample.spread};
}

/// The curves asked for by name, or all.
std::vector<Curves> chosen_curves(const std::vector<Curves>& all, const std::string& list) {
  std::vector<std::string> known;
  for (const Curves& one : all) known.push_back(one.name);
  std::vector<Curves> chosen;
  for (const std::size_t at : places_of(list, known, "--problems: there are no curves "))
    chosen.push_back(all[at]);
  return chosen;
}

}  // namespace

std::vector<Case> run_fidelity(const Options& options) {
  constexpr int kSeeds = 30, kQuickSeeds = 2;
  std::vector<Case> cases;
  const std::vector<std::int64_t> workers =
      options.quick ? std::vector<std::int64_t>{4} : std::vector<std::int64_t>{2, 4, 64};
  const int seeds = options.seeds > 0 ? options.seeds : options.quick ? kQuickSeeds : kSeeds;
  std::vector<Curves> all = measured_curves();
  all.insert(all.begin(), {crossing_curves(), turned_curves()});
  for (const Curves& curves : chosen_curves(all, options.problems))
    for (const std::int64_t count : workers) compare(curves, count, seeds, cases);
  cases.push_back(a_day());
  return cases;
}

}  // namespace bench
