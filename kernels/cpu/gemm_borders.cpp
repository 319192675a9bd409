#include "kernels/cpu/gemm_borders.h"

#include <cstddef>

#include "kernels/enum_count.h"

namespace kern::cpu {
namespace {

using Borders = std::array<std::int64_t, kBorderRows.size()>;

constexpr std::int64_t kSliced = 1 << 18;

// Columns as kBorderRows. The second-level cache of most processors holds as much as `plain` says;
// the others were measured on an AMD EPYC of the fourth generation.
constexpr Borders kPlain{458'752, 458'752, 458'752, 458'752};
constexpr Borders kAvx2{393'216, kSliced, kSliced, kSliced};
constexpr Borders kAvx512{8'388'608, 8'388'608, 8'388'608, 786'432};
constexpr std::array kBorders{kPlain, kAvx2, kAvx512};
static_assert(kBorders.size() == enum_count<Isa>());

}  // namespace

std::int64_t own_border(Isa isa, int rows) {
  std::size_t column = 0;
  while (column + 1 < kBorderRows.size() && rows > kBorderRows[column]) ++column;
  return kBorders[static_cast<std::size_t>(isa)][column];
}

}  // namespace kern::cpu
