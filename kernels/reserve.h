#pragma once
// What computing takes of a device beside what it is given, for each thread that computes there.

#include <cstddef>

namespace kern {

/// The workspace of cuBLAS.
inline constexpr std::size_t kProductWorkspace = std::size_t{32} << 20;
/// What a worker keeps from training to training, so that small networks find a recorded step
/// again, at most; none where the device has no room for it.
inline constexpr std::size_t kKeptByWorker = std::size_t{16} << 20;
/// Partial sums and lists that kernels take for the length of a call.
inline constexpr std::size_t kPartialSums = std::size_t{16} << 20;
/// Handles of cuBLAS and cuDNN, cuDNN's kernels as far as they were loaded, and the recorded steps
/// (CUDA graphs) that a worker keeps: nobody says how much that is. What cuDNN works in is none of
/// it: that is counted with each convolution.
inline constexpr std::size_t kLibraries = std::size_t{64} << 20;

/// All of it.
inline constexpr std::size_t kDeviceReserve =
    kProductWorkspace + kKeptByWorker + kPartialSums + kLibraries;

}  // namespace kern
