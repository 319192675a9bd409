#pragma once
// What has to hold of every run of tasks on a simulated machine.

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/place/simulation.h"

namespace simulated_runs {

constexpr double kTolerance = 1e-3;  // seconds: StarPU's steps for all that is ready at once

using Runs = std::vector<rt::SimulatedRun>;

/// The first time in which `run` waited though a device of its kind was idle, in words; else empty.
inline std::string idle_beside(const Runs& runs, const rt::SimulatedRun& run, int devices) {
  std::vector<double> moments{run.ready};
  for (const rt::SimulatedRun& other : runs)
    if (other.ended > run.ready && other.ended < run.taken) moments.push_back(other.ended);
  for (const double moment : moments) {
    if (run.taken - moment < kTolerance) continue;
    const double at = moment + kTolerance;
    const auto busy = std::ranges::count_if(runs, [&](const rt::SimulatedRun& other) {
      return other.worker.kind == run.kind && other.taken <= at && other.ended > at;
    });
    if (busy >= devices) continue;
    std::ostringstream said;
    said << "ready at " << run.ready << ", taken at " << run.taken << ", but at " << at << " only "
         << busy << " of " << devices << " were busy";
    return said.str();
  }
  return "";
}

/// Whether a task ran on another kind than it was for, or a GPU held too much, in words; else
/// empty.
inline std::string misplaced(const Runs& runs, const rt::Platform& machine) {
  for (const rt::SimulatedRun& run : runs) {
    if (run.worker.kind != run.kind) return "a task ran on another kind than it was for";
    if (run.resident > machine.gpu.memory)
      return "a GPU of " + std::to_string(machine.gpu.memory) + " bytes held " +
             std::to_string(run.resident);
  }
  return "";
}

/// The same, and whether a device was idle beside a task for it.
inline std::string check(const Runs& runs, const rt::Platform& machine) {
  for (const rt::SimulatedRun& run : runs)
    if (std::string idle = idle_beside(runs, run, machine.of(run.kind).count); !idle.empty())
      return idle;
  return misplaced(runs, machine);
}

}  // namespace simulated_runs
