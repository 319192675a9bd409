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
void flush_denormals() {
#if defined(__SSE2__)
  constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | (1ull << 24)));
#endif
}

}  // namespace

void prepare_thread() {
  flush_denormals();
  omp_set_num_threads(1);
  // OpenBLAS keeps one number for the whole process, and changing it while others compute is a
  // race.
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
}

}  // namespace kern
