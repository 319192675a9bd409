#include "bench/peak.h"

#include <cmath>
#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#define TRELLIS_X86 1
#endif

namespace bench {
namespace {

constexpr int kPeakRounds = 100'000;
/// Independent sums: two units of four cycles each need at least eight; twelve leave room and fit
/// the registers.
constexpr int kSums = 12;

enum class Set { baseline, avx2, avx512 };

Set detect() {
#ifdef TRELLIS_X86
  if (__builtin_cpu_supports("avx512f")) return Set::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Set::avx2;
#endif
  return Set::baseline;
}

const Set g_set = detect();

// Four floats at a time; every machine has these.
using Four = float __attribute__((vector_size(16)));

double multiply_add_baseline() {
  Four sums[kSums] = {};
  const Four x = {1.0000001f, 1.0000001f, 1.0000001f, 1.0000001f};
  for (int i = 0; i < kPeakRounds; ++i) {
    for (Four& s : sums) s = s * x + x;
    asm volatile("" ::: "memory");
  }
  volatile float sink = 0;
  for (const Four& s : sums) sink = sink + s[0];
  return 2.0 * 4 * kSums * kPeakRounds;
}

#ifdef TRELLIS_X86
[[gnu::target("avx2,fma")]] double multiply_add_avx2() {
  __m256 sums[kSums];
  for (auto& s : sums) s = _mm256_setzero_ps();
  const __m256 x = _mm256_set1_ps(1.0000001f);
  for (int i = 0; i < kPeakRounds; ++i) {
#pragma GCC unroll 12
    for (auto& s : sums) s = _mm256_fmadd_ps(s, x, x);
  }
  volatile float sink = 0;
  for (const auto& s : sums) sink = sink + _mm256_cvtss_f32(s);
  return 2.0 * 8 * kSums * kPeakRounds;
}

[[gnu::target("avx512f")]] double multiply_add_avx512() {
  __m512 sums[kSums];
  for (auto& s : sums) s = _mm512_setzero_ps();
  const __m512 x = _mm512_set1_ps(1.0000001f);
  for (int i = 0; i < kPeakRounds; ++i) {
#pragma GCC unroll 12
    for (auto& s : sums) s = _mm512_fmadd_ps(s, x, x);
  }
  volatile float sink = 0;
  for (const auto& s : sums) sink = sink + _mm512_cvtss_f32(s);
  return 2.0 * 16 * kSums * kPeakRounds;
}

[[gnu::target("avx512f")]] float read_avx512(const float* data, std::size_t n) {
  __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
  for (std::size_t i = 0; i + 64 <= n; i += 64) {
    s0 = _mm512_add_ps(s0, _mm512_loadu_ps(data + i));
    s1 = _mm512_add_ps(s1, _mm512_loadu_ps(data + i + 16));
    s2 = _mm512_add_ps(s2, _mm512_loadu_ps(data + i + 32));
    s3 = _mm512_add_ps(s3, _mm512_loadu_ps(data + i + 48));
  }
  return _mm512_cvtss_f32(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
}

[[gnu::target("avx512f")]] void triad_avx512(float* a, const float* b, const float* c, float s,
                                             std::size_t n) {
  const __m512 factor = _mm512_set1_ps(s);
  for (std::size_t i = 0; i + 16 <= n; i += 16) {
    // Streaming stores: what is written is not read first, so the bytes counted are the bytes
    // moved.
    _mm512_stream_ps(a + i,
                     _mm512_fmadd_ps(factor, _mm512_loadu_ps(c + i), _mm512_loadu_ps(b + i)));
  }
}
#endif

float read_baseline(const float* data, std::size_t n) {
  Four s0 = {}, s1 = {}, s2 = {}, s3 = {};
  for (std::size_t i = 0; i + 16 <= n; i += 16) {
    const Four* at = reinterpret_cast<const Four*>(data + i);
    s0 += at[0], s1 += at[1], s2 += at[2], s3 += at[3];
  }
  const Four sum = s0 + s1 + s2 + s3;
  return sum[0];
}

void triad_baseline(float* a, const float* b, const float* c, float s, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

}  // namespace

std::string_view vector_set() {
  switch (g_set) {
    case Set::avx512:
      return "AVX-512";
    case Set::avx2:
      return "AVX2";
    case Set::baseline:
      return "baseline";
  }
  return "baseline";
}

double multiply_add_burst() {
#ifdef TRELLIS_X86
  if (g_set == Set::avx512) return multiply_add_avx512();
  if (g_set == Set::avx2) return multiply_add_avx2();
#endif
  return multiply_add_baseline();
}

double read_all(std::span<const float> data, float& sink) {
#ifdef TRELLIS_X86
  if (g_set == Set::avx512) {
    sink += read_avx512(data.data(), data.size());
    return static_cast<double>(data.size_bytes());
  }
#endif
  sink += read_baseline(data.data(), data.size());
  return static_cast<double>(data.size_bytes());
}

double triad(std::span<float> a, std::span<const float> b, std::span<const float> c, float s) {
#ifdef TRELLIS_X86
  if (g_set == Set::avx512) {
    triad_avx512(a.data(), b.data(), c.data(), s, a.size());
    return 3.0 * static_cast<double>(a.size_bytes());
  }
#endif
  triad_baseline(a.data(), b.data(), c.data(), s, a.size());
  return 3.0 * static_cast<double>(a.size_bytes());
}

}  // namespace bench
