// A sweep of many small networks on one GPU as a whole program, beside PyTorch: one network after
// another, and all of them stacked.

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/gpu_training.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "bench/rival.h"
#include "bench/workloads.h"
#include "nn/data/load.h"

namespace bench {

namespace {

constexpr int kSmallNetworks = 64, kSmallEpochs = 5, kSmallRows = 10000, kSmallBatch = 64;
constexpr int kQuickSmallNetworks = 4, kQuickSmallRows = 1000;
constexpr int kUnits = 128;
constexpr double kSmallValid = 0.1;
constexpr double kPart = 0.125;  // of the GPU
constexpr double kLeastRate = 1e-4, kLargestRate = 1e-2;
constexpr int kSmallRounds = 3, kSecondsOfSmallRounds = 15;

constexpr std::array kSmallRivals{Rival{"torch", "PyTorch, one by one", true},
                                  Rival{"graph", "PyTorch, one by one, an epoch as a CUDA graph"},
                                  Rival{"vmap", "PyTorch, vmap"},
                                  Rival{"vmap-graph", "PyTorch, vmap, an epoch as a CUDA graph"}};

/// What is trained, and where its rows are.
struct Sizes {
  int networks, rows;
  std::string data;
};

Sizes sizes_of(const Options& options) {
  return {options.quick ? kQuickSmallNetworks : kSmallNetworks,
          options.quick ? kQuickSmallRows : kSmallRows, nn::locate_data("mnist", ".")};
}

/// One a network, with commas between.
std::string rates(const Sizes& sizes) {
  std::string text;
  for (int i = 0; i < sizes.networks; ++i) {
    const double share = static_cast<double>(i) / (sizes.networks - 1);
    text += base::cat(i > 0 ? "," : "",
                      base::format_double(kLeastRate * std::pow(kLargestRate / kLeastRate, share)));
  }
  return text;
}

std::string study_text(const Sizes& sizes) {
  return base::cat(
      "name: small\ndata:\n  idx: ", sizes.data, "\n  rows: ", sizes.rows,
      "\n  scale: unit\n  split: {valid: ", kSmallValid, "}\nnetwork:\n  - flatten\n",
      "  - dense: {units: ", kUnits, ", activation: relu}\n", "  - dense: {units: ", kUnits,
      ", activation: relu}\n", "train: {optimizer: {adam: {lr: $lr}}, batch: ", kSmallBatch,
      ", epochs: ", kSmallEpochs, "}\nmethod: grid\nearly_stop: none\nparallel: ", sizes.networks,
      "\nparameters: {lr: {values: [", rates(sizes), "]}}\nresources: {gpus: ", kPart, "}\n");
}

/// The same networks and rows for the rivals.
std::string write_small_job(const Sizes& sizes, const base::Path& folder) {
  Workload workload{
      .name = "small",
      .images = true,
      .nets = {static_cast<std::size_t>(sizes.networks), std::vector<Layer>{{kUnits}, {kUnits}}},
      .batch = kSmallBatch,
      .epochs = kSmallEpochs};
  nn::DataSpec source;
  source.kind = nn::DataKind::idx;
  source.path = sizes.data;
  source.scale = nn::Scale::unit;
  source.rows = sizes.rows;
  source.split.valid = kSmallValid;
  const std::string path = (folder / "job.json").string();
  write_job(workload, source, nn::Part::valid, path);
  return path;
}

/// Whole runs of one side, and how long their trainings took.
struct SmallRuns {
  std::vector<double> seconds, training, accuracy;
  [[nodiscard]] double begun() const {
    double sum = 0;
    for (const double s : seconds) sum += s;
    return sum;
  }
};

void run_ours(const base::Path& folder, SmallRuns& to) {
  const std::string runs = (folder / "runs").string();
  const Finished done = run_program(
      {own_program(), "sweep", (folder / "small.yaml").string(), "--dir", runs, "--quiet"});
  must_end_well(done, "trellis sweep");
  const auto answer = [&](const char* verb, const char* how, const char* form) {
    std::vector<std::string> words{own_program(), verb, "small", "--dir", runs, how};
    if (*form != '\0') words.emplace_back(form);
    const Finished read = run_program(words);
    must_end_well(read, base::cat("trellis ", verb));
    return nlohmann::json::parse(read.output);
  };
  std::vector<double> values;
  const auto results = answer("export", "--format", "json");
  for (const auto& trial : results["trials"]) values.push_back(trial["value"].get<double>());
  const auto status = answer("status", "--json", "");
  const auto& gpu = status["workers"].back();
  to.seconds.push_back(done.seconds);
  to.training.push_back(gpu["busy"].get<double>() + gpu["waiting"].get<double>() +
                        gpu["moving"].get<double>());
  to.accuracy.push_back(mean_error(values).mean);
  std::filesystem::remove_all(runs);
}

bool run_rival(const std::string& python, const Rival& rival, const std::string& job,
               const Sizes& sizes, SmallRuns& to) {
  const auto done = run_rival_program(python, "gpu", rival.title, {rival.word, job, rates(sizes)});
  if (!done) return false;
  const auto figures = nlohmann::json::parse(done->output);
  to.seconds.push_back(done->seconds);
  to.training.push_back(figures["seconds"].get<double>());
  to.accuracy.push_back(figures["accuracy"].get<double>());
  return true;
}

/// Until the rounds or their time are over.
template <class Run>
void repeat_rounds(const Options& options, bool once, SmallRuns& runs, const Run& run) {
  do {
    if (!run()) return;
  } while (!options.quick && !once && std::ssize(runs.seconds) < kSmallRounds &&
           runs.begun() < kSecondsOfSmallRounds);
}

Case case_of(const std::string& what, const char* unit, const std::vector<double>& ours,
             const char* title, const std::vector<double>& theirs, bool small_is_good) {
  const Sample mine = sample_of(ours), other = sample_of(theirs);
  const double ratio = other.median / mine.median;
  return {.name = what,
          .ours = mine.median,
          .unit = unit,
          .rival = title,
          .rival_value = other.median,
          .ratio = small_is_good ? ratio : 1 / ratio,
          .spread = mine.spread};
}

void add_cases(const Sizes& sizes, const SmallRuns& ours, const char* title,
               const SmallRuns& theirs, std::vector<Case>& cases) {
  const std::string name = base::cat(sizes.networks, " networks, ", kSmallEpochs, " epochs");
  cases.push_back(
      case_of(name + ", whole programs", "s", ours.seconds, title, theirs.seconds, true));
  cases.push_back(case_of(name + ", training", "s", ours.training, title, theirs.training, true));
  cases.push_back(case_of(name + ", accuracy", "", ours.accuracy, title, theirs.accuracy, false));
}

}  // namespace

std::vector<Case> run_gpu_small(const Options& options) {
  const std::vector<Rival> rivals = chosen_rivals(kSmallRivals, options.against);
  (void)cuda_device_for("gpu-small");
  const Sizes sizes = sizes_of(options);
  const std::string python = rivals_python();
  const base::TemporaryFolder scratch("trellis-gpu-small-");
  const base::Path& folder = scratch.path();
  base::write_file_atomic(folder / "small.yaml", study_text(sizes));
  const std::string job = write_small_job(sizes, folder);
  SmallRuns ours;
  show_progress("gpu-small: trellis sweep");
  repeat_rounds(options, false, ours, [&] {
    run_ours(folder, ours);
    return true;
  });
  std::vector<Case> cases;
  for (const Rival& rival : rivals) {
    if (python.empty()) break;
    SmallRuns theirs;
    show_progress(base::cat("gpu-small: ", rival.title));
    repeat_rounds(options, rival.slow, theirs,
                  [&] { return run_rival(python, rival, job, sizes, theirs); });
    if (!theirs.seconds.empty()) add_cases(sizes, ours, rival.title, theirs, cases);
  }
  if (cases.empty())
    cases.push_back({.name = base::cat(sizes.networks, " networks, ", kSmallEpochs, " epochs"),
                     .ours = sample_of(ours.seconds).median,
                     .unit = "s",
                     .spread = sample_of(ours.seconds).spread});
  show_progress("");
  return cases;
}

}  // namespace bench
