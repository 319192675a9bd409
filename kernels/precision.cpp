#include "kernels/precision.h"

#include <array>
#include <cstddef>

#include "kernels/enum_count.h"

namespace kern {
namespace {

constexpr std::array kAll{Precision::f32, Precision::bf16, Precision::tf32};
constexpr std::array<std::string_view, 3> kNames{"f32", "bf16", "tf32"};
static_assert(kNames.size() == enum_count<Precision>() && kAll.size() == kNames.size());

}  // namespace

std::span<const Precision> precisions() { return kAll; }

std::string_view precision_name(Precision precision) {
  return kNames[static_cast<std::size_t>(precision)];
}

std::optional<Precision> precision_from_name(std::string_view name) {
  for (const Precision precision : kAll)
    if (precision_name(precision) == name) return precision;
  return std::nullopt;
}

}  // namespace kern
