#include "kernels/elementary/elementary.h"
#include "kernels/elementary/log_parts.h"

using namespace kern::elementary;

namespace {

constexpr std::uint64_t kLeastNormal = 0x0010000000000000;

bool is_ordinary(std::uint64_t x) { return x - kLeastNormal < kInfinity - kLeastNormal; }

// The bits of a subnormal number times 2^52, less 52 octaves: log_of() only subtracts from them.
std::uint64_t normalized(double x) { return bits(x * 0x1p52) - (52ULL << 52); }

// Logarithms of 0, of negative numbers, of infinity and of no number do not depend on the base.
double unusual(double x) {
  if (x == 0) return -1 / (x * x);
  if (x != x || bits(x) == kInfinity) return x + x;
  return (x - x) / 0.0;
}

// The product with a constant whose upper part has 26 bits.
double times(Twofold log, double hi, double lo) {
  const Twofold head = split(log.hi);
  return head.hi * hi + ((head.lo + log.lo) * hi + (log.hi + log.lo) * lo);
}

template <class Base>
[[gnu::noinline]] double unusual_log(double x, Base of_natural) {
  if (x > 0 && bits(x) < kLeastNormal) return of_natural(log_of(normalized(x)));
  return unusual(x);
}

double natural(Twofold log) { return log.hi + log.lo; }
double binary(Twofold log) { return times(log, 0x1.71547600p+0, 0x1.4ae0bf85ddf44p-26); }
double decimal(Twofold log) { return times(log, 0x1.bcb7b100p-2, 0x1.49b9438ca9aaep-28); }

}  // namespace

double log(double x) noexcept {
  if (!is_ordinary(bits(x))) [[unlikely]]
    return unusual_log(x, natural);
  return natural(log_of(bits(x)));
}

double log2(double x) noexcept {
  if (!is_ordinary(bits(x))) [[unlikely]]
    return unusual_log(x, binary);
  return binary(log_of(bits(x)));
}

double log10(double x) noexcept {
  if (!is_ordinary(bits(x))) [[unlikely]]
    return unusual_log(x, decimal);
  return decimal(log_of(bits(x)));
}

double log1p(double x) noexcept {
  if ((bits(x) & kMagnitude) < bits(0x1p-54)) return x;
  if (!(x > -1) || bits(x) == kInfinity) return unusual(1 + x);
  const Twofold u = sum(1, x), log = log_of(bits(u.hi));
  return log.hi + (log.lo + u.lo / u.hi);
}
