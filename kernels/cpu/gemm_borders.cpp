#include "kernels/cpu/gemm_borders.h"

#include <cstddef>

namespace kern::cpu {
namespace {

// A B, A^T B, A B^T; columns as kBorderRows. Up to here the operand that is read again and again
// comes out of the second-level cache.
constexpr std::array<std::array<std::int64_t, kBorderRows.size()>, kProducts> kBorders{
    {{114'688, 229'376, 458'752, 458'752},
     {458'752, 458'752, 458'752, 458'752},
     {114'688, 229'376, 458'752, 458'752}}};

}  // namespace

LayerShape layer_shape(const GemmArgs<float>& g) {
  if (g.trans_a) return {Product::atb, g.k, std::int64_t(g.m) * g.n};
  return {g.trans_b ? Product::abt : Product::ab, g.m, std::int64_t(g.k) * g.n};
}

std::int64_t own_border(Product product, int rows) {
  std::size_t column = 0;
  while (column + 1 < kBorderRows.size() && rows > kBorderRows[column]) ++column;
  return kBorders[static_cast<std::size_t>(product)][column];
}

}  // namespace kern::cpu
