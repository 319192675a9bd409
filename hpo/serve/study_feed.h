#pragma once
// One study that is being looked at: its page, and what changes, for any number of streams.
//
// A thread of its own does all that touches the study's folder. Whoever asks waits for that thread,
// and no longer than its patience: a folder that hangs makes nobody else wait. The log is read once
// for all streams, from where it was read last.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "hpo/report/live.h"

namespace hpo::serve {

/// What a stream has sent so far.
struct Sent {
  std::int64_t position = 0;  ///< of the log
  std::uint64_t pages = 0;
};

enum class FeedState : std::uint8_t {
  good,
  silent,  ///< the study's folder does not answer
  broken,  ///< its log cannot be read
  absent,  ///< there is no study
};

/// Thread-safe.
class StudyFeed {
 public:
  StudyFeed(base::Path folder, ReportOptions options, LivePlace place);
  /// Waits for the thread, unless the folder hangs.
  ~StudyFeed();
  StudyFeed(const StudyFeed&) = delete;
  StudyFeed& operator=(const StudyFeed&) = delete;

  struct Page {
    FeedState state = FeedState::silent;
    std::shared_ptr<const std::string> html = {};
  };
  /// The page of now. One that was made a moment ago counts, where a new one would cost much.
  [[nodiscard]] Page page(base::Duration patience);

  /// Begins to follow the study, for a page that shows the log up to `position`.
  [[nodiscard]] Sent follow(std::int64_t position);
  void unfollow();
  /// What came behind `sent`, as server-sent events; empty where nothing came in time.
  [[nodiscard]] std::string news(Sent& sent, base::Duration patience);

  /// True while somebody follows it or waits for a page.
  [[nodiscard]] bool is_used() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hpo::serve
