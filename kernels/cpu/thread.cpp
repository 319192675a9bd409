#include <cblas.h>
#include <omp.h>

#include <mutex>

#include "kernels/kernels.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace kern {
namespace {

// A gradient that is exactly 0 lets Adam's moments decay into denormals, which cost a hundred times
// a normal number.
#if defined(__SSE2__)
constexpr unsigned kFlush = 0x8000 | 0x0040;  // results, and inputs
void flush_denormals() { _mm_setcsr(_mm_getcsr() | kFlush); }
bool flushes_denormals() { return (_mm_getcsr() & kFlush) == kFlush; }
#elif defined(__aarch64__)
constexpr std::uint64_t kFlush = 1ull << 24;
std::uint64_t control() {
  std::uint64_t now = 0;
  asm volatile("mrs %0, fpcr" : "=r"(now));
  return now;
}
void flush_denormals() { asm volatile("msr fpcr, %0" : : "r"(control() | kFlush)); }
bool flushes_denormals() { return (control() & kFlush) != 0; }
#else
void flush_denormals() {}
bool flushes_denormals() { return true; }
#endif

}  // namespace

void prepare_thread() {
  flush_denormals();
  omp_set_num_threads(1);
  // OpenBLAS keeps one number for the whole process, and changing it while others compute is a
  // race.
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
}

bool is_prepared_thread() { return flushes_denormals(); }

}  // namespace kern
