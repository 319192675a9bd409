// A run on a machine that is not there (Executor::simulated): what it is given, and what it leaves
// behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/context.h"
#include "runtime/place/device_model.h"

namespace rt::inline v0 {

/// One task that ran, in seconds of the simulated clock.
struct SimulatedRun {
  WorkerId worker;
  std::string task;
  Device kind = Device::cpu;  ///< the one it was meant for
  double ready = 0;           ///< handed to the executor: its inputs were made
  double taken = 0;           ///< a worker took it, and began to bring its data
  double begun = 0, ended = 0;
  std::uint64_t memory = 0;    ///< bytes of its buffers and scratch
  std::uint64_t resident = 0;  ///< bytes that lay on its GPU when it began, others' included
};

struct Simulation {
  Platform platform;
  /// A scheduling policy of StarPU.
  std::string scheduler = "prio";
  /// Lets the policy choose the kind of device, too: for comparisons. Real results depend on the
  /// kind, so a real run never does.
  bool any_kind = false;
  std::vector<SimulatedRun> runs;  ///< in the order of their ends
};

}  // namespace rt::inline v0
