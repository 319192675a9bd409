// Stopping rules on tabulated learning curves: the study's own driver, sampler and rule, with
// nothing trained behind them.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "bench/bench.h"
#include "bench/driven.h"
#include "bench/fidelity_curves.h"
#include "bench/measure.h"
#include "hpo/driver/network_work.h"
#include "hpo/samplers/registry.h"
#include "hpo/stopping/registry.h"
#include "runtime/base/error.h"
#include "runtime/base/random.h"
#include "runtime/base/text.h"

namespace bench {

namespace {

constexpr double kBudgets[] = {5, 10, 20, 40};  ///< in whole trainings

/// A study under a rule.
struct Contender {
  std::string name;
  std::string method;
  hpo::Chosen rule;
};

template <class Kinds>
hpo::Chosen chosen(const Kinds& kinds, const std::string& name, const hpo::Params& said = {}) {
  const auto info = std::ranges::find(kinds, name, &hpo::KindInfo::name);
  if (info == kinds.end()) throw rt::Error(rt::Errc::internal, rt::cat("nothing is called ", name));
  hpo::Chosen chosen{.kind = name, .options = {}};
  for (const hpo::Option& option : info->options) {
    const hpo::ParamValue* value = said.find(option.name);
    chosen.options.set(option.name, value != nullptr ? *value : option.default_value.value());
  }
  return chosen;
}

hpo::StudySpec study_of(const Contender& contender, std::int64_t workers, std::uint64_t seed) {
  hpo::StudySpec study;
  study.name = "curves";
  study.seed = seed;
  study.space = curves_space();
  study.metric = {.name = "valid.loss", .goal = hpo::Goal::minimize};
  study.method = chosen(hpo::sampler_kinds(), contender.method);
  study.early_stop = contender.rule;
  study.max_epochs = kCurveEpochs;
  study.parallel = workers;
  return study;
}

/// Reads curves instead of training. Ends the study when `budget` epochs were spent, by trials that
/// ran ahead too: one on each slot, and no farther than its end.
class Reading final : public hpo::TrialWork {
 public:
  Reading(const hpo::StudySpec& study, const Curves& curves, double budget)
      : study_(study),
        curves_(curves),
        budget_(budget + static_cast<double>(study.parallel * kCurveEpochs)),
        borders_(hpo::report_borders(study, kCurveEpochs)) {}

  std::atomic<int> over{0};

  rt::Async<void> run(hpo::TrialContext& trial) override {
    const hpo::Params params = trial.params();
    rt::Stream noise(study_.seed, "noise", trial.trial());
    std::int64_t done = 0;
    for (const std::int64_t border : borders_) {
      trial.stretch(static_cast<double>(border - done));
      spent_ += static_cast<double>(border - std::exchange(done, border));
      if (spent_ >= budget_) over = 1;
      const double loss = curves_.loss(params, border) + curves_.noise * noise.normal();
      hpo::Report report{.step = border, .epochs = border, .value = loss};
      if (co_await trial.report(std::move(report)) == hpo::Word::stop) co_return;
    }
  }

  rt::Async<hpo::ExportedModel> finish(hpo::TrialRow, hpo::Lineage) override {
    co_return hpo::ExportedModel{};
  }

