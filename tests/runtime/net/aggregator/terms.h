// Terms of sums, and what their sum is by block integers alone, without any network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "runtime/net/aggregator/layout.h"
#include "runtime/net/block_integers.h"

namespace rt::net::aggregator {

using Terms = std::vector<std::vector<float>>;

/// A network's tensors: whole blocks, short ones, and many of a few floats.
inline Layout odd_layout() {
  return Layout({{"dense1.weight", 3 * kBlockFloats + 17},
                 {"dense1.bias", 5},
                 {"dense2.weight", 2 * kBlockFloats},
                 {"dense2.bias", 1}});
}

inline Terms drawn_terms(const Layout& layout, unsigned workers, std::uint64_t seed) {
  base::Stream dice(seed, "terms");
  Terms terms(workers, std::vector<float>(layout.floats()));
  for (std::vector<float>& term : terms) {
    for (float& x : term) x = static_cast<float>(dice.normal());
  }
  return terms;
}

inline std::vector<float> expected_sum(const Layout& layout, const Terms& terms) {
  std::vector<float> sum(layout.floats());
  for (const Block& block : layout.blocks()) {
    BlockExponent exponent = 0;
    for (const auto& term : terms) {
      const BlockExponent own = block_exponent(std::span(term).subspan(block.first, block.floats));
      exponent = std::max(exponent, own);
    }
    std::vector<std::int32_t> all(block.floats), own(block.floats);
    for (const auto& term : terms) {
      to_integers(std::span(term).subspan(block.first, block.floats), {&exponent, 1}, terms.size(),
                  own);
      add_integers(all, own);
    }
    to_floats(all, {&exponent, 1}, terms.size(), std::span(sum).subspan(block.first, block.floats));
  }
  return sum;
}

}  // namespace rt::net::aggregator
