#include "hpo/log/course.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "hpo/log/records.h"
#include "hpo/log/schema.h"
#include "hpo/log/sqlite.h"

namespace hpo {

namespace {

/// The whole seconds that files of format 1 keep of a moment.
std::int64_t micros_of(const std::string& wall) {
  return base::wall_seconds(wall).value_or(0) * 1'000'000;
}

/// SQL for a list of kinds: their places, in files of format 1 their words.
std::string kinds(bool format_1, std::initializer_list<std::string_view> words) {
  std::string out;
  for (std::size_t place = 0; place < std::variant_size_v<EventBody>; ++place) {
    for (const std::string_view word : words) {
      if (kind_name(place) != word) continue;
      out += out.empty() ? "" : ", ";
      out += format_1 ? base::cat("'", word, "'") : std::to_string(place);
    }
  }
  return out;
}

ReportColumns read_reports_1(sql::Database& db) {
  ReportColumns reports;
  sql::Statement query(db,
                       "SELECT trial, payload FROM events WHERE kind = 'reported' ORDER BY seq");
  while (query.step()) {
    const base::Json report = base::Json::parse(query.view(1));
    reports.trial.push_back(static_cast<std::uint64_t>(query.integer(0)));
    reports.step.push_back(report.at("step").integer());
    reports.value.push_back(report.at("value").number());
  }
  return reports;
}

TrialSpan& span_of(std::vector<TrialSpan>& spans, std::int64_t trial) {
  const auto place = static_cast<std::size_t>(trial);
  if (place >= spans.size()) spans.resize(place + 1);
  return spans[place];
}

/// `which`: the rest of a condition on the kind.
void append_turns(std::vector<Turn>& turns, sql::Database& db, std::int64_t origin,
                  const std::string& which) {
  const bool format_1 = format_of(db) == 1;
  sql::Statement query(
      db, base::cat("SELECT kind, trial, ", format_1 ? "wall" : "at", ", payload FROM ",
                    format_1 ? "events" : "log", " WHERE kind ", which, " ORDER BY seq"));
  while (query.step()) {
    const std::string kind =
        format_1 ? query.text(0)
                 : std::string(kind_name(static_cast<std::size_t>(query.integer(0))));
    Turn& turn = turns.emplace_back();
    turn.at = format_1 ? micros_of(query.text(2)) : query.integer(2) + origin;
    if (!query.is_null(1)) turn.trial = static_cast<std::uint64_t>(query.integer(1));
    turn.body = body_of(kind, query.view(3));
  }
}

}  // namespace

ReportColumns read_reports(sql::Database& db) {
  if (format_of(db) == 1) return read_reports_1(db);
  ReportColumns reports;
  sql::Statement query(db,
                       "SELECT trial, step, value FROM log WHERE step IS NOT NULL ORDER BY seq");
  while (query.step()) {
    reports.trial.push_back(static_cast<std::uint64_t>(query.integer(0)));
    reports.step.push_back(query.integer(1));
    reports.value.push_back(query.number(2));
  }
  return reports;
}

std::vector<TrialSpan> read_spans(sql::Database& db, std::int64_t origin) {
  const bool format_1 = format_of(db) == 1;
  std::vector<TrialSpan> spans;
  const std::string created = kinds(format_1, {"created"}), ended = kinds(format_1, {"ended"});
  sql::Statement query(
      db, base::cat("SELECT trial, kind = ", ended, ", ", format_1 ? "wall, NULL" : "at, began",
                    " FROM ", format_1 ? "events" : "log", " WHERE kind IN (", created, ", ", ended,
                    ") AND trial IS NOT NULL ORDER BY seq"));
  while (query.step()) {
    TrialSpan& span = span_of(spans, query.integer(0));
    if (query.integer(1) == 0) continue;
    span.ended = format_1 ? micros_of(query.text(2)) : query.integer(2) + origin;
    span.began = query.is_null(3) ? 0 : query.integer(3) + origin;
  }
  return spans;
}

std::vector<Turn> read_turns(sql::Database& db, std::int64_t origin) {
  const bool format_1 = format_of(db) == 1;
  std::vector<Turn> turns;
  append_turns(turns, db, origin,
               base::cat("NOT IN (", kinds(format_1, {"created", "reported", "ended"}), ")"));
  const bool handed = std::ranges::any_of(
      turns, [](const Turn& turn) { return std::holds_alternative<Replaced>(turn.body); });
  if (!handed) return turns;
  std::vector<Turn> all;
  append_turns(all, db, origin, base::cat("= ", kinds(format_1, {"created"})));
  std::ranges::move(turns, std::back_inserter(all));
  return all;
}

}  // namespace hpo
