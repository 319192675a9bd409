// Training on a GPU, held against the time that its libraries take for the same products and
// convolutions alone.
#include <algorithm>
#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/gpu_training.h"
#include "bench/measure.h"
#include "kernels/device.h"
#include "nn/layers/conv2d.h"
#include "nn/network/flow.h"

namespace bench {

namespace {

constexpr int kStepBatch = kGpuBatch, kStepBatches = 16;

/// A product of a network's step.
struct StepProduct {
  int m, n, k;
};

/// The products of a step: of each dense layer forwards, for its weights, and for what enters it.
/// Where `convolutions` are products, too, those of each of them.
std::vector<StepProduct> products(const nn::ModelSpec& spec, bool convolutions) {
  std::vector<StepProduct> all;
  const std::vector<nn::Flow> flows = nn::infer_flows(spec);
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const nn::Shape &in = flows[i].shape, &out = flows[i + 1].shape;
    const bool is_conv = spec.layers[i].kind == "conv2d";
    if (!(is_conv && convolutions) && spec.layers[i].kind != "dense") continue;
    const int rows = is_conv ? kStepBatch * out.height() * out.width() : kStepBatch;
    const int depth = is_conv ? 9 * in.channels() : static_cast<int>(in.elements());
    const int units = is_conv ? out.channels() : static_cast<int>(out.elements());
    all.push_back({rows, units, depth});
    all.push_back({depth, units, rows});
    if (i > 0) all.push_back({rows, depth, units});
  }
  return all;
}

std::vector<float> noise(std::size_t count) {
  base::Stream random(2, "gpu");
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.below(256)) / 128 - 1;
  return values;
}

/// Seconds of the products alone, one after another.
Sample time_products(const kern::Kernels<float>& kernels, const std::vector<StepProduct>& all,
                     int repetitions) {
  std::size_t a = 0, b = 0, c = 0;
  for (const StepProduct& p : all) {
    a = std::max(a, std::size_t(p.m) * std::size_t(p.k));
    b = std::max(b, std::size_t(p.k) * std::size_t(p.n));
    c = std::max(c, std::size_t(p.m) * std::size_t(p.n));
  }
  const kern::Memory& memory = *kernels.memory;
  There left(memory, 4 * a), right(memory, 4 * b);
  const There out(memory, 4 * c);
  left.fill(noise(a));
  right.fill(noise(b));
  kern::Exec exec;
  return repeat(repetitions, [&] {
    out.wait();
    const base::Moment begin = base::now();
    for (const StepProduct& p : all) {
      kernels.gemm(exec, {.m = p.m,
                          .n = p.n,
                          .k = p.k,
                          .a = left.at<float>(),
                          .lda = p.k,
                          .b = right.at<float>(),
                          .ldb = p.n,
                          .c = out.at<float>(),
                          .ldc = p.n});
    }
    out.wait();
    return base::seconds_since(begin);
  });
}

/// Seconds of the convolutions of a step by the device's library alone: of each forwards, for its
/// weights, and for what enters it. 0 where there is none, or no convolution.
double time_convolutions(const kern::Device& device, const nn::ModelSpec& spec,
                         kern::Precision precision) {
  double all = 0;
  const std::vector<nn::Flow> flows = nn::infer_flows(spec);
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    if (spec.layers[i].kind != "conv2d") continue;
    kern::Window window = nn::Conv2d::from(spec.layers[i].fields, flows[i].shape).window;
    window.batch = kStepBatch;
    using enum kern::ConvStep;
    for (const kern::ConvStep step : {forward, backward_weights, backward_data}) {
      if (step == backward_data && i == 0) continue;
      const double one = device.library_conv_seconds(window, precision, step);
      if (one == 0) return 0;
      all += one;
    }
  }
  return all;
}

/// Seconds of a step of a small network, divided by how many are trained at once, each by a thread
/// with a stream.
Sample time_together(const kern::Kernels<float>& kernels, int networks, int repetitions) {
  constexpr int kSmallBatch = 64, kEpochs = 4;
  const nn::ModelSpec model = mlp_of({128, 128});
  const RandomTable table(*kernels.memory, model.input, Numbers::bytes, kStepBatches);
  std::vector<Sample> samples(static_cast<std::size_t>(networks));
  std::barrier together(networks);
  std::vector<std::jthread> threads;
  for (Sample& sample : samples) {
    threads.emplace_back([&] {
      kern::prepare_thread();
      Training training(kernels, model, table.view(Rows::resident), kSmallBatch);
      (void)training.run(kEpochs);
      sample = repeat(repetitions, [&] {
        together.arrive_and_wait();
        const double one = training.run(kEpochs);
        together.arrive_and_wait();
        return one;
      });
    });
  }
  threads.clear();
  Sample slowest =
      *std::ranges::max_element(samples, std::less(), [](const Sample& s) { return s.median; });
  slowest.median /= networks;
  return slowest;
}

}  // namespace

std::vector<Case> run_gpu(const Options& options) {
  const kern::Device& device = cuda_device_for("gpu");
  std::vector<Case> cases;
  const int repetitions = options.quick ? 3 : 20;
  for (const auto& [name, model] :
       {std::pair{"MLP 784-4096-4096-10, batch 512", mlp_of({4096, 4096})},
        std::pair{"convolutions as VGG's, 32x32, batch 512", vgg()}}) {
    const RandomTable table(*device.kernels().memory, model.input, Numbers::bytes, kStepBatches);
    for (const kern::Precision precision : kern::precisions()) {
      const kern::Kernels<float>& kernels = device.kernels(precision);
      const Sample ours = time_steps(kernels, model, table.view(Rows::resident), repetitions);
      const std::string what = base::cat(name, ", ", kern::precision_name(precision));
      const auto add = [&](const std::string& rival, double alone) {
        cases.push_back({what, 1e3 * ours.median, "ms/step", rival, 1e3 * alone,
                         alone / ours.median, ours.spread});
      };
      add("cuBLAS, the products alone",
          time_products(kernels, products(model, true), repetitions).median);
      const double convolutions = time_convolutions(device, model, precision);
      if (convolutions == 0) continue;
      add("cuDNN's fastest and cuBLAS alone",
          convolutions + time_products(kernels, products(model, false), repetitions).median);
    }
  }
  for (const int networks : {1, 4, 8, 16}) {
    const Sample one = time_together(device.kernels(), networks, repetitions);
    cases.push_back({.name = base::cat("MLP 784-128-128-10, batch 64, f32, ", networks, " at once"),
                     .ours = 1e6 * one.median,
                     .unit = "us/step",
                     .spread = one.spread});
  }
  return cases;
}

}  // namespace bench
