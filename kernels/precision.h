#pragma once
// What the operands of a network's products are rounded to before they are multiplied.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kern {

/// Operands of products, on GPUs of convolutions too, are rounded to so many bits: on cores to
/// nearest with ties to even, on GPUs as cuBLAS chooses; what is summed, and everything else that a
/// network is and does, stays float. bf16: 8 bits of mantissa, the first one implied; tf32: 11.
enum class Precision : std::uint8_t { f32, bf16, tf32 };

/// All of them, f32 first.
[[nodiscard]] std::span<const Precision> precisions();

/// "f32", "bf16", "tf32".
[[nodiscard]] std::string_view precision_name(Precision);
[[nodiscard]] std::optional<Precision> precision_from_name(std::string_view);

/// What cpu_kernels(precision) lacks on this processor, a few words; empty where it has all.
[[nodiscard]] std::string_view cpu_lacks(Precision);

}  // namespace kern
