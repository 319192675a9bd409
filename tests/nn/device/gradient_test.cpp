// Every layer's and every loss's gradient on the device, against the reference in double.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nn/data/block.h"
#include "nn/network/network.h"
#include "nn/training/random.h"
#include "tests/nn/device/on_device.h"
#include "tests/nn/layer_cases.h"

namespace {

using namespace device_test;

constexpr int kRows = 3, kMaxRows = 4;

/// What a pass forward and backward leaves.
struct Outcome {
  double loss = 0;
  std::vector<double> gradient;
};

/// Random weights, inputs and targets for a network.
struct Operands {
  std::vector<float> weights, input, numbers;
  std::vector<std::int32_t> labels;

  Operands(const nn::Network<double>& network, const nn_test::LossCase& loss) {
    const nn::RandomKey key{17};
    const auto draw = [&](std::uint32_t what, std::size_t i) {
      return nn::symmetric_unit(
          nn::random_block(key, {static_cast<std::uint32_t>(i), what, 0, 0})[0]);
    };
    for (std::size_t i = 0; i < network.layout().count; ++i) weights.push_back(0.7F * draw(0, i));
    for (const nn::ParamTensor& tensor : network.layout().tensors) {
      // Running variances are not negative, and what lies between tensors is 0.
      for (std::size_t i = 0; i < tensor.count && !nn::trained(tensor.role); ++i)
        weights[tensor.offset + i] = std::abs(weights[tensor.offset + i]);
    }
    const auto inputs = static_cast<std::size_t>(network.spec().input.elements() * kRows);
    for (std::size_t i = 0; i < inputs; ++i) input.push_back(draw(1, i));
    for (int i = 0; i < kRows * network.outputs(); ++i)
      numbers.push_back(draw(2, static_cast<std::size_t>(i)));
    for (int i = 0; i < kRows; ++i)
      labels.push_back(static_cast<std::int32_t>(i % loss.data_outputs));
  }
};

Outcome of_reference(const nn::Network<double>& network, const Operands& in,
                     const nn_test::LossCase& loss) {
  nn::Block arena(network.arena_bytes());
  std::byte* at = arena.bytes().data();
  std::ranges::copy(in.input, network.input(at));
  const std::vector<double> weights(in.weights.begin(), in.weights.end());
  Outcome out{0, std::vector<double>(weights.size())};
  const nn::Target target{in.labels.data(), in.numbers.data()};
  out.loss = network
                 .loss_and_gradient(at, weights.data(), kRows, *nn_test::bound<double>(loss),
                                    target, 1.0, out.gradient.data())
                 .loss;
  return out;
}

Outcome of_device(const nn::ModelSpec& spec, const Operands& in, const nn_test::LossCase& loss) {
  const nn::Network<float> network(spec, kernels(), kMaxRows, nn::Use::training);
  const There arena(network.arena_bytes()), weights(in.weights), labels(in.labels),
      numbers(in.numbers), gradient(in.weights.size() * sizeof(float));
  memory().zero(gradient.at(), in.weights.size() * sizeof(float));
  memory().put(network.input(arena.at()), in.input.data(), in.input.size() * sizeof(float));
  const nn::Target target{labels.at<std::int32_t>(), numbers.at<float>()};
  Outcome out;
  out.loss =
      network
          .loss_and_gradient(arena.at(), weights.at<float>(), kRows, *nn_test::bound<float>(loss),
                             target, 1.0F, gradient.at<float>())
          .loss;
  const std::vector<float> narrow = gradient.back<float>();
  out.gradient.assign(narrow.begin(), narrow.end());
  return out;
}

void check(const nn::ModelSpec& spec, const nn_test::LossCase& loss) {
  SCOPED_TRACE(nn::describe(spec) + " with " + loss.text());
  kern::prepare_thread();
  const nn::Network<double> network(spec, kern::ref_kernels<double>(), kMaxRows, nn::Use::training);
  const Operands in(network, loss);
  const Outcome expected = of_reference(network, in, loss), got = of_device(spec, in, loss);
  EXPECT_NEAR(got.loss, expected.loss, 1e-5 * std::max(1.0, std::abs(expected.loss)));
  double scale = 1e-2;
  for (const double g : expected.gradient) scale = std::max(scale, std::abs(g));
  for (const nn::ParamTensor& tensor : network.layout().tensors)
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.count; ++i)
      ASSERT_NEAR(got.gradient[i], expected.gradient[i], 1e-4 * scale) << tensor.name;
}

TEST(DeviceGradients, OfEveryLayerAndActivationAgreeWithTheReference) {
  const nn_test::LossCase loss = nn_test::loss_cases().front();
  for (const nn::Layer* kind : nn::layers()) {
    for (const nn::LayerExample& example : kind->examples()) {
      nn::LayerSpec layer = nn::layer(kind->info().kind, "probed", example.fields);
      const nn::FieldInfo* activation = kind->info().field("activation");
      if (activation == nullptr) {
        check(nn::with_output({example.input, nn_test::with_context(example, layer)}, 3), loss);
        continue;
      }
      for (const std::string& word : activation->choices) {
        layer.fields["activation"] = word;
        check(nn::with_output({example.input, nn_test::with_context(example, layer)}, 3), loss);
      }
    }
  }
}

TEST(DeviceGradients, OfEveryLossAgreeWithTheReference) {
  for (const nn_test::LossCase& loss : nn_test::loss_cases())
    check(nn_test::mlp(5, {4}, loss.outputs(), "tanh"), loss);
}

}  // namespace
