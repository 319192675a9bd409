#include "hpo/log/changes.h"

#include "base/text.h"
#include "hpo/log/event_rows.h"
#include "hpo/log/schema.h"
#include "hpo/log/sqlite.h"

namespace hpo {

namespace {

const char* table_of(sql::Database& db) { return format_of(db) == 1 ? "events" : "log"; }

}  // namespace

std::int64_t newest_event(sql::Database& db) {
  return db.query_integer(base::cat("SELECT max(seq) FROM ", table_of(db)).c_str());
}

Changes read_changes(sql::Database& db, std::int64_t position, std::int64_t origin) {
  Changes changes{.from = position, .position = position};
  // Files of format 1 are those of drivers that ended long ago: nothing comes to them.
  if (format_of(db) == 1) return changes;
  sql::Statement query(db,
                       "SELECT seq, trial, step, value, kind, at, began FROM log WHERE seq > ? "
                       "ORDER BY seq");
  query.bind(0, position);
  while (query.step()) {
    changes.position = query.integer(0);
    if (query.is_null(1)) continue;
    const auto trial = static_cast<std::uint64_t>(query.integer(1));
    if (!query.is_null(2)) {
      changes.seq.push_back(query.integer(0));
      changes.reports.trial.push_back(trial);
      changes.reports.step.push_back(query.integer(2));
      changes.reports.value.push_back(query.number(3));
    } else if (kind_name(static_cast<std::size_t>(query.integer(4))) == "ended") {
      changes.spans[trial] = {.began = query.is_null(6) ? 0 : query.integer(6) + origin,
                              .ended = query.integer(5) + origin};
    }
  }
  return changes;
}

std::string condition_of_changed(sql::Database& db) {
  return base::cat("WHERE trial IN (SELECT trial FROM ", table_of(db),
                   " WHERE seq > ? AND trial IS NOT NULL) ORDER BY trial");
}

}  // namespace hpo
