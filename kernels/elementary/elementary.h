#pragma once
// The elementary functions of <cmath> under their own names, so that a result has the same bits on
// every x86-64 system. See README.md.

#include <cstdint>
#include <string_view>

extern "C" {
double exp(double x) noexcept;
double exp2(double x) noexcept;
double expm1(double x) noexcept;
double log(double x) noexcept;
double log2(double x) noexcept;
double log10(double x) noexcept;
double log1p(double x) noexcept;
double pow(double x, double y) noexcept;
double sin(double x) noexcept;
double cos(double x) noexcept;
void sincos(double x, double* sine, double* cosine) noexcept;
double tanh(double x) noexcept;
double erfc(double x) noexcept;
double asin(double x) noexcept;
double hypot(double x, double y) noexcept;
float expf(float x) noexcept;
float logf(float x) noexcept;
float log1pf(float x) noexcept;
float tanhf(float x) noexcept;
float erfcf(float x) noexcept;
float powf(float x, float y) noexcept;
}

namespace kern::elementary {

/// Name and version, part of the arithmetic. The version is raised whenever a bit of a result
/// changes.
inline constexpr std::string_view kName = "elementary 1";

inline constexpr std::uint64_t kMagnitude = 0x7fffffffffffffff;
inline constexpr std::uint64_t kInfinity = 0x7ff0000000000000;
inline constexpr double kHuge = 0x1p1000, kTiny = 0x1p-1000;

}  // namespace kern::elementary
