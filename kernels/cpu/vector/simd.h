#pragma once
// One vector of floats, spelt the same for every instruction set. The sources of this folder are
// compiled once for each set, with KERN_ISA naming the namespace (plain, avx2, avx512), so that
// nothing compiled for a newer processor can be linked into code for an older one; for the same
// reason they use no inline functions of the standard library. Registers are GCC vector types: + -
// * / < work on them, and contraction is off, so every fused multiply-add is an explicit fma().

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define KERN_INLINE [[gnu::always_inline]] inline

namespace kern::cpu::KERN_ISA {

#if defined(__AVX512F__)

constexpr int kWidth = 16, kRegisters = 32;
using reg = __m512;
using ireg = __attribute__((vector_size(64))) std::int32_t;
struct Tail {
  __mmask16 lanes;
};

KERN_INLINE Tail tail(int n) { return {static_cast<__mmask16>((1u << n) - 1)}; }
KERN_INLINE reg set1(float x) { return _mm512_set1_ps(x); }
KERN_INLINE reg load(const float* p) { return _mm512_loadu_ps(p); }
KERN_INLINE reg load(const float* p, Tail t) { return _mm512_maskz_loadu_ps(t.lanes, p); }
KERN_INLINE void store(float* p, reg v) { _mm512_storeu_ps(p, v); }
KERN_INLINE void store(float* p, reg v, Tail t) { _mm512_mask_storeu_ps(p, t.lanes, v); }
KERN_INLINE reg fma(reg a, reg b, reg c) { return _mm512_fmadd_ps(a, b, c); }
/// x, but at least `low`; a NaN stays.
KERN_INLINE reg at_least(reg x, reg low) { return _mm512_max_ps(low, x); }
KERN_INLINE reg at_most(reg x, reg high) { return _mm512_min_ps(high, x); }
KERN_INLINE reg square_root(reg x) { return _mm512_sqrt_ps(x); }
KERN_INLINE ireg load_u8(const std::uint8_t* p) {
  return (ireg)_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
KERN_INLINE void store_u8(std::uint8_t* p, ireg v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8((__m512i)v));
}
/// The 64-bit products of the even lanes, as unsigned numbers.
KERN_INLINE ireg multiply_even(ireg a, ireg b) {
  return (ireg)_mm512_mul_epu32((__m512i)a, (__m512i)b);
}
/// Four floats of each of `kWidth` rows, row i in lane i: out[j] lane i = row(i)[j].
template <class Row>
KERN_INLINE void load_transposed4(Row row, reg out[4]) {
  __m512 r[4];
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm512_castps128_ps512(_mm_loadu_ps(row(i)));
    r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(row(i + 4)), 1);
    r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(row(i + 8)), 2);
    r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(row(i + 12)), 3);
  }
  const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(r[0], r[1])),
                b = _mm512_castps_pd(_mm512_unpackhi_ps(r[0], r[1]));
  const __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(r[2], r[3])),
                d = _mm512_castps_pd(_mm512_unpackhi_ps(r[2], r[3]));
  out[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
  out[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
  out[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
  out[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}

#elif defined(__AVX2__)

constexpr int kWidth = 8, kRegisters = 16;
using reg = __m256;
using ireg = __attribute__((vector_size(32))) std::int32_t;
struct Tail {
  __m256i lanes;
  int count;
};

KERN_INLINE Tail tail(int n) {
  return {_mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), n};
}
KERN_INLINE reg set1(float x) { return _mm256_set1_ps(x); }
KERN_INLINE reg load(const float* p) { return _mm256_loadu_ps(p); }
KERN_INLINE reg load(const float* p, Tail t) { return _mm256_maskload_ps(p, t.lanes); }
KERN_INLINE void store(float* p, reg v) { _mm256_storeu_ps(p, v); }
/// In halves, quarters and eighths: a masked store takes some processors over ten cycles.
KERN_INLINE void store(float* p, reg v, Tail t) {
  if (t.count & 8) return store(p, v);
  __m128 part = _mm256_castps256_ps128(v);
  if (t.count & 4) {
    _mm_storeu_ps(p, part);
    part = _mm256_extractf128_ps(v, 1);
    p += 4;
  }
  if (t.count & 2) {
    _mm_storel_pi(reinterpret_cast<__m64*>(p), part);
    part = _mm_movehl_ps(part, part);
    p += 2;
  }
  if (t.count & 1) _mm_store_ss(p, part);
}
KERN_INLINE reg fma(reg a, reg b, reg c) { return _mm256_fmadd_ps(a, b, c); }
KERN_INLINE reg at_least(reg x, reg low) { return _mm256_max_ps(low, x); }
KERN_INLINE reg at_most(reg x, reg high) { return _mm256_min_ps(high, x); }
KERN_INLINE reg square_root(reg x) { return _mm256_sqrt_ps(x); }
KERN_INLINE ireg load_u8(const std::uint8_t* p) {
  return (ireg)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
KERN_INLINE void store_u8(std::uint8_t* p, ireg v) {
  const __m256i words = _mm256_packus_epi32((__m256i)v, (__m256i)v);
  const __m128i low = _mm256_castsi256_si128(_mm256_permute4x64_epi64(words, 0x08));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(low, low));
}
KERN_INLINE ireg multiply_even(ireg a, ireg b) {
  return (ireg)_mm256_mul_epu32((__m256i)a, (__m256i)b);
}
template <class Row>
KERN_INLINE void load_transposed4(Row row, reg out[4]) {
  __m256 r[4];
  for (int i = 0; i < 4; ++i)
    r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row(i))),
                                _mm_loadu_ps(row(i + 4)), 1);
  const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(r[0], r[1])),
                b = _mm256_castps_pd(_mm256_unpackhi_ps(r[0], r[1]));
  const __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(r[2], r[3])),
                d = _mm256_castps_pd(_mm256_unpackhi_ps(r[2], r[3]));
  out[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
  out[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
  out[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
  out[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
}

#else

constexpr int kWidth = 4, kRegisters = 16;
using reg = __attribute__((vector_size(16))) float;
using ireg = __attribute__((vector_size(16))) std::int32_t;
struct Tail {
  int count;
};

KERN_INLINE Tail tail(int n) { return {n}; }
KERN_INLINE reg set1(float x) { return reg{x, x, x, x}; }
KERN_INLINE reg load(const float* p) {
  reg v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
KERN_INLINE reg load(const float* p, Tail t) {
  reg v{};
  // The analyzer does not follow how panels are padded.
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign)
  for (int i = 0; i < t.count; ++i) v[i] = p[i];
  return v;
}
KERN_INLINE void store(float* p, reg v) { std::memcpy(p, &v, sizeof v); }
KERN_INLINE void store(float* p, reg v, Tail t) {
  for (int i = 0; i < t.count; ++i) p[i] = v[i];
}
KERN_INLINE reg fma(reg a, reg b, reg c) { return a * b + c; }
KERN_INLINE reg at_least(reg x, reg low) { return x < low ? low : x; }
KERN_INLINE reg at_most(reg x, reg high) { return x > high ? high : x; }
KERN_INLINE reg square_root(reg x) {
  for (int i = 0; i < kWidth; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
}
KERN_INLINE ireg load_u8(const std::uint8_t* p) { return ireg{p[0], p[1], p[2], p[3]}; }
KERN_INLINE void store_u8(std::uint8_t* p, ireg v) {
  for (int i = 0; i < kWidth; ++i) p[i] = static_cast<std::uint8_t>(v[i]);
}
KERN_INLINE ireg multiply_even(ireg a, ireg b) {
  using wide = __attribute__((vector_size(16))) std::uint64_t;
  constexpr std::uint64_t kLow = 0xffffffff;
  return (ireg)(((wide)a & kLow) * ((wide)b & kLow));
}
template <class Row>
KERN_INLINE void load_transposed4(Row row, reg out[4]) {
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) out[j][i] = row(i)[j];
}

#endif

/// The same for rows that lie `stride` apart.
KERN_INLINE void load_transposed4(const float* p, std::ptrdiff_t stride, reg out[4]) {
  load_transposed4([=](int i) { return p + i * stride; }, out);
}

/// to[j * to_stride + i] = from[i * stride + j] for j < columns; lanes from `rows` on repeat the
/// last row.
KERN_INLINE void turn_rows(const float* from, std::ptrdiff_t stride, int rows, int columns,
                           float* to, std::ptrdiff_t to_stride) {
  if (columns < 4) {
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < kWidth; ++i)
        to[j * to_stride + i] = from[(i < rows ? i : rows - 1) * stride + j];
    return;
  }
  for (int j = 0; j < columns; j += 4) {
    // The last group of four moves back and repeats columns rather than read beyond the rows.
    const int first = j + 4 <= columns ? j : columns - 4;
    reg v[4];
    if (rows >= kWidth)
      load_transposed4(from + first, stride, v);
    else
      load_transposed4([=](int i) { return from + first + (i < rows ? i : rows - 1) * stride; }, v);
    for (int q = 0; q < 4; ++q) store(to + (first + q) * to_stride, v[q]);
  }
}

KERN_INLINE reg to_float(ireg v) { return __builtin_convertvector(v, reg); }
KERN_INLINE ireg bits(reg v) { return (ireg)v; }
KERN_INLINE reg from_bits(ireg v) { return (reg)v; }

/// The sum of a vector's lanes, halves first.
KERN_INLINE float sum_lanes(reg v) {
  float lanes[kWidth];
  store(lanes, v);
  for (int half = kWidth / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

/// Runs body(offset, lanes...) over `count` floats: whole vectors first, then what is left with a
/// Tail.
template <class F>
KERN_INLINE void for_each_vector(std::ptrdiff_t count, F body) {
  std::ptrdiff_t i = 0;
  for (; i + kWidth <= count; i += kWidth) body(i);
  if (i < count) body(i, tail(static_cast<int>(count - i)));
}

}  // namespace kern::cpu::KERN_ISA
