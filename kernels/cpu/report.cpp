#include <cblas.h>
#include <dnnl.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>

#include "kernels/cpu/machine.h"
#include "kernels/elementary/elementary.h"
#include "kernels/kernels.h"

namespace kern {
namespace {

// Raised whenever a table's arithmetic changes: the order of a sum, a dispatch, an approximation.
constexpr std::string_view kArithmetic = "5";

std::string make_fingerprint() {
  const dnnl_version_t* dnnl = dnnl_version();
  std::string s = "kern " + std::string(kArithmetic);
  s += "; cpu " + std::string(cpu::cpu_vendor()) + ' ' +
       std::string(cpu::isa_name(cpu::chosen_isa()));
  s += "; " + std::string(openblas_get_config());
  s += "; core " + std::string(openblas_get_corename());
  s += "; oneDNN " + std::to_string(dnnl->major) + '.' + std::to_string(dnnl->minor) + '.' +
       std::to_string(dnnl->patch) + " isa " + std::to_string(dnnl_get_effective_cpu_isa());
  s += "; gcc " __VERSION__;
  s += "; " + std::string(elementary::kName);
  return s;
}

}  // namespace

std::string_view cpu_lacks(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return "";
    case Precision::bf16:
      return cpu::has_bf16() ? ""
             : cpu::best_isa() == cpu::chosen_isa()
                 ? "the processor has no AVX512-BF16 instructions"
                 : "TRELLIS_ISA rules out AVX512-BF16 instructions";
    case Precision::tf32:
      break;
  }
  return "it is a precision of GPUs, no processor has it";
}

std::string_view fingerprint() {
  static const std::string text = make_fingerprint();
  return text;
}

std::string_view blas_coretype_cure() {
  // Old OpenBLAS falls back to its SSE3 kernels on processors that it does not know. Where it was
  // built for some processors alone, they go by the name of the first that shares them.
  const std::string_view core = openblas_get_corename();
  if (core != "Prescott" && core != "Katmai") return "";
  switch (cpu::best_isa()) {
    case cpu::Isa::avx512:
      return "SkylakeX";
    case cpu::Isa::avx2:
      return "Haswell";
    case cpu::Isa::plain:
      break;
  }
  return "";
}

std::span<const Variable> isa_variables(std::string_view isa) {
  static constexpr Variable kAvx2[] = {
      {"TRELLIS_ISA", "avx2"}, {"OPENBLAS_CORETYPE", "Haswell"}, {"ONEDNN_MAX_CPU_ISA", "AVX2"}};
  static constexpr Variable kAvx512[] = {{"TRELLIS_ISA", "avx512"},
                                         {"OPENBLAS_CORETYPE", "SkylakeX"},
                                         {"ONEDNN_MAX_CPU_ISA", "AVX512_CORE"}};
  return isa == "avx512" ? kAvx512 : kAvx2;
}

bool is_held_to(std::string_view isa) {
  return std::ranges::all_of(isa_variables(isa), [](const Variable& variable) {
    const char* const value = std::getenv(variable.name);
    return value != nullptr && std::string_view(value) == variable.value;
  });
}

std::string isa_lacks(std::string_view isa) {
  if (cpu::isa_from_name(isa) <= cpu::best_isa()) return "";
  return "the processor has no more than " + std::string(cpu::isa_name(cpu::best_isa()));
}

CpuReport cpu_report() {
  static const std::string remedy = [] {
    const std::string_view cure = blas_coretype_cure();
    return cure.empty() ? std::string()
                        : "OpenBLAS does not know this processor: set OPENBLAS_CORETYPE=" +
                              std::string(cure);
  }();
  return {openblas_get_corename(), cpu::isa_name(cpu::chosen_isa()), remedy};
}

}  // namespace kern
