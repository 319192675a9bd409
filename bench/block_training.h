// Training whose gradients are summed as an aggregation sums them, through block integers.
#pragma once

#include "nn/data/dataset.h"
#include "nn/training/train.h"

namespace bench {

/// One network on the test rows after two trainings.
struct SummedTraining {
  nn::Scores floats;    ///< gradients of the shards were added as floats
  nn::Scores integers;  ///< added as block integers, all at once
};

/// Trains 784-256-128-10 on `data` from the birth and in the order of `seed`. Each batch of 64 rows
/// is cut into `shards` parts, whose gradients are the terms of a sum.
[[nodiscard]] SummedTraining train_summed(const nn::Dataset& data, int shards, int epochs,
                                          std::uint64_t seed);

}  // namespace bench
