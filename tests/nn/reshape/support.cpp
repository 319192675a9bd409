#include "tests/nn/reshape/support.h"

#include <algorithm>

#include "nn/training/batch_reader.h"

namespace reshape_test {

using nn_test::n;

std::int64_t Dice::whole(std::int64_t low, std::int64_t high) {
  const std::uint32_t bits = nn::random_block(key_, {count_++, 0, 0, 0})[0];
  return low + static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(high - low + 1));
}

double Dice::unit() {
  return double{nn::symmetric_unit(nn::random_block(key_, {count_++, 1, 0, 0})[0])};
}

namespace {

std::string activation(Dice& dice) {
  const char* words[] = {"relu", "tanh", "none", "sigmoid", "gelu"};
  return words[dice.whole(0, 4)];
}

nn::LayerSpec dense(Dice& dice) {
  return {"dense", "", {{"units", n(dice.whole(1, 7))}, {"activation", activation(dice)}}};
}

nn::LayerSpec norm(Dice& dice) { return {"batch_norm", "", {{"activation", activation(dice)}}}; }

/// A residual block around layers that keep the shape; of dense layers with `units` features.
std::vector<nn::LayerSpec> block(Dice& dice, std::int64_t units) {
  nn::LayerSpec last{"dense", "", {{"units", units}, {"activation", activation(dice)}}};
  std::vector<nn::LayerSpec> out{{"residual_begin", "", {}}, dense(dice), last};
  if (dice.coin()) out.push_back(norm(dice));
  out.push_back({"residual_end", "", {{"activation", activation(dice)}}});
  return out;
}

nn::LayerSpec conv(Dice& dice) {
  return {"conv2d",
          "",
          {{"units", n(dice.whole(1, 4))},
           {"kernel", n(dice.whole(1, 3))},
           {"padding", "same"},
           {"activation", activation(dice)}}};
}

/// A residual block of two convolutions around `units` channels.
std::vector<nn::LayerSpec> conv_block(Dice& dice, std::int64_t units) {
  nn::LayerSpec last = conv(dice);
  last.fields["units"] = units;
  std::vector<nn::LayerSpec> out{{"residual_begin", "", {}}, conv(dice), last};
  if (dice.coin()) out.push_back(norm(dice));
  out.push_back({"residual_end", "", {{"activation", activation(dice)}}});
  return out;
}

/// Convolutions with all that may stand behind them, down to one row of features.
void add_image_layers(Dice& dice, std::vector<nn::LayerSpec>& layers) {
  for (auto i = dice.whole(1, 2); i > 0; --i) {
    layers.push_back(conv(dice));
    const auto units = std::get<std::int64_t>(layers.back().fields.at("units"));
    if (dice.coin()) layers.push_back(norm(dice));
    if (dice.whole(0, 2) == 0) {
      for (auto& layer : conv_block(dice, units)) layers.push_back(layer);
    }
    if (dice.coin()) layers.push_back({dice.coin() ? "max_pool" : "avg_pool", "", {}});
  }
  layers.push_back({dice.whole(0, 2) == 0 ? "global_pool" : "flatten", "", {}});
}

/// What changes nothing about who has which units: dropout, or a layer norm, which ties them down.
void add_between(Dice& dice, std::vector<nn::LayerSpec>& layers) {
  const auto draw = dice.whole(0, 7);
  if (draw < 2) layers.push_back({"dropout", "", {{"rate", 0.25}}});
  if (draw == 2) layers.push_back({"layer_norm", "", {{"activation", activation(dice)}}});
}

}  // namespace

nn::ModelSpec random_spec(Dice& dice) {
  nn::ModelSpec spec{nn::Shape::features(dice.whole(1, 8)), {}};
  if (dice.coin()) {
    spec.input = nn::Shape::image(dice.whole(4, 6), dice.whole(4, 6), dice.whole(1, 2));
    add_image_layers(dice, spec.layers);
  }
  for (auto i = dice.whole(spec.layers.empty() ? 1 : 0, 3); i > 0; --i) {
    spec.layers.push_back(dense(dice));
    const auto units = std::get<std::int64_t>(spec.layers.back().fields.at("units"));
    if (dice.coin()) spec.layers.push_back(norm(dice));
    add_between(dice, spec.layers);
    if (dice.coin()) {
      for (auto& layer : block(dice, units)) spec.layers.push_back(layer);
    }
  }
  return nn::with_output(spec, dice.whole(2, 4));
}

template <class T>
nn::Net<T> random_net(const nn::ModelSpec& spec, const std::string& optimizer, int slots,
                      std::uint64_t seed) {
  nn::Net<T> net = nn::Net<T>::empty({spec, optimizer, slots, false});
  net.state = {.steps = 40, .rows = 640};
  const nn::RandomKey key = nn::RandomKey{seed}.derive("net");
  for (const nn::ParamTensor& tensor : net.layout.tensors) {
    for (int c = 0; c <= slots; ++c) {
      for (std::size_t i = 0; i < tensor.count; ++i) {
        const auto element = static_cast<std::uint32_t>(tensor.offset + i);
        const float draw = nn::symmetric_unit(
            nn::random_block(key, {element, static_cast<std::uint32_t>(c), 0, 0})[0]);
        const bool square = c == 2 || tensor.role == nn::ParamRole::variance;
        net.copy(c)[tensor.offset + i] = static_cast<T>(square ? draw * draw : draw);
      }
    }
  }
  return net;
}

template nn::Net<float> random_net(const nn::ModelSpec&, const std::string&, int, std::uint64_t);
template nn::Net<double> random_net(const nn::ModelSpec&, const std::string&, int, std::uint64_t);

template <>
const kern::Kernels<float>& kernels_of<float>() {
  kern::prepare_thread();
  return kern::cpu_kernels();
}

template <>
const kern::Kernels<double>& kernels_of<double>() {
  return kern::ref_kernels<double>();
}

nn_test::Table random_rows(const nn::ModelSpec& spec, std::uint32_t rows, std::uint64_t seed) {
  return {rows, static_cast<std::int32_t>(spec.input.elements()),
          static_cast<std::int32_t>(nn::output_shape(spec).elements()), seed};
}

nn::DataView view_for(const nn_test::Table& table, const nn::ModelSpec& spec) {
  nn::DataView view = table.view();
  view.shape = spec.input;
  return view;
}

template <class T>
std::vector<T> outputs(const nn::Net<T>& net, const nn_test::Table& table, nn::Use use) {
  const auto view = view_for(table, net.spec());
  const int rows = static_cast<int>(view.rows.size());
  const nn::Network<T> network(net.spec(), kernels_of<T>(), rows, use);
  const nn::BatchReader<T> reader(network, view);
  nn::Block arena(network.arena_bytes()), targets(reader.target_bytes());
  (void)reader.read(arena.bytes().data(), targets.bytes().data(), view.rows);
  nn::Block weights(net.layout.count * sizeof(T));
  std::ranges::copy(net.copy(0), weights.array<T>(0, net.layout.count).begin());
  const T* out =
      network.forward(arena.bytes().data(), weights.array<T>(0, net.layout.count).data(), rows);
  return {out, out + static_cast<std::ptrdiff_t>(rows) * network.outputs()};
}

template std::vector<float> outputs(const nn::Net<float>&, const nn_test::Table&, nn::Use);
template std::vector<double> outputs(const nn::Net<double>&, const nn_test::Table&, nn::Use);

}  // namespace reshape_test
