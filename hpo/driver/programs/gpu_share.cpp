#include "hpo/driver/programs/gpu_share.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hpo {

namespace {

constexpr double kAlmost = 1e-9;  ///< three thirds fit on one

}  // namespace

GpuShare::GpuShare(std::vector<std::string> gpus) {
  for (std::string& name : gpus) gpus_.push_back({.name = std::move(name)});
}

std::optional<GpuShare::Allocation> GpuShare::take(const TrialResources& asked) {
  Allocation part;
  if (asked.any_gpu && !gpus_.empty()) {
    const auto least = std::ranges::min_element(gpus_, {}, &Gpu::programs);
    part.gpus.push_back(static_cast<std::size_t>(least - gpus_.begin()));
  }
  if (asked.gpus > 0) {
    part.each = std::min(1.0, asked.gpus);
    const auto wanted = static_cast<std::size_t>(std::ceil(asked.gpus - kAlmost));
    for (std::size_t i = 0; i < gpus_.size() && part.gpus.size() < wanted; ++i) {
      if (gpus_[i].used + part.each <= 1 + kAlmost) part.gpus.push_back(i);
    }
    if (part.gpus.size() < wanted) return {};
  }
  for (const std::size_t gpu : part.gpus) {
    gpus_[gpu].used += part.each;
    ++gpus_[gpu].programs;
  }
  return part;
}

void GpuShare::give_back(const Allocation& part) {
  for (const std::size_t gpu : part.gpus) {
    gpus_[gpu].used -= part.each;
    --gpus_[gpu].programs;
  }
}

std::string GpuShare::names(const Allocation& part) const {
  std::string names;
  for (const std::size_t gpu : part.gpus)
    names += base::cat(names.empty() ? "" : ",", gpus_[gpu].name);
  return names;
}

}  // namespace hpo
