#include "nn/training/random.h"

#include <utility>

#include "base/random.h"

namespace nn {

RandomKey RandomKey::derive(std::uint64_t number) const {
  return {base::mixed(base::mixed(value + 0x9e3779b97f4a7c15ULL) ^
                      (number * 0xd1342543de82ef95ULL + 1))};
}

RandomKey RandomKey::derive(std::string_view purpose) const {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return derive(hash);
}

std::array<std::uint32_t, 4> random_block(RandomKey key,
                                          const std::array<std::uint32_t, 4>& counter) {
  return base::philox_block(counter, {static_cast<std::uint32_t>(key.value),
                                      static_cast<std::uint32_t>(key.value >> 32)});
}

float symmetric_unit(std::uint32_t bits) {
  const auto odd = 2 * static_cast<std::int32_t>(bits >> 8) + 1 - (std::int32_t{1} << 24);
  return static_cast<float>(odd) * 0x1p-24F;
}

void epoch_order(std::uint64_t shuffle, std::int64_t epoch, std::uint32_t count,
                 std::vector<std::uint32_t>& order) {
  const RandomKey key =
      RandomKey{shuffle}.derive("epoch").derive(static_cast<std::uint64_t>(epoch));
  order.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
  std::array<std::uint32_t, 4> block{};
  for (std::uint32_t i = count; i > 1; --i) {
    const std::uint32_t draw = count - i;
    if (draw % 4 == 0) block = random_block(key, {draw / 4, 0, 0, 0});
    // The bias of the product is below i / 2^32: at most one order in thousands of epochs could
    // tell.
    const auto j = static_cast<std::uint32_t>((std::uint64_t{block[draw % 4]} * i) >> 32);
    std::swap(order[i - 1], order[j]);
  }
}

}  // namespace nn
