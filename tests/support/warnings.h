// What the log would have shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"

namespace support {

/// Collects the warnings of a test.
class Warnings {
 public:
  Warnings() {
    base::set_log_sink([this](base::LogLevel, std::string_view line) { lines.emplace_back(line); });
  }
  ~Warnings() { base::set_log_sink({}); }
  std::vector<std::string> lines;
};

}  // namespace support
