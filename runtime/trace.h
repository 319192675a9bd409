// What ran where and when, written for people's tools: Chrome's and Perfetto's JSON, and Paje
// (ViTE).
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"

namespace rt::inline v0 {

/// What a span of a lane's time was spent on.
enum class SpanKind : std::uint8_t { task, stored, waiting, transfer, overhead };

/// The kind's name as it appears in the files: "task", "stored", ...
[[nodiscard]] const char* span_kind_name(SpanKind kind) noexcept;

/// A span of time on one lane. `details` are shown when it is clicked (key, attempt, argument
/// shapes, ...).
struct Span {
  unsigned lane = 0;
  SpanKind kind = SpanKind::task;
  base::Moment start;
  base::Moment end;
  std::string name;   ///< e.g. the task's name
  std::string group;  ///< e.g. "trial-7"; empty: none
  std::vector<std::pair<std::string, std::string>> details;
};

/// Collects spans in memory and writes them. Thread-safe. Times in the files count from the trace's
/// creation.
class Trace {
 public:
  /// Keeps at most `limit` spans (about 350 bytes each); more are counted, and the files say how
  /// many are missing.
  explicit Trace(std::size_t limit = 1'000'000);

  /// Adds a lane (a worker, the driver, a link) and returns its number, 0 first. Lanes are shown in
  /// this order.
  unsigned add_lane(std::string name);

  /// Spans of one lane must not overlap partly; a span inside another one is fine. Any order.
  void add(Span span);

  [[nodiscard]] std::size_t size() const;

  /// The trace as JSON in Chrome's trace event format: open it at ui.perfetto.dev or
  /// chrome://tracing.
  [[nodiscard]] std::string chrome_json() const;
  /// The trace in Paje's format: one container a lane, one state a span kind's name or task name.
  [[nodiscard]] std::string paje() const;

  /// The same into files, replaced as a whole. Throw base::Error (storage).
  void write_chrome(const base::Path& path) const;
  void write_paje(const base::Path& path) const;

 private:
  mutable std::mutex mutex_;
  base::Moment start_;
  std::size_t limit_;
  std::size_t dropped_ = 0;
  std::vector<std::string> lanes_;
  std::vector<Span> spans_;
};

}  // namespace rt::inline v0
