// The rival of `bench tasks`: StarPU's own interface, in a module of its own that is loaded beside
// the runtime's StarPU.
#pragma once

extern "C" {

/// Submits `tasks` empty tasks to the StarPU that is running in this process and waits for them;
/// seconds from the first submission to the end of the last, or a negative errno value.
/// The runtime must not put StarPU's workers to sleep meanwhile (Config::idle_seconds).
///   handles 0: no data; otherwise that many handles of 8 bytes, each task takes one of them in
///   turn in mode RW.
double trellis_raw_starpu(int tasks, int handles);
}

using RawStarpu = decltype(&trellis_raw_starpu);
