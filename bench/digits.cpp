// The digits sweep against the same search with other tools, all as whole programs.

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "bench/rival.h"
#include "hpo/study/trial_spec.h"
#include "nn/data/load.h"

namespace bench {

namespace {

constexpr int kDigitsSeeds = 20, kQuickDigitsSeeds = 2, kDigitsTrials = 60;

/// Ways of writing the same search (bench/rivals/digits.py).
constexpr std::array kDigitsRivals{
    Rival{"optuna-jax", "Optuna's TPE and halving, JAX", false},
    Rival{"optuna-torch", "Optuna's TPE and halving, PyTorch", false},
    Rival{"pool", "random and halving in a pool, PyTorch", false},
    Rival{"ray", "Ray Tune, as its tutorial writes it", true}};

/// Figures of one program, one a seed.
struct Figures {
  std::vector<double> seconds, megabytes, accuracy;
};

std::string study_text() {
  const std::string root = base::Path(rivals_folder()).parent_path().parent_path().string();
  return base::cat("name: digits\ndata:\n  csv: ", root, "/experiments/data/digits.csv.gz\n",
                   R"(  target: -1
  split: {valid: 0.2, test: 0.2, seed: 0}
  scale: standard
network:
  - dense: {units: $width, activation: relu}
  - dense: {units: $width, activation: relu}
train:
  optimizer: {type: $optimizer, lr: $lr, momentum: $momentum}
  batch: $batch
  epochs: 27
metric: {name: valid.accuracy, goal: maximize}
method: tpe
parameters:
  lr: {min: 1e-4, max: 1e-1, scale: log}
  width: {type: int, min: 16, max: 256, scale: log}
  batch: {values: [16, 32, 64]}
  optimizer: {values: [adam, sgd]}
  momentum: {min: 0.0, max: 0.99, when: {optimizer: sgd}}
early_stop: {type: asha, min: 1, eta: 3}
parallel: 8
)",
                   "limits: {trials: ", kDigitsTrials, "}\n");
}

/// The rows, scaled, and the split exactly as our own trials see them.
std::string job_text(const base::Path& study_file, int processes) {
  const hpo::StudySpec study = hpo::load_study(study_file.string());
  const nn::Dataset data = nn::load_dataset(hpo::data_spec(study, study.space.middle()));
  nlohmann::json job{{"trials", kDigitsTrials}, {"processes", processes}};
  auto& x = job["x"] = nlohmann::json::array();
  for (std::size_t row = 0; row < data.rows(); ++row) {
    nlohmann::json values = nlohmann::json::array();
    for (std::size_t col = 0; col < data.cols(); ++col) {
      const std::size_t at = row * data.cols() + col;
      const float raw =
          data.x_u8().empty() ? data.x_f32()[at] : static_cast<float>(data.x_u8()[at]);
      values.push_back((raw - data.shift()[col]) * data.scale()[col]);
    }
    x.push_back(std::move(values));
  }
  job["y"] = std::vector<int>(data.labels().begin(), data.labels().end());
  for (auto [name, part] :
       {std::pair{"train", nn::Part::train}, {"valid", nn::Part::valid}, {"test", nn::Part::test}})
    job[name] = std::vector<unsigned>(data.part(part).begin(), data.part(part).end());
  return job.dump();
}

void run_ours(const base::Path& folder, int seed, const Options& options, Figures& to) {
  const base::Path runs = folder / base::cat("seed-", seed);
  const Finished done =
      run_program({own_program(), "sweep", (folder / "digits.yaml").string(), "--dir",
                   runs.string(), "--seed", std::to_string(seed), "--workers",
                   std::to_string(workers_or_cores(options.workers)), "--quiet"},
                  Watch::yes);
  must_end_well(done, "trellis sweep");
  const Finished best =
      run_program({own_program(), "best", "digits", "--dir", runs.string(), "--json"});
  must_end_well(best, "trellis best");
  to.seconds.push_back(done.seconds);
  to.megabytes.push_back(done.used.peak_megabytes);
  to.accuracy.push_back(
      nlohmann::json::parse(best.output)["metrics"]["test.accuracy"].get<double>());
  std::filesystem::remove_all(runs);
}

void run_rival(const std::string& python, const Rival& rival, const base::Path& job, int seed,
               Figures& to) {
  const auto done = run_rival_program(python, "digits", rival.title,
                                      {rival.word, job.string(), std::to_string(seed)}, Watch::yes);
  if (!done) return;
  to.seconds.push_back(done->seconds);
  to.megabytes.push_back(done->used.peak_megabytes);
  to.accuracy.push_back(nlohmann::json::parse(done->output)["test"].get<double>());
}

/// Seed by seed; where the rival has fewer, those that both have.
Case paired(std::string name, std::string unit, const std::vector<double>& ours, const char* rival,
            const std::vector<double>& theirs) {
  const Sample mine = sample_of(ours);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < theirs.size(); ++i) ratios.push_back(theirs[i] / ours[i]);
  return {.name = std::move(name),
          .ours = mine.median,
          .unit = std::move(unit),
          .rival = rival,
          .rival_value = sample_of(theirs).median,
          .ratio = sample_of(ratios).median,
          .spread = mine.spread};
}

