// Training on a device, step by step: the networks and the random rows that the benchmarks of GPUs
// have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "kernels/device.h"
#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/model/slab.h"
#include "nn/model/spec.h"
#include "nn/network/workspace.h"
#include "nn/training/hyper.h"

namespace bench {

inline constexpr int kGpuBatch = 512, kGpuClasses = 10;

/// The CUDA device, with this thread ready to train on it. Throws base::Error (no_device) in the
/// name of the benchmark.
[[nodiscard]] const kern::Device& cuda_device_for(std::string_view benchmark);

/// Memory of a device, zeroed.
class There {
 public:
  There(const kern::Memory& memory, std::size_t bytes);
  There(const There&) = delete;
  There& operator=(const There&) = delete;
  ~There() { memory_.release(at_); }

  template <class T = std::byte>
  [[nodiscard]] T* at() const {
    return reinterpret_cast<T*>(at_);
  }
  template <class T>
  void fill(const std::vector<T>& values) {
    memory_.put(at_, values.data(), values.size() * sizeof(T));
  }
  /// Waits for all that was asked of the device.
  void wait() const;

 private:
  const kern::Memory& memory_;
  std::byte* at_;
};

/// Dense layers of those units on 784 numbers.
[[nodiscard]] nn::ModelSpec mlp_of(const std::vector<int>& units);
/// Convolutions as VGG has them, for 32x32 pixels of three colours.
[[nodiscard]] nn::ModelSpec vgg();

enum class Numbers : std::uint8_t { bytes, floats };
enum class Rows : std::uint8_t { resident, fed };  ///< where they lie: there, or in main memory

/// Random rows for a network, in main memory and on a device.
class RandomTable {
 public:
  /// `batches` batches of them.
  RandomTable(const kern::Memory& memory, const nn::Shape& input, Numbers numbers, int batches);

  /// Valid while this is.
  [[nodiscard]] nn::DataView view(Rows where) const;

 private:
  nn::Shape input_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> floats_, shift_, scale_;
  std::vector<std::int32_t> labels_;
  std::vector<std::uint32_t> rows_;
  There x_, y_, shift_there_, scale_there_;
  nn::ResidentTable resident_;
};

/// A network on the device, trained by plain gradient descent.
class Training {
 public:
  /// What is given outlives this.
  Training(const kern::Kernels<float>& kernels, const nn::ModelSpec& model,
           const nn::DataView& rows, int batch = kGpuBatch);

  /// Seconds of a step, in the mean over the next `epochs` epochs.
  double run(int epochs);

 private:
  const kern::Kernels<float>& kernels_;
  nn::DataView rows_;
  nn::Hyper hyper_;
  nn::ParamSlab net_;
  There slab_;
  nn::Workspace workspace_;
  std::int64_t epoch_ = 0;
};

/// Seconds of a step, over epochs of the table's rows.
[[nodiscard]] Sample time_steps(const kern::Kernels<float>& kernels, const nn::ModelSpec& model,
                                const nn::DataView& rows, int repetitions);

}  // namespace bench
