// Dropout: masks out of Philox4x32-10, kWidth counters at a time.

#include "kernels/cpu/vector/simd.h"
#include "kernels/cpu/vector/vector.h"

namespace kern::cpu::KERN_ISA {
namespace {

/// Four words of each of kWidth counters.
struct Words {
  ireg word[4];
};

/// Low and high halves of a * m, as unsigned numbers.
KERN_INLINE void multiply_wide(ireg a, std::uint32_t m, ireg& low, ireg& high) {
  using wide = __attribute__((vector_size(sizeof(ireg)))) std::uint64_t;
  constexpr std::uint64_t kLow = 0xffffffff;
  const ireg factor = ireg{} + static_cast<std::int32_t>(m);
  const wide even = (wide)multiply_even(a, factor);
  const wide odd = (wide)multiply_even((ireg)((wide)a >> 32), factor);
  low = (ireg)((even & kLow) | (odd << 32));
  high = (ireg)((even >> 32) | (odd & ~kLow));
}

KERN_INLINE Words philox(std::uint64_t key, Words c) {
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    ireg low0, high0, low2, high2;
    multiply_wide(c.word[0], 0xD2511F53, low0, high0);
    multiply_wide(c.word[2], 0xCD9E8D57, low2, high2);
    c.word[0] = high2 ^ c.word[1] ^ static_cast<std::int32_t>(k0);
    c.word[1] = low2;
    c.word[2] = high0 ^ c.word[3] ^ static_cast<std::int32_t>(k1);
    c.word[3] = low0;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

KERN_INLINE ireg ascending() {
  ireg v{};
  for (int i = 0; i < kWidth; ++i) v[i] = i;
  return v;
}

/// One row and position.
struct Strip {
  const float* x;
  float* y;
  std::uint8_t* kept;
};

KERN_INLINE void put(const Strip& s, int unit, int count, ireg keep, float scale) {
  const ireg flags = keep & 1;
  if (count >= kWidth) {
    store(s.y + unit, keep ? load(s.x + unit) * set1(scale) : set1(0));
    store_u8(s.kept + unit, flags);
    return;
  }
  const Tail t = tail(count);
  store(s.y + unit, keep ? load(s.x + unit, t) * set1(scale) : set1(0), t);
  std::uint8_t bytes[kWidth];
  store_u8(bytes, flags);
  __builtin_memcpy(s.kept + unit, bytes, static_cast<std::size_t>(count));
}

}  // namespace

void dropout_forward(Exec&, const DropoutArgs<float>& a) {
  constexpr auto kSign = static_cast<std::int32_t>(0x80000000);
  const auto limit = static_cast<std::uint32_t>(a.rate * 0x1p32);
  const ireg threshold = (ireg{} + static_cast<std::int32_t>(limit)) ^ kSign;
  const auto scale = static_cast<float>(1 / (1 - a.rate));
  const ireg lanes = ascending();
  std::ptrdiff_t at = 0;
  for (int row = 0; row < a.rows; ++row) {
    const std::uint32_t id = a.row_ids ? a.row_ids[row] : static_cast<std::uint32_t>(row);
    for (int p = 0; p < a.positions; ++p, at += a.units) {
      const Strip s{a.x + at, a.y + at, a.kept + at};
      for (int first = 0; first < a.units; first += 64) {
        for (int part = 0; part < 16 && first + part < a.units; part += kWidth) {
          const Words words = philox(a.key, {{lanes + (first / 4 + part), ireg{} + p,
                                              ireg{} + static_cast<std::int32_t>(id),
                                              ireg{} + static_cast<std::int32_t>(a.step)}});
          for (int w = 0; w < 4; ++w) {
            const int unit = first + 16 * w + part;
            if (unit >= a.units) break;
            put(s, unit, a.units - unit, (words.word[w] ^ kSign) >= threshold, scale);
          }
        }
      }
    }
  }
}

void dropout_backward(Exec&, std::size_t count, double rate, const std::uint8_t* kept,
                      const float* dy, float* dx) {
  const auto scale = static_cast<float>(1 / (1 - rate));
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth)
    store(dx + i, load_u8(kept + i) != 0 ? load(dy + i) * set1(scale) : set1(0));
  for (; i < count; ++i) dx[i] = kept[i] ? dy[i] * scale : 0.0f;
}

}  // namespace kern::cpu::KERN_ISA
