#include "hpo/place/threshold.h"

#include <cmath>
#include <limits>
#include <set>

namespace hpo {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Down to two digits, but not past the next smaller size.
double readable(double size, double below) {
  if (size <= 0 || size == kNever) return size;
  const double unit = std::pow(10.0, std::floor(std::log10(size)) - 1);
  const double rounded = std::floor(size / unit) * unit;
  return rounded > below ? rounded : size;
}

/// Of so many sizes, that many are tried.
constexpr std::size_t kTried = 64;

}  // namespace

KindOf split_at(double gpu_from) {
  return [gpu_from](std::size_t, const Piece& piece) {
    return gpu_from < kNever && piece.step_flops >= gpu_from ? rt::Device::cuda : rt::Device::cpu;
  };
}

double best_threshold(std::span<const PaperTrial> trials, const rt::Platform& platform,
                      std::size_t slots) {
  if (platform.gpu.count == 0) return kNever;
  std::set<double> sizes;
  for (const PaperTrial& trial : trials)
    for (const Piece& piece : trial) sizes.insert(piece.step_flops);
  std::vector<double> thresholds{0};
  thresholds.insert(thresholds.end(), sizes.begin(), sizes.end());
  const std::size_t stride = 1 + thresholds.size() / kTried;
  double best = kNever, least = timetable(trials, platform, slots, split_at(kNever)).seconds;
  for (std::size_t end = thresholds.size(), left = 1; left > 0; end -= std::min(left, stride)) {
    left = end - 1;
    const double threshold = readable(thresholds[end - 1], end > 1 ? thresholds[end - 2] : 0);
    const double seconds = timetable(trials, platform, slots, split_at(threshold)).seconds;
    if (seconds < least) {
      least = seconds;
      best = threshold;
    }
  }
  return best;
}

}  // namespace hpo
