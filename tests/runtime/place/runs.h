#pragma once
// What has to hold of every run of tasks on a simulated machine.

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "runtime/place/simulation.h"

namespace simulated_runs {

constexpr double kTolerance = 1e-3;  // seconds: StarPU's steps for all that is ready at once

using Runs = std::vector<rt::SimulatedRun>;

/// The first time of at least `kTolerance` in which device `index` of the run's kind had nothing
/// while the run waited, in words; else empty.
inline std::string idle_beside(const Runs& runs, const rt::SimulatedRun& run, int index) {
  std::vector<std::pair<double, double>> taken;  // its times with a task
  for (const rt::SimulatedRun& other : runs)
    if (other.worker == rt::WorkerId{0, run.kind, index} && other.ended > run.ready)
      taken.emplace_back(other.taken, other.ended);
  std::ranges::sort(taken);
  taken.emplace_back(run.taken, run.taken);
  double free = run.ready;
  for (const auto& [from, to] : taken) {
    const double until = std::min(from, run.taken);
    if (until - free >= kTolerance) {
      std::ostringstream said;
      said << run.task << " was ready at " << run.ready << " and taken at " << run.taken
           << ", but device " << index << " had nothing from " << free << " to " << until;
      return said.str();
    }
    free = std::max(free, to);
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
    for (int index = 0; index < machine.of(run.kind).count; ++index)
      if (std::string idle = idle_beside(runs, run, index); !idle.empty()) return idle;
  return misplaced(runs, machine);
}

}  // namespace simulated_runs
