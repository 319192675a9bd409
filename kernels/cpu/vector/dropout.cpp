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

/// One row at one position.
struct Strip {
  const DropoutArgs<float>* args;
  std::ptrdiff_t at;  ///< of the strip's first element
  ireg threshold;
  float scale;
  ireg position, row, step;
};

KERN_INLINE ireg all(std::uint32_t v) { return ireg{} + static_cast<std::int32_t>(v); }

/// Turns the order of signed numbers into that of unsigned ones.
KERN_INLINE ireg ordered(ireg v) { return v ^ static_cast<std::int32_t>(0x80000000); }

/// Keeps or drops up to kWidth elements from `unit` on, by a word for each.
KERN_INLINE void put(const Strip& s, int unit, ireg word) {
  const int left = s.args->units - unit;
  const ireg keep = ordered(word) >= s.threshold;
  const float* x = s.args->x + s.at + unit;
  float* y = s.args->y + s.at + unit;
  std::uint8_t* kept = s.args->kept + s.at + unit;
  if (left >= kWidth) {
    store(y, keep ? load(x) * set1(s.scale) : set1(0));
    store_u8(kept, keep & 1);
    return;
  }
  const Tail t = tail(left);
  store(y, keep ? load(x, t) * set1(s.scale) : set1(0), t);
  std::uint8_t bytes[kWidth];
  store_u8(bytes, keep & 1);
  __builtin_memcpy(kept, bytes, static_cast<std::size_t>(left));
}

/// Units with the ids 0, 1, 2, ...: each counter's four words serve four of 64 units.
void drop_in_order(const Strip& s) {
  const int units = s.args->units;
  const ireg lanes = ascending();
  for (int first = 0; first < units; first += 64) {
    for (int part = 0; part < 16 && first + part < units; part += kWidth) {
      const Words words =
          philox(s.args->key, {{lanes + (first / 4 + part), s.position, s.row, s.step}});
      for (int w = 0; w < 4 && first + 16 * w + part < units; ++w)
        put(s, first + 16 * w + part, words.word[w]);
    }
  }
}

/// Units with any ids: a counter for each.
void drop_by_id(const Strip& s) {
  for (int unit = 0; unit < s.args->units; unit += kWidth) {
    const int left = s.args->units - unit;
    ireg id{};
    for (int i = 0; i < (left < kWidth ? left : kWidth); ++i)
      id[i] = static_cast<std::int32_t>(s.args->unit_ids[unit + i]);
    const Words words =
        philox(s.args->key, {{(id >> 6) * 16 + (id & 15), s.position, s.row, s.step}});
    const ireg which = (id >> 4) & 3;
    ireg word = words.word[3];
    for (int w = 0; w < 3; ++w) word = which == w ? words.word[w] : word;
    put(s, unit, word);
  }
}

}  // namespace

void dropout_forward(Exec&, const DropoutArgs<float>& a) {
  const auto limit = static_cast<std::uint32_t>(a.rate * 0x1p32);
  Strip s{&a, 0, ordered(all(limit)), static_cast<float>(1 / (1 - a.rate)), {}, {}, all(a.step)};
  for (int row = 0; row < a.rows; ++row) {
    s.row = all(a.row_ids ? a.row_ids[row] : static_cast<std::uint32_t>(row));
    for (int p = 0; p < a.positions; ++p, s.at += a.units) {
      s.position = all(static_cast<std::uint32_t>(p));
      a.unit_ids ? drop_by_id(s) : drop_in_order(s);
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
