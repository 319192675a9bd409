// An executor, as the engine sees it: takes launches, runs them on workers when their buffers allow
// it. No StarPU here: the StarPU executors are plugins that are loaded when they are asked for, so
// that programs that only read never load StarPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/config.h"
#include "runtime/core/events.h"
#include "runtime/core/launch.h"

namespace rt::inline v0::detail {

/// One of the devices that CUDA shows the program.
struct ShownGpu {
  int index = 0;
  int of = 1;
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// Kinds and numbers of workers; worker numbers go from 0 to workers() - 1, CPU workers first.
  [[nodiscard]] virtual int cpu_workers() const noexcept = 0;
  [[nodiscard]] virtual int cuda_workers() const noexcept = 0;
  /// Devices that the CUDA workers compute on.
  [[nodiscard]] virtual int gpus() const noexcept { return cuda_workers(); }
  /// The one, from 0 on, that a CUDA worker computes on. Both count their own kind alone.
  [[nodiscard]] virtual int gpu_of(int cuda_worker) const noexcept { return cuda_worker; }

  /// That of the calling CUDA worker, whichever of them are used.
  [[nodiscard]] virtual ShownGpu this_gpu() const noexcept { return {}; }

  /// Bytes that one task may hold on a device of that kind, the largest one there is; 0: nobody
  /// counts them.
  [[nodiscard]] virtual std::uint64_t device_memory(Device) const noexcept { return 0; }

  /// Runs the launch (by `run_launch`) once the launches submitted before that conflict with it on
  /// a buffer have ended. Any thread; launches that conflict must be submitted one after the other.
  virtual void submit(Launch& launch) = 0;

  /// Launches that run or only wait for a worker: those that wait for others are not counted. Any
  /// thread.
  [[nodiscard]] virtual int ready() const noexcept = 0;

  /// Makes host memory (or, of size 0, just a turn to be taken) known. Any thread.
  [[nodiscard]] virtual void* register_buffer(std::byte* bytes, std::size_t size) = 0;
  /// Forgets it once nothing uses it any more. The host memory must stay until then only as far as
  /// launches use it. Any thread.
  virtual void unregister_buffer(void* handle) noexcept = 0;
  /// Waits until what was submitted on the buffer has ended and its bytes are on the host. Driver
  /// thread only.
  virtual void fetch(void* handle) = 0;
  /// Copies within what the calling worker can address; returns when done.
  virtual void copy(std::byte* to, const std::byte* from, std::size_t size) = 0;
  /// The calling worker's CUDA stream; null on a CPU.
  [[nodiscard]] virtual void* stream() noexcept { return nullptr; }
  /// After a body on a CUDA worker: waits for its stream. Throws when the device reports an error.
  virtual void synchronise() {}

  /// Waits until every launch, helpers and those that stand aside included, has returned. Driver
  /// thread only.
  virtual void drain() {}

  /// Calls the function once in each worker's thread and waits for that.
  virtual void on_each_worker(void (*function)(void*), void* argument) = 0;

  /// Whether the machine is simulated: bodies stand for work (TaskInfo::simulated), and time is not
  /// the machine's.
  [[nodiscard]] virtual bool simulates() const noexcept { return false; }
  /// On a worker of a simulated machine: lets the time pass that the launch takes there.
  virtual void spend(const Launch&) {}
  /// How the driver sleeps where its time is not the machine's; null: as usual.
  [[nodiscard]] virtual Bell* bell() noexcept { return nullptr; }

  /// Whether idle workers burn their cores, so that pause() is worth its while.
  [[nodiscard]] virtual bool spins() const noexcept { return false; }
  virtual void pause() {}
  virtual void resume() {}
};

/// The executor that runs every launch on the calling thread at once.
std::unique_ptr<Backend> make_sequential(const Config& config);

/// Loads a plugin ("starpu-cpu", "starpu-cuda" or "starpu-simgrid"). Throws base::Error: no_device
/// saying what is missing, storage for one that does not belong to this library.
std::unique_ptr<Backend> load_backend(const std::string& flavour, const Config& config);

/// Runs the job, which throws nothing, where the simulation of that configuration runs. Throws as
/// load_backend().
void run_in_simulation(const Config& config, const std::function<void()>& job);

/// What the plugin of a simulated machine exports besides, as `trellis_run_in_simulation`.
using RunInSimulation = void (*)(const Config& config, const std::function<void()>& job);

/// What a plugin exports under the name `trellis_make_backend`. A failure is an exception. Beside
/// it `trellis_plugin_stamp` returns what the plugin was built from (tools/stamp.py).
using MakeBackend = Backend* (*)(const Config& config);

}  // namespace rt::inline v0::detail
