#pragma once
// Random networks of numbers and what they compute, in float and double.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "nn/network/network.h"
#include "nn/reshape/anatomy.h"
#include "nn/reshape/kind.h"
#include "nn/training/random.h"
#include "tests/nn/nets.h"

namespace reshape_test {

/// A stream of draws for a test's choices.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : key_(nn::RandomKey{seed}.derive("dice")) {}
  /// In [low, high].
  std::int64_t whole(std::int64_t low, std::int64_t high);
  /// In (-1, 1).
  double unit();
  bool coin() { return whole(0, 1) == 1; }

 private:
  nn::RandomKey key_;
  std::uint32_t count_ = 0;
};

/// A random network of at most a few hundred weights: vectors or images, every kind of layer that
/// can be reshaped. Canonical, with an output layer.
nn::ModelSpec random_spec(Dice& dice);

/// A network with that spec whose every number (slots included) was drawn, after some steps.
template <class T>
nn::Net<T> random_net(const nn::ModelSpec& spec, const std::string& optimizer, int slots,
                      std::uint64_t seed);

template <class T>
const kern::Kernels<T>& kernels_of();

/// Random rows for a spec's input, with labels.
nn_test::Table random_rows(const nn::ModelSpec& spec, std::uint32_t rows, std::uint64_t seed);

/// A view of rows in the shape that the spec takes.
nn::DataView view_for(const nn_test::Table& table, const nn::ModelSpec& spec);

/// The network's outputs for all rows of a table; planned for training, batch norms use the
/// statistics of these rows.
template <class T>
std::vector<T> outputs(const nn::Net<T>& net, const nn_test::Table& table,
                       nn::Use use = nn::Use::inference);

template <class T>
double largest(const std::vector<T>& values) {
  double out = 0;
  for (const T v : values) out = std::max(out, std::abs(static_cast<double>(v)));
  return out;
}

template <class T>
double distance(const std::vector<T>& a, const std::vector<T>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    out = std::max(out, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return out;
}

/// regroup() on cores.
template <class T>
nn::Net<T> regrouped(const nn::Net<T>& net, const nn::ModelSpec& to, const nn::UnitMap& map) {
  return nn::regroup(kernels_of<T>(), net, to, map);
}

/// Whether two networks have the same numbers, slots included, bit for bit.
template <class T>
bool same_bits(const nn::Net<T>& a, const nn::Net<T>& b) {
  const auto x = std::as_bytes(a.numbers.all()), y = std::as_bytes(b.numbers.all());
  return std::ranges::equal(x, y);
}

/// Runs an operation on a network, calibrated on a table.
template <class T>
nn::Net<T> run(const nn::Net<T>& net, const nn::Operation& operation, const nn_test::Table& table,
               std::uint64_t seed = 5) {
  nn::Workspace workspace;
  return nn::reshape(kernels_of<T>(), workspace, net, operation, view_for(table, net.spec()), seed);
}

}  // namespace reshape_test
