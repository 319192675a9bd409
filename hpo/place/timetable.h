#pragma once
// Trials on paper: how long a search takes on the devices of a platform when every piece of work
// has a kind of device.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/place/device_model.h"

namespace hpo {

/// What a trial does between two reports: on one device, in one go.
struct Piece {
  double step_flops = 0;                    ///< of the network, as tasks::step_flops counts
  double cpu_seconds = 0, gpu_seconds = 0;  ///< beside as many like it as share the device
  std::uint64_t gpu_memory = 0;             ///< bytes that it holds on a GPU while it runs
};

/// One after another.
using PaperTrial = std::vector<Piece>;

/// The kind of device of a piece of a trial.
using KindOf = std::function<rt::Device(std::size_t trial, const Piece& piece)>;

struct Timetable {
  double seconds = 0;
  double cpu_busy = 0, gpu_busy = 0;  ///< seconds, all devices of the kind together
  std::size_t gpu_trials = 0;         ///< with a piece on a GPU
  std::size_t too_large = 0;          ///< with one that no GPU of the platform holds
  std::uint64_t gpu_memory = 0;       ///< bytes of the largest piece on a GPU
};

/// Trials begin in order as `slots` become free; a piece that is ready goes to the first free
/// place on a device of its kind, the longest one first, and none is free while one waits. Throws
/// std::invalid_argument for a kind that the platform has no device of.
[[nodiscard]] Timetable timetable(std::span<const PaperTrial> trials, const rt::Platform& platform,
                                  std::size_t slots, const KindOf& kind);

}  // namespace hpo
