#include <array>

#include "kernels/ref/ref.h"

namespace kern::ref {
namespace {

using Counter = std::array<std::uint32_t, 4>;

/// Philox4x32-10 (Salmon et al., SC'11).
Counter philox(std::uint64_t key, Counter c) {
  auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ low, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ high, static_cast<std::uint32_t>(a)};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return c;
}

}  // namespace

template <class T>
void dropout_forward(Exec&, const DropoutArgs<T>& a) {
  const auto threshold = static_cast<std::uint32_t>(a.rate * 0x1p32);
  const T scale = static_cast<T>(1 / (1 - a.rate));
  std::size_t i = 0;
  for (std::uint32_t row = 0; row < static_cast<std::uint32_t>(a.rows); ++row) {
    const std::uint32_t id = a.row_ids ? a.row_ids[row] : row;
    for (std::uint32_t p = 0; p < static_cast<std::uint32_t>(a.positions); ++p) {
      for (std::uint32_t u = 0; u < static_cast<std::uint32_t>(a.units); ++u, ++i) {
        const std::uint32_t unit = a.unit_ids ? a.unit_ids[u] : u;
        const Counter words = philox(a.key, {unit / 64 * 16 + unit % 16, p, id, a.step});
        a.kept[i] = words[unit / 16 % 4] >= threshold ? 1 : 0;
        a.y[i] = a.kept[i] ? a.x[i] * scale : T(0);
      }
    }
  }
}

template <class T>
void dropout_backward(Exec&, std::size_t count, double rate, const std::uint8_t* kept, const T* dy,
                      T* dx) {
  const T scale = static_cast<T>(1 / (1 - rate));
  for (std::size_t i = 0; i < count; ++i) dx[i] = kept[i] ? dy[i] * scale : T(0);
}

template void dropout_forward(Exec&, const DropoutArgs<float>&);
template void dropout_forward(Exec&, const DropoutArgs<double>&);
template void dropout_backward(Exec&, std::size_t, double, const std::uint8_t*, const float*,
                               float*);
template void dropout_backward(Exec&, std::size_t, double, const std::uint8_t*, const double*,
                               double*);

}  // namespace kern::ref