 private:
  const hpo::StudySpec& study_;
  const Curves& curves_;
  double budget_;
  std::vector<std::int64_t> borders_;
  double spent_ = 0;
};

/// In memory where the system has files there.
rt::Path scratch() {
  std::error_code error;
  const rt::Path memory = "/dev/shm";
  const rt::Path base = std::filesystem::is_directory(memory, error)
                            ? memory
                            : std::filesystem::temp_directory_path();
  return base / rt::cat("trellis-bench-fidelity-", ::getpid());
}

struct Simulated {
  std::vector<double> regrets;  ///< at each budget
  std::size_t trials = 0;
  double seconds = 0;  ///< real ones
};

/// What the best report by then was worth without its noise, above the best there is.
std::vector<double> regrets_of(const rt::Path& folder, std::int64_t workers, const Curves& curves) {
  std::vector<double> regrets;
  double best_seen = std::numeric_limits<double>::infinity(), worth = 1;
  std::map<std::uint64_t, hpo::Params> params;
  std::size_t next = 0;
  for (const hpo::EventRow& event : hpo::StudyReader(folder).events()) {
    while (next < std::size(kBudgets) &&
           event.vtime * static_cast<double>(workers) > kBudgets[next] * kCurveEpochs) {
      regrets.push_back(worth - curves.lowest);
      ++next;
    }
    if (event.kind != "created" && event.kind != "reported") continue;
    const hpo::EventBody body = hpo::body_of(event.kind, event.payload);
    if (const auto* created = std::get_if<hpo::Created>(&body)) {
      params[*event.trial] = created->params;
    } else if (const auto& report = std::get<hpo::Reported>(body); report.value < best_seen) {
      best_seen = report.value;
      worth = curves.loss(params.at(*event.trial), report.epochs);
    }
  }
  regrets.resize(std::size(kBudgets), worth - curves.lowest);
  return regrets;
}

Simulated simulate(const Contender& contender, const Curves& curves, std::int64_t workers,
                   std::uint64_t seed, double budget) {
  const rt::Path folder = scratch();
  const hpo::StudySpec study = study_of(contender, workers, seed);
  Reading work(study, curves, budget);
  Simulated simulated;
  simulated.seconds =
      run_study(study, work, folder, {.executor = rt::Executor::sequential}, &work.over);
  simulated.regrets = regrets_of(folder, workers, curves);
  simulated.trials = hpo::StudyReader(folder).trials().size();
  std::filesystem::remove_all(folder);
  return simulated;
}

std::vector<Contender> contenders() {
  const auto rules = hpo::stopping_kinds();
  const hpo::Params promote{{"promote", true}};
  std::vector<Contender> all;
  const auto add = [&](const std::string& name, const std::string& rule, const hpo::Params& said) {
    all.push_back({name, "random", chosen(rules, rule, said)});
  };
  add("auto", "auto", {});
  add("none", "none", {});
  add("median", "median", {});
  add("asha", "asha", {});
  add("asha, promote", "asha", promote);
  add("successive_halving", "successive_halving", {});
  add("hyperband", "hyperband", {});
  add("hyperband, promote", "hyperband", promote);
  all.push_back({"bohb, auto", "bohb", chosen(rules, "auto")});
  all.push_back({"bohb, hyperband", "bohb", chosen(rules, "hyperband")});
  return all;
}

/// The regrets of all seeds at each budget.
using Regrets = std::vector<std::vector<double>>;

Regrets regrets_of(const Contender& contender, const Curves& curves, std::int64_t workers,
                   int seeds) {
  Regrets regrets(std::size(kBudgets));
  for (int seed = 0; seed < seeds; ++seed) {
    show_progress(rt::cat("fidelity: ", curves.name, ", ", workers, " workers, ", contender.name,
                          ", seed ", seed));
    const Simulated one = simulate(contender, curves, workers, static_cast<std::uint64_t>(seed),
                                   kBudgets[std::size(kBudgets) - 1] * kCurveEpochs);
    for (std::size_t b = 0; b < regrets.size(); ++b) regrets[b].push_back(one.regrets[b]);
  }
  return regrets;
}

/// Mean regret at each budget, against the best of the others. The spread is the 95% interval of
/// the mean.
void compare(const Curves& curves, std::int64_t workers, int seeds, std::vector<Case>& cases) {
  const std::vector<Contender> all = contenders();
  std::vector<std::vector<MeanError>> means(all.size());
  for (std::size_t c = 0; c < all.size(); ++c)
    for (const std::vector<double>& regrets : regrets_of(all[c], curves, workers, seeds))
      means[c].push_back(mean_error(regrets));
  show_progress("");
  constexpr double kWidth = 2 * 1.96;
  for (std::size_t c = 0; c < all.size(); ++c) {
    for (std::size_t b = 0; b < std::size(kBudgets); ++b) {
      double best = std::numeric_limits<double>::infinity();
      std::string rival;
      for (std::size_t other = 0; other < all.size(); ++other) {
        if (other == c || means[other][b].mean >= best) continue;
        best = means[other][b].mean;
        rival = all[other].name;
      }
      const auto [ours, error] = means[c][b];
      cases.push_back({.name = rt::cat(curves.name, ": ", all[c].name, ", ", workers, " workers, ",
                                       kBudgets[b], " whole trainings"),
                       .ours = ours,
                       .unit = "regret",
                       .rival = rival,
                       .rival_value = best,
                       .ratio = best / ours,
                       .spread = kWidth * error / ours});
    }
  }
}

/// A day of 16 workers whose epochs last a minute.
Case a_day() {
  constexpr double kMinutes = 24 * 60;
  constexpr std::int64_t kWorkers = 16;
  const Contender contender{"asha", "random",
                            chosen(hpo::stopping_kinds(), "asha", {{"promote", true}})};
  const Curves curves = crossing_curves();
  std::vector<double> seconds;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    seconds.push_back(simulate(contender, curves, kWorkers, seed, kMinutes * kWorkers).seconds);
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
