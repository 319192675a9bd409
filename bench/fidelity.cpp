// Stopping rules on tabulated learning curves: the study's own driver, sampler and rule, with
// nothing trained behind them.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "bench/bench.h"
#include "bench/driven.h"
#include "bench/measure.h"
#include "hpo/driver/network_work.h"
#include "hpo/samplers/registry.h"
#include "hpo/stopping/registry.h"
#include "runtime/base/error.h"
#include "runtime/base/random.h"
#include "runtime/base/text.h"

namespace bench {

namespace {

constexpr std::int64_t kEpochs = 81;
constexpr double kBudgets[] = {5, 10, 20, 40};  ///< in whole trainings
constexpr double kNoise = 0.01;

/// A loss without its noise: of a trial with these params after so many epochs.
using Curve = double (*)(const hpo::Params&, std::int64_t);

double place(const hpo::Params& params, const char* name) {
  return std::get<double>(*params.find(name));
}

/// Final losses are a valley with ripples; what is slow in the beginning is better in the end, so
/// that curves cross.
double crossing(const hpo::Params& p, std::int64_t epoch) {
  const double rate = place(p, "rate"), size = place(p, "size"), decay = place(p, "decay");
  const double valley = 2 * (rate - 0.3) * (rate - 0.3) + (size - 0.7) * (size - 0.7) +
                        0.5 * (decay - 0.4) * (decay - 0.4);
  const double ripples = 0.02 * (1 - std::cos(12 * (size - 0.7)));
  const double final_loss = 0.1 + std::min(0.8, valley + ripples);
  const double speed = 0.35 + 1.1 * rate + 0.3 * (1 - size);
  return final_loss + (1 - final_loss) * std::pow(static_cast<double>(epoch), -speed);
}

/// Whoever is fast ends high: up to a dozen epochs the order is nearly the other way round.
double turned_round(const hpo::Params& p, std::int64_t epoch) {
  const double slow = place(p, "rate"), size = place(p, "size"), decay = place(p, "decay");
  const double final_loss = 0.05 + 0.3 * (1 - slow) + 0.4 * (size - 0.6) * (size - 0.6) +
                            0.3 * (decay - 0.4) * (decay - 0.4);
  const double lasts = 1.5 * std::pow(40.0, slow);
  return final_loss + (1 - final_loss) * std::exp(-static_cast<double>(epoch) / lasts);
}

struct Curves {
  const char* name;
  Curve loss;
};
constexpr Curves kCurves[]{{"crossing", crossing}, {"turned round", turned_round}};

double lowest_loss(Curve loss) {
  double lowest = 1;
  constexpr int kSteps = 60;
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; j <= kSteps; ++j) {
      const hpo::Params p{{"rate", i / static_cast<double>(kSteps)},
                          {"size", j / static_cast<double>(kSteps)},
                          {"decay", 0.4}};
      lowest = std::min(lowest, loss(p, kEpochs));
    }
  }
  return lowest;
}

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
  const hpo::FloatRange whole{.min = 0, .max = 1};
  study.space = hpo::Space({{.name = "rate", .domain = whole},
                            {.name = "size", .domain = whole},
                            {.name = "decay", .domain = whole}});
  study.metric = {.name = "valid.loss", .goal = hpo::Goal::minimize};
  study.method = chosen(hpo::sampler_kinds(), contender.method);
  study.early_stop = contender.rule;
  study.max_epochs = kEpochs;
  study.parallel = workers;
  return study;
}

/// Reads curves instead of training. Ends the study when `budget` epochs were spent.
class Reading final : public hpo::TrialWork {
 public:
  Reading(const hpo::StudySpec& study, Curve curve, double budget)
      : study_(study),
        curve_(curve),
        budget_(budget),
        borders_(hpo::report_borders(study, kEpochs)) {}

  std::atomic<int> over{0};

  rt::Async<void> run(hpo::TrialContext& trial) override {
    const hpo::Params params = trial.params();
    rt::Stream noise(study_.seed, "noise", trial.trial());
    std::int64_t done = 0;
    for (const std::int64_t border : borders_) {
      trial.stretch(static_cast<double>(border - done));
      spent_ += static_cast<double>(border - std::exchange(done, border));
      if (spent_ >= budget_) over = 1;
      const double loss = curve_(params, border) + kNoise * noise.normal();
      hpo::Report report{.step = border, .epochs = border, .value = loss};
      if (co_await trial.report(std::move(report)) == hpo::Word::stop) co_return;
    }
  }

  rt::Async<hpo::ExportedModel> finish(hpo::TrialRow, hpo::Lineage) override {
    co_return hpo::ExportedModel{};
  }

