// What a network computes stays as it is: over random networks and sequences of operations, in
// float and double.

#include <gtest/gtest.h>

#include "tests/nn/reshape/support.h"

namespace {

using namespace reshape_test;

/// Tolerances of an exact operation.
template <class T>
constexpr double kTolerance = sizeof(T) == 8 ? 1e-12 : 1e-5;

template <class T>
void expect_preserved(const nn::Net<T>& before, const nn::Net<T>& after,
                      const nn_test::Table& table, const nn::Operation& operation) {
  const auto old = outputs(before, table), now = outputs(after, table);
  EXPECT_LE(distance(old, now), kTolerance<T> * std::max(1.0, largest(old)))
      << nn::describe(operation) << " of " << nn::describe(before.spec());
}

/// Every way to grow a layer that promises to change nothing.
nn::Operation some_growth(Dice& dice, const nn::ModelSpec& spec) {
  const auto layers = nn::resizable_layers(spec);
  const auto& layer = layers[std::size_t(dice.whole(0, std::ssize(layers) - 1))];
  return {"widen", layer, {{"by", dice.whole(1, 5)}, {"rule", "fresh"}}};
}

template <class T>
void grow_at_random(std::uint64_t seed) {
  Dice dice(seed);
  const nn::ModelSpec spec = random_spec(dice);
  if (nn::resizable_layers(spec).empty()) return;
  const nn_test::Table table = random_rows(spec, 20, seed);
  nn::Net<T> net = random_net<T>(spec, "adam", 2, seed);
  for (int step = 0; step < 3; ++step) {
    const nn::Operation growth = some_growth(dice, net.spec());
    const nn::Net<T> grown = run(net, growth, table, seed);
    EXPECT_EQ(grown.spec(), nn::reshaped(net.spec(), growth));
    expect_preserved(net, grown, table, growth);
    net = grown;
  }
}

TEST(Preserve, GrowingChangesNothingInFloat) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) grow_at_random<float>(seed);
}

TEST(Preserve, GrowingChangesNothingInDouble) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) grow_at_random<double>(seed);
}

}  // namespace
