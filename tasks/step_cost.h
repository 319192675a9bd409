#pragma once
// The ways to run a step of a training (nn/training), and what each takes on a machine on paper.
// The result of a step never depends on the way.
//
// A step takes what the busiest process computes, then the sums that this does not hide, then the
// update, which every process makes whole. The parts are counted as tasks/work.h counts a step, and
// take what rt::seconds_on() says. Sums hide behind half of the computation, except for the last
// bucket of a gradient and for what a network asks of the core. Stages (nn/training/pipeline.h) are
// no way to choose: they wait where shards side by side do not.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/model/spec.h"
#include "nn/training/hyper.h"
#include "runtime/place/device_model.h"

namespace tasks {

enum class StepWay : std::uint8_t { serial, shards, gang };

/// One way, and the seconds of a step in it.
struct StepCost {
  StepWay way = StepWay::serial;
  int count = 1;       ///< workers that take shards, members or stages
  double compute = 0;  ///< of the shards
  double sums = 0;     ///< that nothing hides
  double update = 0;   ///< of the weights
  [[nodiscard]] double seconds() const noexcept { return compute + sums + update; }
  /// As --execution takes it: serial, shards, gang:4.
  [[nodiscard]] std::string word() const;
};

/// Where a step may run.
struct StepPlaces {
  int workers = 1;   ///< of this machine
  int members = 1;   ///< most processes of a gang
  bool far = false;  ///< they run on different machines, with the links of the platform's nodes
};

/// A link of 1 Gbit/s, for platforms whose file names none.
inline constexpr rt::LinkModel kGigabit{.latency = 1e-4, .bandwidth = 1.25e8};

/// Returns the cost of each way that such a training can take, the simplest one first. A gang on
/// this machine has at most one member a worker; its links are the memory.
[[nodiscard]] std::vector<StepCost> step_costs(const nn::ModelSpec& spec, const nn::Hyper& hyper,
                                               const rt::Platform& platform,
                                               const StepPlaces& places);

/// Returns true if a way takes at least a twentieth less time than a simpler one.
[[nodiscard]] bool is_worth_it(const StepCost& way, const StepCost& simpler);

/// Returns the way to take: the simplest one that takes at most a twentieth longer than the
/// quickest.
[[nodiscard]] StepCost chosen_way(std::span<const StepCost> costs);

}  // namespace tasks
