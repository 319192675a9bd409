// Whether a study's cost grows with its trials and no faster: the same study with ten times as many
// trials, and again, as whole programs.

#include <filesystem>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "hpo/log/study_reader.h"

namespace bench {

namespace {

constexpr int kFewest = 10, kMost = 10'000, kQuickMost = 100;

/// What a study of `trials` trials cost.
struct Cost {
  int trials = 0;
  Finished program;
  double flops = 0;
};

/// One epoch of each takes about ten milliseconds.
std::string study_text(int trials) {
  const std::string root = base::Path(rivals_folder()).parent_path().parent_path().string();
  return base::cat("name: linear\ndata:\n  csv: ", root, "/experiments/data/digits.csv.gz\n",
                   R"(  target: -1
  split: {valid: 0.2, test: 0.2}
network:
  - dense: {units: 256, activation: relu}
  - dense: {units: 256, activation: relu}
train: {optimizer: {adam: {lr: $lr}}, batch: 32, epochs: 1}
method: random
early_stop: none
parameters:
  lr: {min: 1e-4, max: 1e-2, scale: log}
)",
                   "limits: {trials: ", trials, "}\n");
}

Cost run(const base::Path& folder, int trials, const Options& options) {
  const base::Path file = folder / "linear.yaml", runs = folder / base::cat("runs-", trials);
  base::write_file_atomic(file, study_text(trials));
  Cost cost{.trials = trials,
            .program = run_program(
                {own_program(), "sweep", file.string(), "--dir", runs.string(), "--workers",
                 std::to_string(workers_or_cores(options.workers)), "--quiet"},
                Watch::yes)};
  must_end_well(cost.program, "trellis sweep");
  for (const hpo::TrialRow& trial : hpo::StudyReader(runs / "linear").trials())
    cost.flops += trial.train_flops;
  std::filesystem::remove_all(runs);
  return cost;
}

/// What one more trial costs between two studies, beside what it cost between the two before.
Case slope(const char* what, const char* unit, const Cost* cost, double (*of)(const Cost&)) {
  const auto between = [&](const Cost& few, const Cost& many) {
    return (of(many) - of(few)) / (many.trials - few.trials);
  };
  const double later = between(cost[1], cost[2]), before = between(cost[0], cost[1]);
  return {
      .name = base::cat(what, " of one more trial, of ", cost[1].trials, " to ", cost[2].trials),
      .ours = later,
      .unit = unit,
      .rival = base::cat("of ", cost[0].trials, " to ", cost[1].trials),
      .rival_value = before,
      .ratio = before / later};
}

}  // namespace

std::vector<Case> run_linear(const Options& options) {
  const base::TemporaryFolder scratch("trellis-linear-");
  const base::Path& folder = scratch.path();
  std::vector<Cost> costs;
  for (int trials = kFewest; trials <= (options.quick ? kQuickMost : kMost); trials *= 10) {
    show_progress(base::cat("linear: ", trials, " trials"));
    costs.push_back(run(folder, trials, options));
  }
  show_progress("");
  std::vector<Case> cases;
  for (const Cost& cost : costs) {
    const std::string name = base::cat(cost.trials, " trials of one epoch");
    const Finished& done = cost.program;
    cases.push_back({.name = name, .ours = done.seconds, .unit = "s"});
    cases.push_back(
        {.name = base::cat(name, ": processor time"), .ours = done.cpu_seconds, .unit = "s"});
    cases.push_back({.name = base::cat(name, ": peak memory (PSS)"),
                     .ours = done.used.peak_megabytes,
                     .unit = "MB"});
    cases.push_back({.name = base::cat(name, ": counted training"),
                     .ours = cost.flops * 1e-9,
                     .unit = "GFLOP"});
    cases.push_back({.name = base::cat(name, ": the driver's share of the processor time"),
                     .ours = done.used.first_thread_seconds / done.cpu_seconds});
  }
  for (std::size_t i = 0; i + 2 < costs.size(); ++i) {
    const Cost* from = &costs[i];
    cases.push_back(
        slope("time", "ms", from, [](const Cost& c) { return c.program.seconds * 1e3; }));
    cases.push_back(slope("processor time", "ms", from,
                          [](const Cost& c) { return c.program.cpu_seconds * 1e3; }));
    cases.push_back(slope("memory", "kB", from,
                          [](const Cost& c) { return c.program.used.peak_megabytes * 1e3; }));
    cases.push_back(
        slope("counted training", "GFLOP", from, [](const Cost& c) { return c.flops * 1e-9; }));
  }
  return cases;
}

}  // namespace bench
