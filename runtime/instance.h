// The runtime itself: workers, from construction to destruction.
#pragma once

#include <functional>
#include <memory>

#include "runtime/config.h"
#include "runtime/summary.h"

namespace rt::inline v0 {

namespace detail {
class Engine;
class Hosted;
}  // namespace detail

/// Starts workers; the thread that makes it is the driver thread. At most one at a time in a
/// process; another one may follow. Throws base::Error: (no_device) when the executor asked for
/// can't run here, (usage) when there is one already.
///
/// The end destroys coroutines that did not finish, waits for what runs and for what was called and
/// is not pure, then writes graph and trace files. Values that outlive it keep what they hold; to
/// ask for one that is still waiting is an error (base::Error, usage). Calls behind a promise that
/// nobody set are cancelled and named in a warning (base::warn); it never throws.
class Runtime {
 public:
  explicit Runtime(const Config& config = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] Executor executor() const noexcept;
  [[nodiscard]] int workers() const noexcept;  ///< CPU workers
  [[nodiscard]] int gpus() const noexcept;
  [[nodiscard]] int gpu_workers() const noexcept;  ///< CUDA workers, of all GPUs together
  [[nodiscard]] Summary summary() const;
  /// What each worker did over time. Copies all of it: for now and then.
  [[nodiscard]] UseSeries use() const;

  /// Says how many chains of tasks the driver keeps going at once, at most; 0: no new ones will
  /// come. Decides nothing: it tells the causes apart for which workers are idle (IdleCause).
  void set_window(int chains) const noexcept;

 private:
  std::unique_ptr<detail::Hosted> hosted_;  ///< agents that rt::init was told of; or null
  std::unique_ptr<detail::Engine> engine_;
};

/// Calls `job`, which makes a Runtime of that configuration, and throws what it throws. A simulated
/// machine runs as a whole within it, on one thread of the system; a Runtime that is made elsewhere
/// has one for each worker, which is slower by the time that switching between them takes. There
/// can be one such call in a process.
void run_within(const Config& config, const std::function<void()>& job);

/// CPU workers of the current Runtime; 0 without one.
[[nodiscard]] int worker_count() noexcept;

}  // namespace rt::inline v0
