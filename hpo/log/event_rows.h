#pragma once
// Events to and from rows of the table `log`, each with its checksum.
//
// A report has columns, so that curves are one pass and a long study stays small: its step and
// value, and a column for each metric, added when the metric is first reported. So are the columns
// `memory` and `updates` when there is something to put in. What has no column is in `payload`, a
// JSON object; of other events all of it. Files of format 1 are read, too: their table `events` has
// every payload as JSON.
//
// More columns can be added in the same way, without another format: NULL in rows that lack them,
// and part of a row's checksum only where they are set.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "hpo/log/event.h"
#include "hpo/log/sqlite.h"

namespace hpo {

/// Makes the table `log` and what people read it by, the views `events` and `reports`.
void create_event_tables(sql::Database& db);

/// Writes events, in the transaction that is open.
class EventWriter {
 public:
  /// `metric`: the study's. `origin`: the moment from which rows count time (Real::at).
  EventWriter(sql::Database& db, std::string metric, std::int64_t origin);

  /// Event number `seq` of driver `epoch`, behind the one whose checksum is `before`. Returns its
  /// checksum.
  std::int64_t write(std::int64_t seq, std::int64_t epoch, const Event& event, std::int64_t before);

 private:
  void prepare();
  void name_metrics(const Metrics& metrics);
  /// Makes the added column where the file lacks it.
  void need(std::size_t added);
  [[nodiscard]] int place_of(std::size_t added) const;
  void renew_views();

  sql::Database& db_;
  std::string metric_;
  std::int64_t origin_;
  std::vector<std::string> names_;  ///< of the metrics that have a column
  std::array<bool, 2> added_{};     ///< columns that are there
  bool views_are_old_ = false;      ///< they lack words for the newest kinds of events
  sql::Statement insert_;
};

/// Reads events in order, of one trial or all.
class EventCursor {
 public:
  EventCursor(sql::Database& db, std::int64_t origin, std::optional<std::uint64_t> trial = {});

  /// Goes to the next event; false behind the last. Throws base::Error (storage) naming one that is
  /// damaged or missing.
  bool next();

  // Of the event that it stands on.
  [[nodiscard]] Event& event() { return event_; }
  [[nodiscard]] std::int64_t seq() const { return seq_; }
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }
  [[nodiscard]] std::int64_t sum() const { return sum_; }

 private:
  void read();
  void read_format_1();
  /// `has_columns`: whether its metrics do.
  [[nodiscard]] Reported read_report(bool& has_columns) const;
  void require(bool good) const;
  [[nodiscard]] int place_of(std::size_t added) const;

  base::Path file_;
  std::int64_t origin_;
  bool format_1_, all_;
  std::vector<std::string> names_;
  sql::Statement query_;
  Event event_;
  std::int64_t seq_ = 0, epoch_ = 0, sum_ = 0;
};

/// Brings a file of format 1 to today's, in the transaction that is open.
void migrate_events(sql::Database& db, const std::string& metric, std::int64_t origin);

}  // namespace hpo
