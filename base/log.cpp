#include "base/log.h"

#include <unistd.h>

#include <mutex>
#include <string>
#include <utility>

#include "base/text.h"

namespace base {
namespace {

std::mutex g_mutex;
LogSink g_sink;

void write_to_stderr(LogLevel level, std::string_view line) {
  const std::string text =
      cat("trellis: ", level == LogLevel::warning ? "warning: " : "", line, "\n");
  // One write per line keeps lines of several processes apart; a closed standard error is no reason
  // to fail.
  [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

LogSink set_log_sink(LogSink sink) {
  const std::scoped_lock lock(g_mutex);
  return std::exchange(g_sink, std::move(sink));
}

void log(LogLevel level, std::string_view line) {
  const std::scoped_lock lock(g_mutex);
  if (g_sink) {
    g_sink(level, line);
  } else {
    write_to_stderr(level, line);
  }
}

}  // namespace base
