// What a task needs from the machine, and what it costs.
#pragma once

#include <cstdint>
#include <optional>

namespace rt::inline v0 {

/// A number of bytes, so that a bare 512 can't be taken for megabytes.
struct ByteCount {
  std::uint64_t value = 0;
  auto operator<=>(const ByteCount&) const = default;
};

inline namespace literals {
constexpr ByteCount operator""_KiB(unsigned long long n) { return {n << 10}; }
constexpr ByteCount operator""_MiB(unsigned long long n) { return {n << 20}; }
constexpr ByteCount operator""_GiB(unsigned long long n) { return {n << 30}; }
}  // namespace literals

/// What one run of a task takes. Checked when the task is called: what no worker here can ever give
/// is an error at the call (base::Error, no_device) that names the need and what there is, and
/// nothing is submitted.
struct Resources {
  /// Cores. With more than one, the other workers are kept out while the body runs, and the body
  /// may use `Context::cpus()` threads of its own (it sets its libraries' thread count itself).
  int cpus = 1;
  /// GPUs: 0 (a CPU body runs) or 1 (the CUDA body runs). Never a matter of chance: the kind
  /// decides the bits of the result.
  int gpus = 0;
  /// Main memory the body takes beyond its arguments. Tasks are let in so that the sum never passes
  /// Config::memory.
  ByteCount memory{};
};

/// Floating-point operations. Rank tasks by expected length (with durations learned in this
/// process), never decide results.
struct Flops {
  double value = 0;
};

/// What becomes of a task that reads one of its inputs from main memory, a piece at a time.
struct Streaming {
  /// Which one: the place of an `in` buffer among the task's parameters, the first one (a Context
  /// aside) at 0.
  unsigned parameter = 0;
  std::uint64_t memory = 0;  ///< bytes of the device that it works in, beside Work::memory
  double bytes = 0;          ///< that come to the device while it runs
};

/// What one run of a task does, counted; what it takes on a device: runtime/place/device_model.h.
struct Work {
  double flops = 0;
  double bytes = 0;          ///< that pass through the device's memory besides products
  double launches = 0;       ///< products and passes that are begun one after another
  std::uint64_t memory = 0;  ///< bytes of the device that it works in, besides its arguments
  /// Where no device holds all of it, that input stays in main memory, and the body is told
  /// (Context::streams). None, or the rest is still too large: such a task is refused.
  std::optional<Streaming> streaming{};
};

/// Which calls of a task may run as one, and how many at most (Task::packs).
struct PackFit {
  std::uint64_t with = 0;  ///< the same for calls that may; 0: this one runs alone
  int most = 0;            ///< calls, this one included
};

}  // namespace rt::inline v0
