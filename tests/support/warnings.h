// What the log would have shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/log.h"

namespace support {

/// Collects the warnings of a test.
class Warnings {
 public:
  Warnings() {
    rt::set_log_sink([this](rt::LogLevel, std::string_view line) { lines.emplace_back(line); });
  }
  ~Warnings() { rt::set_log_sink({}); }
  std::vector<std::string> lines;
};

}  // namespace support