 private:
  const hpo::StudySpec& study_;
  Curve curve_;
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
std::vector<double> regrets_of(const rt::Path& folder, std::int64_t workers, Curve curve) {
  const double lowest = lowest_loss(curve);
  std::vector<double> regrets;
  double best_seen = std::numeric_limits<double>::infinity(), worth = 1;
  std::map<std::uint64_t, hpo::Params> params;
  std::size_t next = 0;
  for (const hpo::EventRow& event : hpo::StudyReader(folder).events()) {
    while (next < std::size(kBudgets) &&
           event.vtime * static_cast<double>(workers) > kBudgets[next] * kEpochs) {
      regrets.push_back(worth - lowest);
      ++next;
    }
    if (event.kind != "created" && event.kind != "reported") continue;
    const hpo::EventBody body = hpo::body_of(event.kind, event.payload);
    if (const auto* created = std::get_if<hpo::Created>(&body)) {
      params[*event.trial] = created->params;
    } else if (const auto& report = std::get<hpo::Reported>(body); report.value < best_seen) {
      best_seen = report.value;
      worth = curve(params.at(*event.trial), report.epochs);
    }
  }
  regrets.resize(std::size(kBudgets), worth - lowest);
  return regrets;
}

Simulated simulate(const Contender& contender, Curve curve, std::int64_t workers,
                   std::uint64_t seed, double budget) {
  const rt::Path folder = scratch();
  const hpo::StudySpec study = study_of(contender, workers, seed);
  Reading work(study, curve, budget);
  Simulated simulated;
  simulated.seconds =
      run_study(study, work, folder, {.executor = rt::Executor::sequential}, &work.over);
  simulated.regrets = regrets_of(folder, workers, curve);
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

/// Mean regret over the seeds at each budget, against the best of the others.
void compare(const Curves& curves, std::int64_t workers, int seeds, std::vector<Case>& cases) {
  const std::vector<Contender> all = contenders();
  std::vector<std::vector<double>> means(all.size(), std::vector<double>(std::size(kBudgets), 0));
  for (std::size_t c = 0; c < all.size(); ++c) {
    for (int seed = 0; seed < seeds; ++seed) {
      show_progress(rt::cat("fidelity: ", curves.name, ", ", workers, " workers, ", all[c].name,
                            ", seed ", seed));
      const Simulated one = simulate(all[c], curves.loss, workers, static_cast<std::uint64_t>(seed),
                                     kBudgets[std::size(kBudgets) - 1] * kEpochs * 1.02);
      for (std::size_t b = 0; b < std::size(kBudgets); ++b) means[c][b] += one.regrets[b] / seeds;
    }
  }
  show_progress("");
  for (std::size_t c = 0; c < all.size(); ++c) {
    for (std::size_t b = 0; b < std::size(kBudgets); ++b) {
      double best = std::numeric_limits<double>::infinity();
      std::string rival;
      for (std::size_t other = 0; other < all.size(); ++other) {
        if (other == c || means[other][b] >= best) continue;
        best = means[other][b];
        rival = all[other].name;
      }
      cases.push_back({.name = rt::cat(curves.name, ": ", all[c].name, ", ", workers, " workers, ",
                                       kBudgets[b], " whole trainings"),
                       .ours = means[c][b],
                       .unit = "regret",
                       .rival = rival,
                       .rival_value = best,
                       .ratio = best / means[c][b]});
    }
  }
}

/// A day of 16 workers whose epochs last a minute.
Case a_day() {
  constexpr double kMinutes = 24 * 60;
  constexpr std::int64_t kWorkers = 16;
  const Contender contender{"asha", "random",
                            chosen(hpo::stopping_kinds(), "asha", {{"promote", true}})};
  std::vector<double> seconds;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    seconds.push_back(simulate(contender, crossing, kWorkers, seed, kMinutes * kWorkers).seconds);
  const Sample sample = sample_of(seconds);
  return {.name = "24 hours of 16 workers, an epoch a minute",
          .ours = sample.median,
          .unit = "s",
          .spread = sample.spread};
}

}  // namespace

std::vector<Case> run_fidelity(const Options& options) {
  std::vector<Case> cases;
  const std::vector<std::int64_t> workers =
      options.quick ? std::vector<std::int64_t>{4} : std::vector<std::int64_t>{2, 4, 64};
  for (const Curves& curves : kCurves)
    for (const std::int64_t count : workers) compare(curves, count, options.quick ? 2 : 30, cases);
  cases.push_back(a_day());
  return cases;
}

}  // namespace bench
