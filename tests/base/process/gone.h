// Processes that must not be left.
#pragma once

#include <fstream>
#include <string>

#include "base/clock.h"
#include "base/text.h"

namespace support {

/// Waits until a process has ended: it was killed, but the kernel may need a moment. Whether its
/// new parent has heard of it does not count.
inline bool gone(int process) {
  for (int i = 0; i < 2000; ++i) {
    std::ifstream stat(base::cat("/proc/", process, "/stat"));
    std::string text;
    if (!std::getline(stat, text) || text.find(") Z ") != text.npos) return true;
    base::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace support
