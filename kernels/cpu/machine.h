#pragma once
// What this processor can do, and which of the compiled vector variants runs.

#include <optional>
#include <string_view>

namespace kern::cpu {

/// Instruction sets that vector code is compiled for, from least to most.
enum class Isa { plain, avx2, avx512 };

[[nodiscard]] std::string_view isa_name(Isa);
[[nodiscard]] std::optional<Isa> isa_from_name(std::string_view);

/// The most that processor and operating system support.
[[nodiscard]] Isa best_isa();

/// What cpu_kernels() uses: best_isa(), or less where the environment variable TRELLIS_ISA (plain,
/// avx2, avx512) says so; it lets one machine compute with another's arithmetic. Read once a
/// process.
[[nodiscard]] Isa chosen_isa();

/// Whether there are AVX512-BF16 instructions and chosen_isa() is the set that they belong to.
[[nodiscard]] bool has_bf16();

/// "GenuineIntel", "AuthenticAMD", ...; "unknown" on other architectures.
[[nodiscard]] std::string_view cpu_vendor();

}  // namespace kern::cpu
