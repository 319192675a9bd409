#include "bench/whole.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "hpo/study/trial_spec.h"

namespace bench {

namespace {

constexpr int kWholeRounds = 3;

/// Whole runs of one side.
struct WholeRuns {
  std::vector<double> seconds, accuracy;
};

bool same_nets(const Workload& workload) {
  const auto units = [](const std::vector<Layer>& net) { return net.front().units; };
  return units(workload.nets.front()) == units(workload.nets.back());
}

/// Networks that are all alike differ by their learning rates, others by their width.
std::string parameters_text(const Workload& workload) {
  std::string values;
  for (std::size_t i = 0; i < workload.nets.size(); ++i)
    values += base::cat(i > 0 ? ", " : "", same_nets(workload)
                                               ? base::cat("0.00", 10 + i)
                                               : std::to_string(workload.nets[i].front().units));
  return base::cat("parameters: {", same_nets(workload) ? "lr" : "width", ": {values: [", values,
                   "]}}\n");
}

std::string study_text(const Workload& workload, bool quick) {
  const nn::DataSpec source = data_of(workload, quick);
  std::string text = "name: whole\ndata:\n";
  if (workload.images)
    text += base::cat("  idx: fashion-mnist\n  scale: unit\n  split: {valid: 0.1}\n",
                      source.rows > 0 ? base::cat("  rows: ", source.rows, "\n") : "");
  else
    text += base::cat("  csv: ", source.path, "\n  target: -1\n  split: {valid: 0.2, test: 0.2}\n");
  text += "network:\n";
  if (workload.images) text += "  - flatten\n";
  for (const Layer& layer : workload.nets.front())
    text += base::cat(
        "  - dense: {units: ", same_nets(workload) ? std::to_string(layer.units) : "$width",
        ", activation: relu}\n");
  return base::cat(text, "train: {optimizer: {adam: {lr: ", same_nets(workload) ? "$lr" : "0.001",
                   "}}, batch: ", workload.batch, ", epochs: ", workload.epochs,
                   "}\nmethod: grid\n", parameters_text(workload));
}

void run_ours(const Workload& workload, const base::Path& folder, WholeRuns& to) {
  const base::Path runs = folder / "runs";
  const Finished done =
      run_program({own_program(), "sweep", (folder / "whole.yaml").string(), "--dir", runs.string(),
                   "--workers", std::to_string(workload.workers), "--quiet"});
  must_end_well(done, "trellis sweep");
  const Finished read =
      run_program({own_program(), "export", "whole", "--dir", runs.string(), "--format", "json"});
  must_end_well(read, "trellis export");
  std::vector<double> values;
  const auto results = nlohmann::json::parse(read.output);
  for (const auto& trial : results["trials"]) values.push_back(trial["value"].get<double>());
  to.seconds.push_back(done.seconds);
  to.accuracy.push_back(mean_error(values).mean);
  std::filesystem::remove_all(runs);
}

void run_rival(const std::string& python, const Rival& rival, const base::Path& job,
               WholeRuns& to) {
  const auto done =
      run_rival_program(python, "networks", rival.title, {rival.word, job.string(), "whole"});
  if (!done) return;
  to.seconds.push_back(done->seconds);
  to.accuracy.push_back(nlohmann::json::parse(done->output)["accuracy"].get<double>());
}

}  // namespace

std::vector<Case> whole_programs(const Workload& workload, const base::Path& folder,
                                 const std::string& python, std::span<const Rival> rivals,
                                 const Options& options) {
  const base::Path file = folder / "whole.yaml", job = folder / "whole.json";
  base::write_file_atomic(file, study_text(workload, options.quick));
  if (!rivals.empty()) {
    const hpo::StudySpec study = hpo::load_study(file.string());
    write_job(workload, hpo::data_spec(study, study.space.middle()), nn::Part::valid, job.string());
  }
  WholeRuns ours;
  std::vector<WholeRuns> theirs(rivals.size());
  for (int round = 0; round < (options.quick ? 1 : kWholeRounds); ++round) {
    show_progress(base::cat("networks: ", workload.name, ", whole programs, round ", round + 1));
    run_ours(workload, folder, ours);
    for (std::size_t i = 0; i < rivals.size(); ++i) run_rival(python, rivals[i], job, theirs[i]);
  }
  const Sample mine = sample_of(ours.seconds);
  const std::string name = base::cat(workload.name, ": start included");
  std::vector<Case> cases;
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    if (theirs[i].seconds.empty()) continue;
    const double seconds = sample_of(theirs[i].seconds).median;
    const double accuracy = mean_error(theirs[i].accuracy).mean;
    cases.push_back({.name = name,
                     .ours = mine.median,
                     .unit = "s",
                     .rival = rivals[i].title,
                     .rival_value = seconds,
                     .ratio = seconds / mine.median,
                     .spread = mine.spread});
    cases.push_back({.name = base::cat(name, ": validation accuracy"),
                     .ours = mean_error(ours.accuracy).mean,
                     .rival = rivals[i].title,
                     .rival_value = accuracy,
                     .ratio = mean_error(ours.accuracy).mean / accuracy});
  }
  if (cases.empty())
    cases.push_back({.name = name, .ours = mine.median, .unit = "s", .spread = mine.spread});
  return cases;
}

}  // namespace bench
