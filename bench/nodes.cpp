// `bench nodes`: 400 naps of 50 ms on eight slots of four nodes with a real Slurm between them,
// ours and other tools' ways of using several machines.
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/on_rig.h"
#include "bench/process.h"
#include "bench/rival.h"

namespace bench {
namespace {

constexpr double kNodesLimit = 2.6;  // s for 400 tasks of 50 ms; 2.5 without any cost

constexpr Rival kNodeRivals[] = {
    {"dask", "Dask distributed"},
    {"ray", "Ray Tune", true},
    {"optuna-postgresql", "Optuna with PostgreSQL", true},
    {"optuna-journal", "Optuna with a journal file", true},
};

/// Seconds of each time; nothing where the tool is not there. Throws base::Error (no_device) where
/// this machine can have no nodes.
std::optional<Sample> play(const std::string& tool, int naps, int times,
                           const std::string& python) {
  const base::Path programs = base::Path(own_program()).parent_path();
  const auto program = built_for_bench("trellis-bench-naps");
  if (!program) throw base::Error(base::Errc::internal, "trellis-bench-naps is missing");
  const base::Path folder = tool == "tasks" ? program->parent_path() : programs;
  const auto said = run_on_rig("nodes", {tool, std::to_string(naps), std::to_string(times),
                                         folder.string(), rivals_folder(), python});
  if (!said) return std::nullopt;
  return sample_of((*said)["seconds"].get<std::vector<double>>());
}

Case beside(const char* what, const Sample& ours, std::string rival, double rival_value) {
  return {.name = what,
          .ours = ours.median,
          .unit = "s",
          .rival = std::move(rival),
          .rival_value = rival_value,
          .ratio = rival_value / ours.median,
          .spread = ours.spread};
}

}  // namespace

std::vector<Case> run_nodes(const Options& options) {
  const int naps = options.quick ? 40 : 400;
  const int times = options.quick ? 1 : 5;
  const std::vector<Rival> rivals = chosen_rivals(kNodeRivals, options.against);
  const std::string python = rivals_python();
  const auto tasks = play("tasks", naps, times, python);
  const auto trials = play("trials", naps, times, python);
  if (!tasks || !trials)
    throw base::Error(base::Errc::internal, "nodes: our own programs did not end well");
  std::vector<Case> cases{beside("400 tasks of 50 ms, 8 slots of 4 nodes", *tasks, "at most",
                                 options.quick ? kNodesLimit / 10 : kNodesLimit),
                          {.name = "400 trials of a program of 50 ms, the whole srun",
                           .ours = trials->median,
                           .unit = "s",
                           .spread = trials->spread}};
  for (const Rival& rival : rivals) {
    if (python.empty()) break;
    if (const auto theirs = play(rival.word, naps, rival.slow ? 1 : times, python)) {
      const bool task = std::string_view(rival.word) == "dask";
      cases.push_back(beside(task ? "the same tasks" : "the same trials", task ? *tasks : *trials,
                             rival.title, theirs->median));
    }
  }
  return cases;
}

}  // namespace bench
