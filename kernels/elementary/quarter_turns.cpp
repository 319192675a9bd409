#include "kernels/elementary/quarter_turns.h"

#include <array>
#include <cstddef>

#include "kernels/elementary/elementary.h"

namespace kern::elementary {
namespace {

// 2/pi: the bits behind the point, behind two words of zeros.
constexpr std::array<std::uint64_t, 22> kTwoOverPi{
    0x0000000000000000, 0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab, 0xf0cfbc209af4361d};

constexpr Twofold kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

__extension__ using Wide = unsigned __int128;

/// 64 of those bits, from this one on.
std::uint64_t word(unsigned bit) {
  const std::size_t i = bit / 64;
  const unsigned shift = bit % 64;
  return shift == 0 ? kTwoOverPi[i] : kTwoOverPi[i] << shift | kTwoOverPi[i + 1] >> (64 - shift);
}

/// For any finite |x| >= 2^-1 (Payne and Hanek, "Radian reduction for trigonometric functions",
/// SIGNUM 18, 1983): x as a whole number of 64 bits times the 192 bits of 2/pi that matter. Those
/// before give multiples of 4 quarter turns, those behind less than 2^-126 of one.
QuarterTurns exact_turns(double magnitude) {
  const std::uint64_t x = bits(magnitude);
  const std::uint64_t whole = ((x & 0x000fffffffffffff) | 0x0010000000000000) << 11;
  const unsigned first = static_cast<unsigned>(x >> 52) - 1023 - 63 - 2 + 128;
  const Wide low = Wide{whole} * word(first + 128);
  const Wide middle = Wide{whole} * word(first + 64) + static_cast<std::uint64_t>(low >> 64);
  const std::uint64_t high = whole * word(first) + static_cast<std::uint64_t>(middle >> 64);
  // Two bits of whole turns, then their fraction, to be taken to the nearest.
  const auto next = static_cast<std::uint64_t>(middle), last = static_cast<std::uint64_t>(low);
  const Wide fraction = Wide{high << 2 | next >> 62} << 64 | (next << 2 | last >> 62);
  const bool up = fraction >> 127 != 0;
  const int n = static_cast<int>((high >> 62) + (up ? 1 : 0));
  const Wide size = up ? -fraction : fraction;
  const auto hi = static_cast<double>(size);
  __extension__ const auto rest = static_cast<__int128>(size - static_cast<Wide>(hi));
  const Twofold turns = {hi * 0x1p-128, static_cast<double>(rest) * 0x1p-128};
  const Twofold angle = turns * kHalfPi;
  return {n, up ? -angle : angle};
}

}  // namespace

QuarterTurns exact_quarter_turns(double x) {
  const QuarterTurns turns = exact_turns(from_bits(bits(x) & kMagnitude));
  return x < 0 ? QuarterTurns{-turns.n, -turns.angle} : turns;
}

}  // namespace kern::elementary
