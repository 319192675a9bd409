#include "kernels/cpu/gemm_thresholds.h"

#include <cstddef>

#include "kernels/enum_count.h"

namespace kern::cpu {
namespace {

using Thresholds = std::array<std::int64_t, kThresholdRows.size()>;

constexpr std::int64_t kSliced = 1 << 18;

// Columns as kThresholdRows. The second-level cache of most processors holds as much as `plain`
// says; the others were measured on an AMD EPYC of the fourth generation.
constexpr Thresholds kPlain{458'752, 458'752, 458'752, 458'752};
constexpr Thresholds kAvx2{393'216, kSliced, kSliced, kSliced};
constexpr Thresholds kAvx512{8'388'608, 8'388'608, 8'388'608, 786'432};
constexpr std::array kThresholds{kPlain, kAvx2, kAvx512};
static_assert(kThresholds.size() == enum_count<Isa>());

}  // namespace

std::int64_t own_threshold(Isa isa, int rows) {
  std::size_t column = 0;
  while (column + 1 < kThresholdRows.size() && rows > kThresholdRows[column]) ++column;
  return kThresholds[static_cast<std::size_t>(isa)][column];
}

}  // namespace kern::cpu
