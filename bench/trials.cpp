// Trials with an empty body, through driver, runtime and log on disk, against Optuna with SQLite
// and Ray Tune.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/driven.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "hpo/export/export.h"
#include "runtime/task.h"

namespace bench {

namespace {

/// Each trial runs one empty task a report and hands in its parameter x.
class EmptyWork final : public hpo::TrialWork {
 public:
  explicit EmptyWork(std::int64_t reports) : reports_(reports) {}

  rt::Async<void> run(hpo::TrialContext& trial) override {
    static const auto empty = rt::task("empty", 1).cpu([](double x) -> double { return x; });
    double x = *hpo::number_of(*trial.params().find("x"));
    for (std::int64_t step = 1; step <= reports_; ++step) {
      trial.segment(1);
      double value = co_await empty(x);
      hpo::Report report{.step = step, .epochs = step, .value = value};
      report.metrics.emplace_back("valid.accuracy", report.value);
      if (co_await trial.report(std::move(report)) == hpo::Decision::stop) co_return;
    }
  }
  rt::Async<hpo::ExportedModel> finish(hpo::TrialRow, hpo::Lineage,
                                       const hpo::TrialTable&) override {
    co_return hpo::ExportedModel{};
  }

 private:
  std::int64_t reports_;
};

std::string study_text(int trials, std::int64_t reports) {
  std::string root = base::Path(rivals_folder()).parent_path().parent_path().string();
  return base::cat(
      "name: empty\ndata: {csv: ", root, "/experiments/data/digits.csv.gz}\n",
      "train: {optimizer: {adam: {lr: $x, weight_decay: $y}}, epochs: ", reports, "}\n",
      "metric: {name: valid.accuracy, goal: maximize}\nmethod: random\nearly_stop: none\n",
      "parameters:\n  x: {min: 0.1, max: 1.0}\n  y: {min: 0.0, max: 1.0}\nlimits: {trials: ",
      trials, "}\n");
}

double seconds_of(const base::Path& folder, int trials, std::int64_t reports,
                  const Options& options) {
  const hpo::StudySpec study =
      hpo::parse_study(study_text(trials, reports), "bench", folder.string());
  rt::Config config;
  config.workers = options.workers;
  EmptyWork work(reports);
  const double seconds = run_study(study, work, folder, config);
  if (hpo::StudyReader(folder).counts().complete != trials)
    throw base::Error(base::Errc::internal, "not every empty trial is complete in the log");
  return seconds;
}

/// Seconds a trial of a rival's program that prints {"trials", "seconds"}; NaN when it is not
/// there.
double rival_seconds(const std::string& python, const std::string& script, int trials) {
  if (python.empty()) return NAN;
  Finished done =
      run_program({python, "-B", rivals_folder() + "/" + script, std::to_string(trials)});
  if (done.exit_code != 0) {
    std::fprintf(stderr, "trials: %s ended with exit code %d, so it is left out\n", script.c_str(),
                 done.exit_code);
    return NAN;
  }
  // The figures are the last thing it prints; a rival may talk before that.
  auto figures = nlohmann::json::parse(done.output.substr(done.output.rfind('{')));
  return figures["seconds"].get<double>() / figures["trials"].get<double>();
}

Case against(const Sample& ours, int trials, std::string rival, double rival_value) {
  Case one{.name = base::cat("a trial with an empty body, of ", trials),
           .ours = ours.median / trials * 1e6,
           .unit = "us",
           .rival = std::move(rival),
           .rival_value = rival_value * 1e6,
           .spread = ours.spread};
  one.ratio = one.rival_value / one.ours;
  return one;
}

}  // namespace

std::vector<Case> run_trials(const Options& options) {
  const int trials = options.quick ? 100 : 1000;
  const int rival_trials = options.quick ? 20 : 200;
  const base::TemporaryFolder scratch("trellis-bench-trials-");
  const base::Path& folder = scratch.path();
  Sample ours =
      repeat(options.quick ? 1 : 5, [&] { return seconds_of(folder, trials, 1, options); });
  const int long_trials = options.quick ? 10 : 100;
  constexpr std::int64_t kReports = 200;
  Sample reports = repeat(options.quick ? 1 : 5,
                          [&] { return seconds_of(folder, long_trials, kReports, options); });
  std::string python = rivals_python();
  std::vector<Case> cases{against(ours, trials, "Optuna with SQLite",
                                  rival_seconds(python, "trials_optuna.py", rival_trials)),
                          against(ours, trials, "Ray Tune",
                                  rival_seconds(python, "trials_ray.py", options.quick ? 4 : 20))};
  cases.push_back({.name = "reported values, logged",
                   .ours = long_trials * kReports / reports.median,
                   .unit = "values/s",
                   .spread = reports.spread});
  return cases;
}

}  // namespace bench
