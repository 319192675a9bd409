#include "base/json_double.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace base {

namespace {

/// f * 2^e, as in the paper.
struct Float {
  std::uint64_t f = 0;
  int e = 0;
};

constexpr int kFirstPower = -300, kPowerStep = 8;

/// 10^-300, 10^-292, ..., 10^324, rounded to 64 bits.
constexpr std::array<std::uint64_t, 79> kPowers{
    0xab70fe17c79ac6ca, 0xff77b1fcbebcdc4f, 0xbe5691ef416bd60c, 0x8dd01fad907ffc3c,
    0xd3515c2831559a83, 0x9d71ac8fada6c9b5, 0xea9c227723ee8bcb, 0xaecc49914078536d,
    0x823c12795db6ce57, 0xc21094364dfb5637, 0x9096ea6f3848984f, 0xd77485cb25823ac7,
    0xa086cfcd97bf97f4, 0xef340a98172aace5, 0xb23867fb2a35b28e, 0x84c8d4dfd2c63f3b,
    0xc5dd44271ad3cdba, 0x936b9fcebb25c996, 0xdbac6c247d62a584, 0xa3ab66580d5fdaf6,
    0xf3e2f893dec3f126, 0xb5b5ada8aaff80b8, 0x87625f056c7c4a8b, 0xc9bcff6034c13053,
    0x964e858c91ba2655, 0xdff9772470297ebd, 0xa6dfbd9fb8e5b88f, 0xf8a95fcf88747d94,
    0xb94470938fa89bcf, 0x8a08f0f8bf0f156b, 0xcdb02555653131b6, 0x993fe2c6d07b7fac,
    0xe45c10c42a2b3b06, 0xaa242499697392d3, 0xfd87b5f28300ca0e, 0xbce5086492111aeb,
    0x8cbccc096f5088cc, 0xd1b71758e219652c, 0x9c40000000000000, 0xe8d4a51000000000,
    0xad78ebc5ac620000, 0x813f3978f8940984, 0xc097ce7bc90715b3, 0x8f7e32ce7bea5c70,
    0xd5d238a4abe98068, 0x9f4f2726179a2245, 0xed63a231d4c4fb27, 0xb0de65388cc8ada8,
    0x83c7088e1aab65db, 0xc45d1df942711d9a, 0x924d692ca61be758, 0xda01ee641a708dea,
    0xa26da3999aef774a, 0xf209787bb47d6b85, 0xb454e4a179dd1877, 0x865b86925b9bc5c2,
    0xc83553c5c8965d3d, 0x952ab45cfa97a0b3, 0xde469fbd99a05fe3, 0xa59bc234db398c25,
    0xf6c69a72a3989f5c, 0xb7dcbf5354e9bece, 0x88fcf317f22241e2, 0xcc20ce9bd35c78a5,
    0x98165af37b2153df, 0xe2a0b5dc971f303a, 0xa8d9d1535ce3b396, 0xfb9b7cd9a4a7443c,
    0xbb764c4ca7a44410, 0x8bab8eefb6409c1a, 0xd01fef10a657842c, 0x9b10a4e5e9913129,
    0xe7109bfba19c0c9d, 0xac2820d9623bf429, 0x80444b5e7aa7cf85, 0xbf21e44003acdd2d,
    0x8e679c2f5e44ff8f, 0xd433179d9c8cb841, 0x9e19db92b4e31ba9};

Float normalized(Float x) {
  const int shift = std::countl_zero(x.f);
  return {x.f << shift, x.e - shift};
}

/// Returns the nearest number of 64 bits; of two the larger one.
Float product(Float x, Float y) {
  __extension__ using Wide = unsigned __int128;
  const Wide exact = static_cast<Wide>(x.f) * y.f + (std::uint64_t{1} << 63);
  return {static_cast<std::uint64_t>(exact >> 64), x.e + y.e + 64};
}

/// Returns a power of ten, and its exponent of ten. The product with a number of exponent e has an
/// exponent from -60 to -32.
std::pair<Float, int> power_for(int e) {
  const int f = -60 - e - 1;
  const int k = f * 78913 / (1 << 18) + (f > 0 ? 1 : 0);  // f * log10(2), rounded up
  const int i = (k - kFirstPower + kPowerStep - 1) / kPowerStep;
  const int decimal = kFirstPower + i * kPowerStep;
  const int binary = decimal * 217706 >> 16;  // decimal * log2(10), rounded down
  return {{kPowers[static_cast<std::size_t>(i)], binary - 63}, decimal};
}

struct Decimal {
  std::string digits;
  int exponent = 0;  ///< of ten, for the last digit
};

/// Figure 6 of the paper, for x > 0. Takes digits of the largest number that reads back as x, until
/// what is left is less than its distance from the smallest one. Moves the last digit towards x.
Decimal grisu2(double x) {
  constexpr std::uint64_t kHidden = std::uint64_t{1} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t fraction = bits % kHidden;
  const int biased = static_cast<int>(bits / kHidden);
  const Float v = biased == 0 ? Float{fraction, -1074} : Float{fraction + kHidden, biased - 1075};
  const Float above = normalized({2 * v.f + 1, v.e - 1});
  const bool is_power = fraction == 0 && biased > 1;  // the double below is nearer
  const Float below = is_power ? Float{4 * v.f - 1, v.e - 2} : Float{2 * v.f - 1, v.e - 1};

  const auto [power, decimal] = power_for(above.e);
  const Float high = product(above, power);
  const std::uint64_t top = high.f - 1;
  const std::uint64_t low = product({below.f << (below.e - above.e), above.e}, power).f + 1;
  std::uint64_t width = top - low, distance = top - product(normalized(v), power).f;

  const std::uint64_t one = std::uint64_t{1} << -high.e;
  const std::uint64_t whole = top / one;
  std::uint64_t rest = top, unit = one;  // `unit` is one of the last digit
  Decimal out{{}, 1 - decimal};
  for (; unit / one <= whole / 10; unit *= 10) ++out.exponent;
  for (;;) {
    out.digits += static_cast<char>('0' + rest / unit);
    rest %= unit;
    --out.exponent;
    if (rest <= width) break;
    if (unit > one) {
      unit /= 10;
    } else {
      rest *= 10;
      width *= 10;
      distance *= 10;
    }
  }
  while (rest < distance && width - rest >= unit &&
         (rest + unit < distance || distance - rest > rest + unit - distance)) {
    --out.digits.back();
    rest += unit;
  }
  return out;
}

}  // namespace

std::string json_double(double x) {
  if (!std::isfinite(x)) return "null";
  const std::string sign = std::signbit(x) ? "-" : "";
  if (x == 0) return sign + "0.0";
  auto [digits, exponent] = grisu2(std::fabs(x));
  const int size = static_cast<int>(digits.size());
  const int point = size + exponent;  // digits before the point
  if (point > -4 && point <= 0) return sign + "0." + std::string(-point, '0') + digits;
  if (point > 0 && point <= 15) {
    if (size <= point) return sign + digits.append(point - size, '0') + ".0";
    return sign + digits.insert(point, ".");
  }
  if (size > 1) digits.insert(1, ".");
  const std::string power = std::to_string(std::abs(point - 1));
  return sign + digits + (point < 1 ? "e-" : "e+") + (power.size() == 1 ? "0" : "") + power;
}

}  // namespace base
