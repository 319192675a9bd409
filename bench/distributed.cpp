// `bench distributed`: sums over two processes, and one network on two nodes with a link between
// them, beside torch.distributed.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/on_rig.h"
#include "bench/process.h"
#include "bench/step_case.h"

namespace bench {
namespace {

constexpr const char* kNoLimit = "none";
constexpr double kRatioLimit = .82;  // the promise that the share of computing is held against

/// A training by two nodes: the link as tc takes it, and rows a step.
struct Linked {
  const char* rate;
  int batch;
};

struct LinkedSteps {
  Sample step;       ///< seconds
  double ratio = 0;  ///< of computing, 0 where it is not known
};

/// Trains with one tool. Nothing where it is not there. Throws base::Error (no_device) where this
/// machine can have no nodes.
std::optional<LinkedSteps> train_linked(const std::string& tool, const Linked& training, int steps,
                                        const std::string& python) {
  const auto said = run_on_rig(
      "distributed", {tool, training.rate, std::to_string(training.batch), std::to_string(steps),
                      base::Path(own_program()).parent_path().string(), rivals_folder(), python});
  if (!said) return std::nullopt;
  return LinkedSteps{.step = sample_of((*said)["seconds"].get<std::vector<double>>()),
                     .ratio = (*said)["ratio"].is_null() ? 0 : (*said)["ratio"].get<double>()};
}

/// Two nodes, and beside them one process of each tool.
void add_linked(std::vector<Case>& cases, const Linked& training, int steps,
                const std::string& python) {
  const bool limited = std::string_view(training.rate) != kNoLimit;
  const std::string where =
      base::cat("batch ", training.batch, limited ? base::cat(", ", training.rate) : ", no limit");
  const auto alone = train_linked("alone", training, steps, python);
  const auto gang = train_linked("gang", training, steps, python);
  const auto late = train_linked("late", training, steps, python);
  if (!alone || !gang || !late)
    throw base::Error(base::Errc::internal, "distributed: our own program did not end well");
  cases.push_back(step_case(base::cat("two nodes, ", where), gang->step, "one process of ours",
                            alone->step.median));
  cases.push_back({.name = base::cat("share of computing, ", where),
                   .ours = gang->ratio,
                   .unit = "",
                   .rival = "at least",
                   .rival_value = kRatioLimit,
                   .ratio = gang->ratio / kRatioLimit,
                   .spread = gang->step.spread});
  cases.push_back(step_case(base::cat("late: 1, ", where), late->step, "two nodes without it",
                            gang->step.median));
  if (python.empty()) return;
  if (const auto one = train_linked("torch", training, steps, python))
    cases.push_back(
        step_case(base::cat("one process, ", where), alone->step, "PyTorch", one->step.median));
  std::optional<double> best;
  for (const char* tool : {"ddp-25", "ddp-1"})
    if (const auto theirs = train_linked(tool, training, steps, python))
      best = std::min(best.value_or(theirs->step.median), theirs->step.median);
  if (best)
    cases.push_back(step_case(base::cat("two nodes, ", where), gang->step,
                              "DistributedDataParallel, best of 2", *best));
}

}  // namespace

std::vector<Case> run_distributed(const Options& options) {
  const int steps = options.quick ? 20 : 60;
  const std::string python = rivals_python();
  std::vector<Case> cases;
  for (const Linked& training : {Linked{"1gbit", 1024}, {"2gbit", 2048}, {kNoLimit, 1024}}) {
    add_linked(cases, training, steps, python);
    if (options.quick) break;
  }
  return cases;
}

}  // namespace bench
