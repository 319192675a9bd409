#pragma once
// How the sources of this folder say what a device does, so that each is compiled twice: by nvcc
// for devices, and as plain C++ that runs a grid on the host, for tests on machines without one.
//
// A kernel is a lambda. over(n, f) calls f(i) for i in [0, n), one thread each. over_blocks runs
// blocks of kThreads threads that share memory: f(block, shared) is written in steps,
// block.each([&](int thread) { ... }), and a step begins when all threads have ended the one
// before. So nothing but shared memory lives from step to step, and within a step no thread may
// read what another writes. Emulated, threads run one after another, in an order that tests turn
// around: a step that breaks that rule changes its result.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/driver.h"

#ifdef KERN_EMULATED
#define KERN_DEVICE
#else
#include <cuda_runtime.h>
#define KERN_DEVICE __device__
#endif

namespace kern::KERN_ON {

/// Memory of a block whose threads share nothing.
struct Nothing {};

/// A block of a grid; one in each of its threads, or one for all where threads are emulated.
template <int kThreads>
struct Block {
  std::size_t index;  ///< in the grid

#ifdef KERN_EMULATED
  template <class F>
  void each(F f) const {
    if (driver::reversed()) {
      for (int t = kThreads; t-- > 0;) f(t);
    } else {
      for (int t = 0; t < kThreads; ++t) f(t);
    }
  }
#else
  template <class F>
  KERN_DEVICE void each(F f) const {
    f(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
#endif
};

#ifdef KERN_EMULATED

/// Calls f(block, shared) for each of `blocks` blocks.
template <int kThreads, class Shared, class F>
void over_blocks(std::size_t blocks, F f) {
  if (driver::recorded([=] { over_blocks<kThreads, Shared>(blocks, f); })) return;
  const driver::Open open;
  for (std::size_t i = 0; i < blocks; ++i) {
    Shared shared;
    std::memset(static_cast<void*>(&shared), 0xff,
                sizeof shared);  // what nobody wrote is no number
    f(Block<kThreads>{driver::reversed() ? blocks - 1 - i : i}, shared);
  }
}

#else

template <int kThreads, class Shared, class F>
__global__ void __launch_bounds__(kThreads) run_blocks(F f) {
  __shared__ Shared shared;
  f(Block<kThreads>{blockIdx.x}, shared);
}

template <int kThreads, class Shared, class F>
void over_blocks(std::size_t blocks, F f) {
  if (blocks == 0) return;
  auto* stream = static_cast<cudaStream_t>(driver::stream());
  run_blocks<kThreads, Shared, F><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(f);
  driver::launched();
}

#endif

/// Calls f(i) for each i in [0, count).
template <class F>
void over(std::size_t count, F f) {
  constexpr int kThreads = 256;
  over_blocks<kThreads, Nothing>(
      (count + kThreads - 1) / kThreads, [=] KERN_DEVICE(const Block<kThreads>& block, Nothing&) {
        block.each([&](int thread) {
          const std::size_t i = block.index * kThreads + static_cast<std::size_t>(thread);
          if (i < count) f(i);
        });
      });
}

/// Where element i of a matrix with `cols` columns stands.
struct Place {
  std::size_t row;
  int col;
};
KERN_DEVICE inline Place place(std::size_t i, int cols) {
  if (i >> 32 != 0) {
    const auto wide = static_cast<std::size_t>(cols);
    return {i / wide, static_cast<int>(i % wide)};
  }
  const auto narrow = static_cast<std::uint32_t>(i);  // a division of 64 bits is many times slower
  const auto by = static_cast<std::uint32_t>(cols);
  return {narrow / by, static_cast<int>(narrow % by)};
}

}  // namespace kern::KERN_ON