void add_cases(const Figures& ours, const char* rival, const Figures& theirs,
               std::vector<Case>& cases) {
  cases.push_back(paired("60 trials, start included", "s", ours.seconds, rival, theirs.seconds));
  cases.push_back(paired("peak memory (PSS)", "MB", ours.megabytes, rival, theirs.megabytes));
  const MeanError mine = mean_error(ours.accuracy), other = mean_error(theirs.accuracy);
  cases.push_back({.name = base::cat("test accuracy, mean of ", theirs.accuracy.size(), " seeds"),
                   .ours = mine.mean,
                   .rival = rival,
                   .rival_value = other.mean,
                   .ratio = mine.mean / other.mean});
  if (theirs.accuracy.size() > 1)
    cases.push_back(
        {.name = "difference of the accuracies",
         .ours = (mine.mean - other.mean) / std::hypot(mine.standard_error, other.standard_error),
         .unit = "standard errors",
         .rival = rival});
}

std::vector<Case> cases_alone(const Figures& ours) {
  const Sample seconds = sample_of(ours.seconds), megabytes = sample_of(ours.megabytes);
  return {{.name = "60 trials, start included",
           .ours = seconds.median,
           .unit = "s",
           .spread = seconds.spread},
          {.name = "peak memory (PSS)",
           .ours = megabytes.median,
           .unit = "MB",
           .spread = megabytes.spread},
          {.name = base::cat("test accuracy, mean of ", ours.accuracy.size(), " seeds"),
           .ours = mean_error(ours.accuracy).mean}};
}

}  // namespace

std::vector<Case> run_digits(const Options& options) {
  std::vector<Rival> rivals = chosen_rivals(kDigitsRivals, options.against);
  const std::string python = rivals_python();
  if (python.empty()) rivals.clear();
  const base::TemporaryFolder scratch("trellis-digits-");
  const base::Path& folder = scratch.path();
  base::write_file_atomic(folder / "digits.yaml", study_text());
  base::write_file_atomic(folder / "job.json",
                          job_text(folder / "digits.yaml", workers_or_cores(options.workers)));
  Figures ours;
  std::vector<Figures> theirs(rivals.size());
  const int seeds = options.seeds > 0 ? options.seeds
                    : options.quick   ? kQuickDigitsSeeds
                                      : kDigitsSeeds;
  for (int seed = 0; seed < seeds; ++seed) {
    show_progress(base::cat("digits: seed ", seed + 1, " of ", seeds));
    run_ours(folder, seed, options, ours);
    for (std::size_t i = 0; i < rivals.size(); ++i)
      if (seed == 0 || !rivals[i].slow)
        run_rival(python, rivals[i], folder / "job.json", seed, theirs[i]);
  }
  show_progress("");
  std::vector<Case> cases;
  for (std::size_t i = 0; i < rivals.size(); ++i)
    if (!theirs[i].seconds.empty()) add_cases(ours, rivals[i].title, theirs[i], cases);
  return cases.empty() ? cases_alone(ours) : cases;
}

}  // namespace bench
