// A training whose gradients are summed through block integers.
#include "bench/block_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/workloads.h"
#include "nn/data/load.h"

namespace {

TEST(BlockTraining, EndsWhereFloatsEnd) {
  const bench::Workload table{.name = {}, .images = false};
  const nn::Dataset data = nn::load_dataset(bench::data_of(table, false));
  for (const int shards : {2, 5, 8}) {
    const bench::SummedTraining both = bench::train_summed(data, shards, 5, 1);
    EXPECT_GT(both.integers.accuracy, 0.9) << shards;
    EXPECT_NEAR(both.integers.accuracy, both.floats.accuracy, 0.003) << shards;
    // Near, but not the same numbers: the sums are others.
    EXPECT_NE(both.integers.loss, both.floats.loss) << shards;
    EXPECT_NEAR(both.integers.loss, both.floats.loss, 1e-3 * both.floats.loss) << shards;
  }
}

}  // namespace
