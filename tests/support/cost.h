// What an answer to bad input may cost, and what it did.
#pragma once

#include <sys/resource.h>

#include <ctime>

namespace support {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double kMostSeconds = 20;
inline constexpr long kMostKilobytes = 4'000'000;
#else
inline constexpr double kMostSeconds = 1;
inline constexpr long kMostKilobytes = 200'000;
#endif

/// Seconds that this process has computed: another's load on the machine does not count.
inline double seconds_computed() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

/// Most memory that this process ever held.
inline long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace support
