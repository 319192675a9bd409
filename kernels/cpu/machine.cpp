#include "kernels/cpu/machine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "kernels/enum_count.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kern::cpu {

std::string_view isa_name(Isa isa) {
  constexpr std::string_view names[] = {"plain", "avx2", "avx512"};
  static_assert(std::size(names) == enum_count<Isa>());
  return names[static_cast<int>(isa)];
}

std::optional<Isa> isa_from_name(std::string_view name) {
  for (const Isa isa : {Isa::plain, Isa::avx2, Isa::avx512})
    if (isa_name(isa) == name) return isa;
  return std::nullopt;
}

Isa best_isa() {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
  return avx512 ? Isa::avx512 : avx2 ? Isa::avx2 : Isa::plain;
#else
  return Isa::plain;
#endif
}

Isa chosen_isa() {
  static const Isa chosen = [] {
    const char* wish = std::getenv("TRELLIS_ISA");
    const std::optional<Isa> isa = wish ? isa_from_name(wish) : std::nullopt;
    return isa ? std::min(*isa, best_isa()) : best_isa();
  }();
  return chosen;
}

bool has_bf16() {
#if defined(KERN_BF16)
  return chosen_isa() == Isa::avx512 && __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

std::string_view cpu_vendor() {
#if defined(__x86_64__)
  static const std::string vendor = [] {
    unsigned leaf = 0, words[3] = {};
    __get_cpuid(0, &leaf, &words[0], &words[2], &words[1]);
    return std::string(reinterpret_cast<const char*>(words), sizeof words);
  }();
  return vendor;
#else
  return "unknown";
#endif
}

}  // namespace kern::cpu
