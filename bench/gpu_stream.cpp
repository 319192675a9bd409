// Training on a GPU on rows that lie in main memory and come a batch at a time, beside the same on
// rows that lie there.
#include <string>
#include <vector>

#include "base/text.h"
#include "bench/bench.h"
#include "bench/gpu_training.h"

namespace bench {

namespace {

constexpr int kStreamBatches = 32, kQuickStreamBatches = 4;

struct Streamed {
  const char* name;
  nn::ModelSpec model;
  Numbers numbers;
};

/// In the last one a row takes longer on its way than it is computed with.
std::vector<Streamed> all_streamed() {
  return {{"MLP 784-4096-4096-10, bytes", mlp_of({4096, 4096}), Numbers::bytes},
          {"MLP 784-4096-4096-10, f32", mlp_of({4096, 4096}), Numbers::floats},
          {"convolutions as VGG's, 32x32, bytes", vgg(), Numbers::bytes},
          {"MLP 784-128-128-10, f32", mlp_of({128, 128}), Numbers::floats}};
}

}  // namespace

std::vector<Case> run_gpu_stream(const Options& options) {
  const kern::Kernels<float>& kernels = cuda_device_for("gpu-stream").kernels();
  const int repetitions = options.quick ? 3 : 10;
  std::vector<Case> cases;
  for (const Streamed& training : all_streamed()) {
    const RandomTable table(*kernels.memory, training.model.input, training.numbers,
                            options.quick ? kQuickStreamBatches : kStreamBatches);
    const Sample fed = time_steps(kernels, training.model, table.view(Rows::fed), repetitions);
    const Sample resident =
        time_steps(kernels, training.model, table.view(Rows::resident), repetitions);
    cases.push_back({.name = base::cat(training.name, ", batch ", kGpuBatch, ", rows fed"),
                     .ours = 1e3 * fed.median,
                     .unit = "ms/step",
                     .rival = "the same rows resident",
                     .rival_value = 1e3 * resident.median,
                     .ratio = resident.median / fed.median,
                     .spread = fed.spread});
  }
  return cases;
}

}  // namespace bench
