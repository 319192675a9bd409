// What each layer of a network takes for some shards of a batch, when nothing else runs.
#pragma once

#include <vector>

#include "nn/model/spec.h"

namespace bench {

struct LayerSeconds {
  double forward = 0, backward = 0;
};

/// Times the passes of `shards` shards of `rows` rows, one after another, on this thread. `spec` is
/// complete, and ends in outputs for classes.
[[nodiscard]] std::vector<LayerSeconds> layers_alone(const nn::ModelSpec& spec, int rows,
                                                     int shards);

}  // namespace bench
