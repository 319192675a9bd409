#include "kernels/cpu/gemm_borders.h"

#include <cstddef>

namespace kern::cpu {
namespace {

using Borders = std::array<std::array<std::int64_t, kBorderRows.size()>, kProducts>;

constexpr std::int64_t kSliced = 1 << 18;

// A B, A^T B, A B^T; columns as kBorderRows. The second-level cache of most processors holds as
// much as `plain` says; the others were measured on an AMD EPYC of the fourth generation.
constexpr Borders kPlain{{{114'688, 229'376, 458'752, 458'752},
                          {458'752, 458'752, 458'752, 458'752},
                          {114'688, 229'376, 458'752, 458'752}}};
constexpr Borders kAvx2{{{8'388'608, 8'388'608, 8'388'608, 8'388'608},
                         {393'216, kSliced, kSliced, kSliced},
                         {1'572'864, 8'388'608, 8'388'608, 8'388'608}}};
constexpr Borders kAvx512{{{786'432, 1'572'864, 1'572'864, 1'572'864},
                           {8'388'608, 8'388'608, 8'388'608, 786'432},
                           {8'388'608, 8'388'608, 8'388'608, 8'388'608}}};
constexpr std::array kBorders{kPlain, kAvx2, kAvx512};

}  // namespace

LayerShape layer_shape(const GemmArgs<float>& g) {
  if (g.trans_a) return {Product::atb, g.k, std::int64_t(g.m) * g.n};
  return {g.trans_b ? Product::abt : Product::ab, g.m, std::int64_t(g.k) * g.n};
}

std::int64_t own_border(Isa isa, Product product, int rows) {
  std::size_t column = 0;
  while (column + 1 < kBorderRows.size() && rows > kBorderRows[column]) ++column;
  return kBorders[static_cast<std::size_t>(isa)][static_cast<std::size_t>(product)][column];
}

}  // namespace kern::cpu
