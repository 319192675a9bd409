// Gradient checks in f64 for every registered layer, activation and loss: central differences
// through the reference kernels against the explicit backward pass.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "nn/data/block.h"
#include "nn/network/network.h"
#include "nn/training/random.h"
#include "tests/nn/layer_cases.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::n;

constexpr int kRows = 3;
constexpr double kTolerance = 1e-6;

/// Takes out the layers that open a block without an end: they change no number.
void drop_open_blocks(nn::ModelSpec& spec) {
  int closed = 0;
  for (std::size_t i = spec.layers.size(); i-- > 0;) {
    const nn::Branch branch = nn::layer_of(spec.layers[i].kind).branch();
    closed += branch == nn::Branch::closes ? 1 : 0;
    if (branch != nn::Branch::opens || closed-- > 0) continue;
    closed = 0;
    spec.layers.erase(spec.layers.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// A network in f64 with random weights, inputs and targets.
class Probe {
 public:
  Probe(const nn::ModelSpec& spec, const nn_test::LossCase& loss, std::uint64_t seed,
        int rows = kRows)
      : network_(spec, kern::ref_kernels<double>(), kMaxRows, nn::Use::training),
        loss_(nn_test::bound<double>(loss)),
        rows_(rows),
        block_(network_.arena_bytes()),
        key_(nn::RandomKey{seed}),
        weights_(network_.layout().count),
        gradient_(network_.layout().count) {
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = 0.7 * draw(0, i);
    const auto inputs = static_cast<std::size_t>(spec.input.elements() * rows);
    for (std::size_t i = 0; i < inputs; ++i) input_.push_back(draw(1, i));
    for (int i = 0; i < rows * network_.outputs(); ++i) {
      numbers_.push_back(static_cast<float>(draw(2, static_cast<std::size_t>(i))));
    }
    for (int i = 0; i < rows; ++i)
      labels_.push_back(static_cast<std::int32_t>(i % loss.data_outputs));
  }

  /// The smallest distance of a relu's argument from its kink, over all layers.
  double distance_from_kinks() {
    double smallest = 1;
    for (std::size_t i = 0; i < network_.spec().layers.size(); ++i) {
      const auto& fields = network_.spec().layers[i].fields;
      const auto activation = fields.find("activation");
      if (activation == fields.end() || activation->second != nn::FieldValue("relu")) continue;
      nn::ModelSpec prefix{network_.spec().input, {}};
      prefix.layers.assign(network_.spec().layers.begin(),
                           network_.spec().layers.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      prefix.layers.back().fields["activation"] = "none";
      drop_open_blocks(prefix);
      const nn::Network<double> part(prefix, kern::ref_kernels<double>(), kMaxRows,
                                     nn::Use::training);
      nn::Block memory(part.arena_bytes());
      std::ranges::copy(input_, part.input(memory.bytes().data()));
      const double* sums = part.forward(memory.bytes().data(), weights_.data(), rows_);
      for (int j = 0; j < rows_ * part.outputs(); ++j) {
        smallest = std::min(smallest, std::abs(sums[j]));
      }
    }
    return smallest;
  }

  double value() {
    std::byte* arena = block_.bytes().data();
    std::ranges::copy(input_, network_.input(arena));
    const double* out = network_.forward(arena, weights_.data(), rows_);
    kern::Exec exec = network_.exec(arena);
    const nn::Target wanted = target();
    return loss_
        ->run({network_.kernels(), exec, rows_, network_.outputs(), out, wanted, 0.0, nullptr})
        .loss;
  }

  void differentiate() {
    std::byte* arena = block_.bytes().data();
    std::ranges::copy(input_, network_.input(arena));
    std::ranges::fill(gradient_, std::nan(""));
    network_.loss_and_gradient(arena, weights_.data(), rows_, *loss_, target(), 1.0,
                               gradient_.data());
  }

  /// Relative difference of one weight's derivative from its central difference.
  double error(std::size_t i) {
    const double w = weights_[i], h = 1e-6 * std::max(1.0, std::abs(w));
    weights_[i] = w + h;
    const double above = value();
    weights_[i] = w - h;
    const double below = value();
    weights_[i] = w;
    const double numeric = (above - below) / (2 * h), exact = gradient_[i];
    return std::abs(numeric - exact) / std::max({std::abs(numeric), std::abs(exact), 1e-2});
  }

  const nn::Network<double>& network() const { return network_; }

 private:
  static constexpr int kMaxRows =
      kRows + 1;  // so that a pass of fewer rows than planned is what is tested

  double draw(std::uint32_t what, std::size_t i) const {
    return double{
        nn::symmetric_unit(nn::random_block(key_, {static_cast<std::uint32_t>(i), what, 0, 0})[0])};
  }
  nn::Target target() const { return {labels_.data(), numbers_.data()}; }

  nn::Network<double> network_;
  std::unique_ptr<nn::LossFunction<double>> loss_;
  int rows_;
  nn::Block block_;
  nn::RandomKey key_;
  std::vector<double> weights_, gradient_, input_;
  std::vector<float> numbers_;
  std::vector<std::int32_t> labels_;
};

/// A probe with this spec whose relus all are clear of their kinks.
Probe clear_probe(const nn::ModelSpec& spec, const nn_test::LossCase& loss) {
  std::uint64_t seed = 1;
  while (Probe(spec, loss, seed).distance_from_kinks() < 1e-3 && seed < 200) ++seed;
  EXPECT_LT(seed, 200U) << "no inputs away from kinks: " << nn::describe(spec);
  return Probe(spec, loss, seed);
}

void check_every_weight(const nn::ModelSpec& spec, const nn_test::LossCase& loss) {
  SCOPED_TRACE(nn::describe(spec) + ", loss " + loss.text());
  Probe probe = clear_probe(spec, loss);
  probe.differentiate();
  for (const auto& tensor : probe.network().layout().tensors) {
    if (!nn::trained(tensor.role)) continue;
    for (std::size_t i = 0; i < tensor.count; ++i) {
      const double error = probe.error(tensor.offset + i);
      ASSERT_LT(error, kTolerance) << tensor.name << "[" << i << "]";
    }
  }
}

/// The example first in a network, and behind a layer with weights (so that its data gradient
/// matters).
std::vector<nn::ModelSpec> settings(const nn::LayerExample& example, const nn::LayerSpec& layer,
                                    std::int64_t outputs) {
  const nn::Shape& input = example.input;
  const nn::LayerSpec before =
      input.is_image()
          ? nn::layer("conv2d", "before",
                      {{"units", n(input.channels())}, {"kernel", n(1)}, {"activation", "tanh"}})
          : nn::layer("dense", "before", {{"units", n(input.elements())}, {"activation", "tanh"}});
  std::vector<nn::LayerSpec> layers = nn_test::with_context(example, layer);
  const nn::ModelSpec first = nn::with_output({input, layers}, outputs);
  layers.insert(layers.begin(), before);
  return {first, nn::with_output({input, layers}, outputs)};
}

/// The example with each activation, where the kind has one.
std::vector<nn::LayerSpec> variants(const nn::Layer& kind, const nn::LayerExample& example) {
  const nn::LayerSpec layer = nn::layer(kind.info().kind, "probed", example.fields);
  const nn::FieldInfo* activation = kind.info().field("activation");
  if (activation == nullptr) return {layer};
  std::vector<nn::LayerSpec> out(activation->choices.size(), layer);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].fields["activation"] = activation->choices[i];
  }
  return out;
}

TEST(Gradient, EveryLayerActivationAndLoss) {
  int cases = 0;
  for (const nn::Layer* kind : nn::layers()) {
    ASSERT_FALSE(kind->examples().empty()) << kind->info().kind;
    for (const auto& example : kind->examples()) {
      for (const auto& layer : variants(*kind, example)) {
        for (const nn_test::LossCase& loss : nn_test::loss_cases()) {
          for (const auto& spec : settings(example, layer, loss.outputs())) {
            check_every_weight(spec, loss);
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_GE(cases, 100);
}

TEST(Gradient, ProbesOfALargerNetwork) {
  nn::ModelSpec spec = nn_test::lenet(6, 8, 20);
  for (nn_test::LossCase loss : nn_test::loss_cases()) {
    if (loss.data_outputs != 2) loss.data_outputs = 10;
    spec.layers.back().fields["units"] = loss.outputs();
    Probe probe(spec, loss, 3, 2);
    probe.differentiate();
    const auto& tensors = probe.network().layout().tensors;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        const auto word = nn::random_block(nn::RandomKey{5}, {k, std::uint32_t(t), 0, 0})[0];
        const std::size_t i = word % tensors[t].count;
        EXPECT_LT(probe.error(tensors[t].offset + i), kTolerance)
            << tensors[t].name << "[" << i << "], loss " << loss.text();
      }
    }
  }
}

}  // namespace
