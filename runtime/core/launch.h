// What an executor must know about a node: which buffers in which way, how urgent, on what kind of
// device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "runtime/context.h"

namespace rt::inline v0::detail {

class Gang;

enum class AccessMode : std::uint8_t { read, write, read_write, commute };

struct Access {
  void* handle;
  AccessMode mode;
};

/// The executor's part of a node.
struct Launch {
  static constexpr std::uint8_t kNone = 255;
  Access* accesses = nullptr;
  std::uint8_t access_count = 0;
  std::uint8_t stays = kNone;  ///< an access whose buffer is not brought to the device
  Device device = Device::cpu;
  std::int32_t priority = 0;    ///< larger is sooner
  double cost = 0;              ///< by the task's cost function
  double seconds = 0;           ///< expected; 0: not known
  double simulated[2] = {};     ///< on a simulated machine: what it takes on a core and on a GPU
  base::Moment ready;           ///< only a worker is missing from then on
  base::Moment taken;           ///< a worker took it, and began to bring its data
  std::uint64_t footprint = 0;  ///< bytes that it holds on its device: buffers and scratch
  std::uint64_t scratch = 0;    ///< bytes of a GPU that the executor lends it while it runs
  std::byte* scratch_at = nullptr;  ///< where they are
  Gang* gang = nullptr;             ///< of a task with several cores
  bool stands_aside = false;        ///< one of the gang's other workers
  bool helps = false;               ///< takes over parts of a running task (team.h)
  const char* name = "";
};

/// Nothing but a worker is missing any more. Every executor says so of every launch. Any thread.
void launch_ready(Launch& launch) noexcept;
/// A worker has taken the launch and now waits for its data, where those may be elsewhere. Any
/// thread; may be left out.
void launch_taken(Launch& launch, unsigned worker) noexcept;

/// Runs a launch to its end, on a worker's thread: body, failure policy, results, successors.
/// `bytes` are the addresses of the accesses' buffers on this worker's device. Never throws. The
/// launch may be gone afterwards.
void run_launch(Launch& launch, unsigned worker, std::byte* const* bytes) noexcept;

}  // namespace rt::inline v0::detail
