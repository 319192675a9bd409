// Rivals of `bench tasks`, each in a module of its own that is loaded when it is measured.
#pragma once

#include <chrono>

/// Tasks for a rival to run.
struct RivalTasks {
  int tasks = 0;
  /// 0: tasks have no data. Else so many chains: task i comes after task i - chains.
  int chains = 0;
  double microseconds = 0;  ///< that the body of a task computes for
  int workers = 0;          ///< of rivals that have workers of their own
};

/// Seconds from the first submission to the end of the last task, or a negative errno value.
using RunRival = double (*)(const RivalTasks& what);

extern "C" {

/// StarPU's own interface, on the StarPU that runs in this process. A chain is a handle of 8 bytes
/// in mode RW. The runtime must not put StarPU's workers to sleep meanwhile (Config::idle_seconds).
double trellis_raw_starpu(const RivalTasks& what);

/// oneTBB: a task group, or where there are chains a flow graph, whose nodes are made as part of
/// what is measured. The calling thread is one of its workers.
double trellis_raw_tbb(const RivalTasks& what);
}

namespace bench {

/// What the body of a task does, ours and theirs: computes for so long.
inline void compute_for(double microseconds) {
  using Clock = std::chrono::steady_clock;
  if (microseconds <= 0) return;
  const auto end = Clock::now() + std::chrono::nanoseconds(static_cast<long>(microseconds * 1000));
  while (Clock::now() < end) continue;
}

}  // namespace bench
