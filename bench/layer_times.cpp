#include "bench/layer_times.h"

#include <algorithm>

#include "base/clock.h"
#include "kernels/kernels.h"
#include "nn/data/block.h"
#include "nn/data/data_view.h"
#include "nn/losses/loss.h"
#include "nn/network/network.h"

namespace bench {

std::vector<LayerSeconds> layers_alone(const nn::ModelSpec& spec, int rows, int shards) {
  kern::prepare_thread();
  const nn::Network<float> network(spec, kern::cpu_kernels(), rows, nn::Use::training);
  const auto loss = nn::loss_function<float>({"cross_entropy", {}}, nn::DataView{});
  nn::Block memory(network.arena_bytes());
  std::byte* const arena = memory.bytes().data();
  std::vector<float> weights(network.layout().count, 0.01F), gradient(network.layout().count);
  const std::vector<std::int32_t> labels(static_cast<std::size_t>(rows), 1);
  const nn::Draws draws;
  const nn::Network<float>::Pass pass{.arena = arena,
                                      .weights = weights.data(),
                                      .rows = rows,
                                      .draws = &draws,
                                      .gradient_scale = 1.0F / static_cast<float>(rows * shards),
                                      .gradient = gradient.data()};
  std::vector<LayerSeconds> layers(spec.layers.size());
  for (int round = 0; round < 2; ++round) {  // the first one brings everything to memory
    std::ranges::fill(layers, LayerSeconds{});
    for (int shard = 0; shard < shards; ++shard) {
      std::fill_n(network.input(arena), rows * spec.input.elements(), 0.5F);
      for (std::size_t i = 0; i < layers.size(); ++i) {
        const base::Moment begin = base::now();
        network.forward(pass, i, i + 1);
        layers[i].forward += base::seconds_since(begin);
      }
      (void)network.loss(pass, *loss, {.labels = labels.data()});
      for (std::size_t i = layers.size(); i-- > 0;) {
        const base::Moment begin = base::now();
        network.backward(pass, i, i + 1);
        layers[i].backward += base::seconds_since(begin);
      }
    }
  }
  return layers;
}

}  // namespace bench
