// What the runtime has to say outside of results: warnings and notes, one line each. Thread-safe.
#pragma once

#include <functional>
#include <string_view>

namespace base {

enum class LogLevel { note, warning };

/// Where log lines go. The default writes "trellis: warning: ..." to standard error (and ignores a
/// closed one).
using LogSink = std::function<void(LogLevel, std::string_view line)>;

/// Replaces the sink and returns the one before; an empty sink brings the default back. Lines are
/// handed over one at a time; the sink must not log itself.
LogSink set_log_sink(LogSink sink);

void log(LogLevel level, std::string_view line);
inline void warn(std::string_view line) { log(LogLevel::warning, line); }
inline void note(std::string_view line) { log(LogLevel::note, line); }

}  // namespace base
