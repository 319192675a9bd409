#pragma once
// What a study would run, before it runs: its search played through without any training.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpo/driver/networks/loaded_study.h"
#include "hpo/place/timetable.h"
#include "runtime/place/device_model.h"

namespace hpo {

/// Counts of a study. Exact where no rule stops trials and no network decides by what it measures;
/// with a rule what to expect, from networks of random quality that all get better for as long as
/// they train: what patience and threshold will stop nobody knows, so they stop nothing here.
struct Plan {
  std::int64_t trials = 0;
  std::int64_t epochs = 0;  ///< trained for trials
  std::int64_t distinct_epochs =
      0;                   ///< that have to be run: equal segments of several trials run once
  std::int64_t steps = 0;  ///< of optimizers, candidates of races included
  std::int64_t distinct_steps = 0;
  double flops = 0;  ///< counted: training, reshapes, candidates of races, scoring
  double distinct_flops = 0;
  bool at_least = false;      ///< steps, FLOPs and memory are lower bounds: see Forecast
  bool ends_by_time = false;  ///< no number of trials ends the study: about as many as there is
                              ///< time for, 1,000 at most; of programs nobody knows how many
  std::uint64_t memory =
      0;  ///< bytes of the data and of as many of the largest network as may be held at once
  double seconds = 0;           ///< on paper: a lower bound
  std::string placement;        ///< kinds of device that the tasks use: "cpu", "gpu", "cpu and gpu"
  std::string platform;         ///< that `seconds` and `placement` are about
  std::int64_t gpu_trials = 0;  ///< with work on a GPU
  std::int64_t too_large = 0;   ///< of these, such as no GPU of the platform holds
  std::uint64_t gpu_memory = 0;     ///< bytes of a GPU that the largest of them takes
  std::int64_t trials_per_gpu = 1;  ///< that compute on one GPU side by side, each with its part of
                                    ///< the memory
  std::optional<double> gpu_from;   ///< where both kinds are used: the threshold between them
  std::string
      execution;  ///< how `train` would run steps, empty: the file has no `resources.members`
};

/// Plays a study through in virtual time: proposals of its sampler, words of its rule,
/// and for each trial a quality drawn once, by which its reports rank. Needs a rt::Runtime for
/// nothing but the data. Of a study whose trials share GPUs `platform` tells so (rt::with_sharers).
/// Throws base::Error (study) where a proposal makes no network.
[[nodiscard]] Plan plan_study(const LoadedStudy& loaded, const rt::Platform& platform);

/// What each trial does between its reports, in the order of trials, and how long that takes on
/// devices like the platform's. What an earlier trial does too is left out: it runs once.
[[nodiscard]] std::vector<PaperTrial> paper_trials(const LoadedStudy& loaded,
                                                   const rt::Platform& platform);

/// The plan of a study whose trials run programs: how many trials there are at most. What they cost
/// nobody knows.
[[nodiscard]] Plan plan_programs(const StudySpec& study);

struct NodesForecast;  // hpo/driver/planning/simulate_nodes.h

/// {"trials", "epochs", "distinct_epochs", "steps", "distinct_steps", "flops", "distinct_flops",
/// "memory", "seconds", "placement", "platform", "gpu_trials", "too_large", "gpu_memory",
/// "trials_per_gpu", "gpu_from", "execution", "at_least", "ends_by_time", "nodes", "useful_nodes"};
/// `execution`: null without `resources.members`; `nodes`: null on one machine, where the list is
/// empty.
[[nodiscard]] std::string plan_json(const Plan& plan, const NodesForecast* nodes = nullptr);

}  // namespace hpo
