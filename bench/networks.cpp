// Training networks of many shapes: ours beside PyTorch and JAX on the same rows, cores and epochs.

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/peak.h"
#include "bench/process.h"
#include "bench/rival.h"
#include "bench/training.h"
#include "bench/whole.h"
#include "bench/workloads.h"

namespace bench {

namespace {

constexpr int kNetworksRounds = 3, kSecondsOfNetworksRounds = 60;

/// Ways of writing the same training in another library (bench/rivals/networks.py).
constexpr std::array kNetworksRivals{Rival{"torch", "PyTorch, tensors by hand"},
                                     Rival{"loader", "PyTorch, DataLoader"},
                                     Rival{"jax", "JAX, lax.scan"}, Rival{"vmap", "JAX, vmap"}};

constexpr double kEqual = 0.02;  // accuracies that differ by more are said to

/// Nothing where the rival fails.
std::optional<Trained> train_rival(const std::string& python, const Rival& rival,
                                   const std::string& job) {
  const auto done = run_rival_program(python, "networks", rival.title, {rival.word, job});
  if (!done) return std::nullopt;
  const auto figures = nlohmann::json::parse(done->output);
  return Trained{.seconds = figures["seconds"].get<double>(),
                 .accuracy = figures["accuracy"].get<double>()};
}

/// One side over all rounds.
struct NetworksSide {
  std::vector<double> seconds, accuracy;
  void add(const Trained& trained) {
    seconds.push_back(trained.seconds);
    accuracy.push_back(trained.accuracy);
  }
};

Case time_of(std::string name, const Workload& workload, const NetworksSide& ours,
             const char* title, const NetworksSide& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < theirs.seconds.size(); ++i)
    ratios.push_back(theirs.seconds[i] / ours.seconds[i]);
  const Sample mine = sample_of(ours.seconds);
  return {.name = std::move(name),
          .ours = mine.median / workload.epochs,
          .unit = "s/epoch",
          .rival = title,
          .rival_value = sample_of(theirs.seconds).median / workload.epochs,
          .ratio = sample_of(ratios).median,
          .spread = mine.spread};
}

void add_cases(const Workload& workload, const NetworksSide& ours, const char* title,
               const NetworksSide& theirs, std::vector<Case>& cases) {
  cases.push_back(time_of(workload.name, workload, ours, title, theirs));
  const double accuracy = mean_error(ours.accuracy).mean;
  const double other = mean_error(theirs.accuracy).mean;
  const bool equal = std::abs(accuracy - other) <= kEqual;
  cases.push_back({.name = base::cat(workload.name, ": test accuracy", equal ? "" : ", not equal"),
                   .ours = accuracy,
                   .rival = title,
                   .rival_value = other,
                   .ratio = accuracy / other});
}

std::vector<Case> measure(const Workload& workload, const base::Path& folder,
                          const std::string& python, const Options& options) {
  const nn::DataSpec source = data_of(workload, options.quick);
  const std::string job = (folder / "job.json").string();
  if (!python.empty()) write_job(workload, source, nn::Part::test, job);
  std::vector<Rival> rivals = chosen_rivals(kNetworksRivals, options.against);
  std::erase_if(rivals,
                [&](const Rival& rival) { return python.empty() || !plays(workload, rival.word); });
  NetworksSide ours, unpacked;
  std::vector<NetworksSide> theirs(rivals.size());
  std::vector<double> share;
  const base::Moment begun = base::now();
  do {
    show_progress(base::cat("networks: ", workload.name, ", round ", ours.seconds.size() + 1));
    const double peak = rate(workload.workers, 0.3, [](int) { return multiply_add_burst(); });
    const Trained trained = train_ours(workload, source);
    ours.add(trained);
    if (workload.nets.size() > 1)
      unpacked.add(train_ours(workload, source, kern::Precision::f32, 1, false));
    share.push_back(trained.flops / trained.seconds / peak);
    for (std::size_t i = rivals.size(); i-- > 0;) {
      if (const auto rivals_own = train_rival(python, rivals[i], job)) {
        theirs[i].add(*rivals_own);
      } else {
        rivals.erase(rivals.begin() + static_cast<std::ptrdiff_t>(i));
        theirs.erase(theirs.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  } while (!options.quick && std::ssize(ours.seconds) < kNetworksRounds &&
           base::seconds_since(begun) < kSecondsOfNetworksRounds);
  std::vector<Case> cases;
  if (!unpacked.seconds.empty())
    cases.push_back(time_of(base::cat(workload.name, ", packs"), workload, ours,
                            "packs switched off", unpacked));
  const Sample mine = sample_of(ours.seconds), used = sample_of(share);
  for (std::size_t i = 0; i < rivals.size(); ++i)
    add_cases(workload, ours, rivals[i].title, theirs[i], cases);
  if (rivals.empty())
    cases.push_back({.name = workload.name,
                     .ours = mine.median / workload.epochs,
                     .unit = "s/epoch",
                     .spread = mine.spread});
  cases.push_back({.name = base::cat(workload.name, ": share of the FMA peak"),
                   .ours = used.median,
                   .spread = used.spread});
  if (workload.swept)
    for (Case& one : whole_programs(workload, folder, python, rivals, options))
      cases.push_back(std::move(one));
  return cases;
}

}  // namespace

std::vector<Case> run_networks(const Options& options) {
  const std::vector<Workload> workloads = chosen_workloads(options.problems);
  (void)chosen_rivals(kNetworksRivals, options.against);
  const std::string python = rivals_python();
  const base::TemporaryFolder scratch("trellis-networks-");
  const base::Path& folder = scratch.path();
  std::vector<Case> cases;
  for (const Workload& workload : workloads)
    for (Case& one : measure(workload, folder, python, options)) cases.push_back(std::move(one));
  show_progress("");
  return cases;
}

}  // namespace bench
