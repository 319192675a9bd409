#pragma once
// Rows of study.db to and from values, each with its checksum: used by the writing and the reading
// side of the log.

#include <map>
#include <optional>
#include <string>

#include "hpo/log/event_log.h"
#include "hpo/log/sqlite.h"
#include "hpo/log/study_lock.h"

namespace hpo {

/// Columns of `trials` in the order that read_trial expects. One that the file does not have yet is
/// NULL.
[[nodiscard]] std::string trial_columns(sql::Database& db);

/// Writes one trial's row (INSERT or replacement), in the transaction that is open. The column
/// `memory` is made when it is first needed.
class TrialWriter {
 public:
  explicit TrialWriter(sql::Database& db);
  void write(const TrialRow& row, const Objective& objective);

 private:
  void prepare();

  sql::Database& db_;
  bool has_memory_;
  sql::Statement upsert_;
};

/// The trial of the row that `query` (SELECT trial_columns) stands on. Throws base::Error (storage)
/// when it is damaged.
[[nodiscard]] TrialRow read_trial(const sql::Statement& query, const base::Path& file);

/// The row of `holder`: who drives the study, or did last. Files of a build that knew of no address
/// have no column for it; writing makes it, in the transaction that is open.
[[nodiscard]] std::optional<Holder> read_holder(sql::Database& db);
void write_holder(sql::Database& db, const Holder& holder, std::int64_t epoch);

/// The table `study`: texts by key.
void write_fact(sql::Statement& upsert, const std::string& key, const std::string& value);
[[nodiscard]] std::map<std::string, std::string> read_facts(sql::Database& db);
inline constexpr const char* kUpsertFact =
    "INSERT INTO study(key, value, sum) VALUES(?, ?, ?) ON CONFLICT(key) DO UPDATE SET value = "
    "excluded.value, sum = "
    "excluded.sum";

inline constexpr const char* kOriginFact = "origin";
/// The time from which rows count, in microseconds since 1970. Throws base::Error (storage) if the
/// fact is missing; `file` is for the message.
[[nodiscard]] std::int64_t origin_of(const std::map<std::string, std::string>& facts,
                                     const base::Path& file);

/// StudyFacts as entries of `study` and back; nothing when there are none at all. Throws
/// base::Error (storage) that names the one of `file` that is missing.
void write_study_facts(sql::Statement& upsert, const StudyFacts& facts);
[[nodiscard]] std::optional<StudyFacts> study_facts_of(
    const std::map<std::string, std::string>& facts, const base::Path& file);

/// Checksum of an event in a file of format 1, chained to the one before.
[[nodiscard]] std::int64_t event_sum(std::int64_t before, std::int64_t seq, const Event& event,
                                     std::string_view kind, std::string_view payload);

/// The error for a row whose content does not match its checksum.
[[nodiscard]] base::Error damaged(const base::Path& file, std::string_view what);

/// The error for a row that every study has and this one lost.
[[nodiscard]] base::Error lacking(const base::Path& file, std::string_view what);

}  // namespace hpo
