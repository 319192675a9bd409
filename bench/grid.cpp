// A grid of 27 trainings on Fashion-MNIST, whole programs from start to end: ours beside a pool of
// processes with JAX or PyTorch, and beside Ray Tune.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "base/words.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "bench/rival.h"
#include "nn/data/load.h"
#include "nn/training/hyper.h"

namespace bench {

namespace {

constexpr int kGridRounds = 3, kGridRows = 10'000, kQuickGridRows = 1'000;
constexpr std::array kOptimizers{"adam", "sgd", "rmsprop"};
constexpr std::array kGridBatches{32, 64, 128};
constexpr std::array kGridEpochs{2, 4, 6};
constexpr double kGridValid = 0.1;

/// Ways of writing the same grid (bench/rivals/grid.py).
constexpr std::array kGridRivals{Rival{"jax", "JAX, a process a core", false},
                                 Rival{"shared", "JAX, prefixes shared by hand", false},
                                 Rival{"torch", "PyTorch, a process a core", false},
                                 Rival{"ray", "Ray Tune, as its tutorial writes it", true}};

/// What whole runs of one side gave.
struct GridSide {
  std::vector<double> seconds, megabytes, accuracy;
};

std::string grid_study(int rows, int seed) {
  return base::cat(
      "name: grid\nseed: ", seed, "\ndata:\n  idx: fashion-mnist\n  rows: ", rows,
      "\n  split: {valid: ", kGridValid,
      "}\n  scale: unit\nnetwork:\n  - flatten\n  - dense: {units: 256, activation: relu}\n"
      "  - dense: {units: 128, activation: relu}\ntrain:\n"
      "  optimizer: {type: $optimizer}\n  batch: $batch\n  epochs: $epochs\n"
      "method: grid\nparameters:\n  optimizer: {values: [",
      base::listed(kOptimizers), "]}\n  batch: {values: [", base::listed(kGridBatches),
      "]}\n  epochs: {values: [", base::listed(kGridEpochs), "]}\n");
}

/// What a rival needs but for the seed, with the rows of our own split.
nlohmann::json job_of(int rows, int processes) {
  nn::DataSpec source{.kind = nn::DataKind::idx,
                      .path = nn::locate_data("fashion-mnist", "."),
                      .rows = rows,
                      .scale = nn::Scale::unit};
  source.split.valid = kGridValid;
  const nn::Dataset data = nn::load_dataset(source);
  const auto rows_of = [&](nn::Part part) {
    return std::vector<std::uint32_t>(data.part(part).begin(), data.part(part).end());
  };
  nlohmann::json rates;
  for (const char* optimizer : kOptimizers)
    rates[optimizer] = std::get<double>(
        nn::complete(nn::Hyper{.loss = {"cross_entropy", {}}, .optimizer = {optimizer, {}}})
            .optimizer.fields.at("lr"));
  return {{"folder", source.path},
          {"train", rows_of(nn::Part::train)},
          {"valid", rows_of(nn::Part::valid)},
          {"units", {256, 128}},
          {"rates", rates},
          {"batches", kGridBatches},
          {"epochs", kGridEpochs},
          {"processes", processes}};
}

double mean_accuracy(const base::Path& runs) {
  const Finished done =
      run_program({own_program(), "export", "grid", "--dir", runs.string(), "--format", "json"});
  must_end_well(done, "trellis export");
  std::vector<double> accuracies;
  const auto results = nlohmann::json::parse(done.output);
  for (const auto& trial : results["trials"]) accuracies.push_back(trial["value"].get<double>());
  return mean_error(accuracies).mean;
}

void run_ours(const base::Path& folder, const Options& options, GridSide& side) {
  const base::Path runs = folder / "runs";
  const Finished done =
      run_program({own_program(), "sweep", (folder / "grid.yaml").string(), "--dir", runs.string(),
                   "--workers", std::to_string(workers_or_cores(options.workers)), "--quiet"},
                  Watch::yes);
  must_end_well(done, "trellis sweep");
  side.seconds.push_back(done.seconds);
  side.megabytes.push_back(done.used.peak_megabytes);
  side.accuracy.push_back(mean_accuracy(runs));
  std::filesystem::remove_all(runs);
}

void run_rival(const std::string& python, const Rival& rival, const base::Path& job,
               GridSide& side) {
  const auto done =
      run_rival_program(python, "grid", rival.title, {rival.word, job.string()}, Watch::yes);
  if (!done) return;
  const auto figures = nlohmann::json::parse(done->output);
  side.seconds.push_back(done->seconds);
  side.megabytes.push_back(done->used.peak_megabytes);
  side.accuracy.push_back(figures["accuracy"].get<double>());
}

Case compared(std::string name, std::string unit, const std::vector<double>& ours,
              const char* rival, const std::vector<double>& theirs) {
  const Sample mine = sample_of(ours);
  const double other = sample_of(theirs).median;
  return {.name = std::move(name),
          .ours = mine.median,
          .unit = std::move(unit),
          .rival = rival,
          .rival_value = other,
          .ratio = other / mine.median,
          .spread = mine.spread};
}

/// Means over the rounds, each with a seed of its own; the spread is the standard error of ours.
Case compared_accuracy(const std::vector<double>& ours, const char* rival,
                       const std::vector<double>& theirs) {
  const MeanError mine = mean_error(ours);
  const double other = mean_error(theirs).mean;
  return {.name = "mean validation accuracy",
          .ours = mine.mean,
          .rival = rival,
          .rival_value = other,
          .ratio = mine.mean / other,
          .spread = mine.standard_error};
}

}  // namespace

std::vector<Case> run_grid(const Options& options) {
  const std::vector<Rival> rivals = chosen_rivals(kGridRivals, options.against);
  const int rows = options.quick ? kQuickGridRows : options.rows > 0 ? options.rows : kGridRows;
  const base::TemporaryFolder scratch("trellis-grid-");
  const base::Path& folder = scratch.path();
  nlohmann::json job = job_of(rows, workers_or_cores(options.workers));
  const std::string python = rivals_python();
  GridSide ours;
  std::vector<GridSide> theirs(rivals.size());
  for (int round = 0; round < (options.quick ? 1 : kGridRounds); ++round) {
    show_progress(base::cat("grid: round ", round + 1, " of ", kGridRounds));
    base::write_file_atomic(folder / "grid.yaml", grid_study(rows, round));
    job["seed"] = round;
    base::write_file_atomic(folder / "job.json", job.dump());
    run_ours(folder, options, ours);
    for (std::size_t i = 0; i < rivals.size() && !python.empty(); ++i)
      if (round == 0 || !rivals[i].slow)
        run_rival(python, rivals[i], folder / "job.json", theirs[i]);
  }
  show_progress("");
  const std::string name = base::cat("27 trials, ", rows, " rows, start included");
  std::vector<Case> cases;
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    const GridSide& side = theirs[i];
    if (side.seconds.empty()) continue;
    const char* title = rivals[i].title;
    cases.push_back(compared(name, "s", ours.seconds, title, side.seconds));
    cases.push_back(compared("peak memory", "MB", ours.megabytes, title, side.megabytes));
    cases.push_back(compared_accuracy(ours.accuracy, title, side.accuracy));
  }
  if (cases.empty()) {
    const Sample mine = sample_of(ours.seconds), memory = sample_of(ours.megabytes);
    cases = {{.name = name, .ours = mine.median, .unit = "s", .spread = mine.spread},
             {.name = "peak memory", .ours = memory.median, .unit = "MB", .spread = memory.spread},
             {.name = "mean validation accuracy", .ours = mean_error(ours.accuracy).mean}};
  }
  return cases;
}

}  // namespace bench
