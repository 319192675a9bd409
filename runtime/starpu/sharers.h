// How many workers share a GPU.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rt::inline v0::detail {

/// What a GPU's workers are to be made from.
struct Sharing {
  int wanted = 1;
  int cores = 1;  ///< of the machine: each worker takes one, and one more is left
  int gpus = 1;
  std::uint64_t free = 0;     ///< bytes of the GPU that has the least
  std::uint64_t reserve = 0;  ///< bytes that each worker's bodies take for good
};

/// As many as are wanted, as far as there are cores for them and as half of the free memory holds
/// what they take for good; at least 1.
[[nodiscard]] constexpr int sharers_that_fit(const Sharing& sharing) noexcept {
  int most = std::min(sharing.wanted, (sharing.cores - 1) / std::max(1, sharing.gpus));
  if (sharing.reserve > 0)
    most = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(std::max(0, most)),
                                                    sharing.free / 2 / sharing.reserve));
  return std::max(1, most);
}

}  // namespace rt::inline v0::detail
