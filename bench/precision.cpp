// Training in bf16 beside the same training in f32, in turn: what it saves, and what it costs in
// accuracy.
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/training.h"
#include "bench/workloads.h"

namespace bench {

namespace {

constexpr int kPrecisionSeeds = 5;
constexpr const char* kUsual = "mlp,tabular,deep,wide,eight";

/// One precision over all seeds.
struct PrecisionSide {
  std::vector<double> seconds, accuracy;
  void add(const Trained& trained) {
    seconds.push_back(trained.seconds);
    accuracy.push_back(trained.accuracy);
  }
};

void measure(const Workload& workload, const Options& options, std::vector<Case>& cases) {
  const nn::DataSpec source = data_of(workload, options.quick);
  const int seeds = options.quick ? 1 : options.seeds > 0 ? options.seeds : kPrecisionSeeds;
  PrecisionSide rounded, whole;
  std::vector<double> ratios, differences;
  for (int seed = 1; seed <= seeds; ++seed) {
    show_progress(base::cat("precision: ", workload.name, ", seed ", seed));
    const auto from = static_cast<std::uint64_t>(seed);
    rounded.add(train_ours(workload, source, kern::Precision::bf16, from));
    whole.add(train_ours(workload, source, kern::Precision::f32, from));
    ratios.push_back(whole.seconds.back() / rounded.seconds.back());
    differences.push_back(rounded.accuracy.back() - whole.accuracy.back());
  }
  const Sample mine = sample_of(rounded.seconds);
  cases.push_back({.name = base::cat(workload.name, ": bf16"),
                   .ours = mine.median / workload.epochs,
                   .unit = "s/epoch",
                   .rival = "f32",
                   .rival_value = sample_of(whole.seconds).median / workload.epochs,
                   .ratio = sample_of(ratios).median,
                   .spread = mine.spread});
  const double accuracy = mean_error(rounded.accuracy).mean;
  const double other = mean_error(whole.accuracy).mean;
  cases.push_back({.name = base::cat(workload.name, ": test accuracy, mean of ", seeds),
                   .ours = accuracy,
                   .rival = "f32",
                   .rival_value = other,
                   .ratio = accuracy / other});
  const MeanError apart = mean_error(differences);
  cases.push_back({.name = base::cat(workload.name, ": their difference; its standard error"),
                   .ours = apart.mean,
                   .rival = "standard error",
                   .rival_value = apart.standard_error});
}

}  // namespace

std::vector<Case> run_precision(const Options& options) {
  const std::string_view lacking = kern::cpu_lacks(kern::Precision::bf16);
  if (!lacking.empty())
    throw base::Error(base::Errc::no_device, base::cat("bench precision: ", lacking));
  std::vector<Case> cases;
  for (const Workload& workload :
       chosen_workloads(options.problems.empty() ? kUsual : options.problems))
    measure(workload, options, cases);
  show_progress("");
  return cases;
}

}  // namespace bench
