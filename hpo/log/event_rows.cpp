#include "hpo/log/event_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "hpo/log/records.h"
#include "hpo/log/schema.h"

namespace hpo {

namespace {

// `at` and `began` are microseconds after the study's origin, `took` is microseconds. ANY: REAL
// cannot hold NaN or the zero below zero (they are the texts 'nan' and '-0').
constexpr const char* kLogTables = R"(
CREATE TABLE log(
  seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, vtime REAL NOT NULL, trial INTEGER,
  kind INTEGER NOT NULL, at INTEGER NOT NULL, took INTEGER NOT NULL, began INTEGER,
  step INTEGER, value ANY, epochs INTEGER, flops ANY, word INTEGER, checkpoint ANY, payload TEXT,
  sum INTEGER NOT NULL) STRICT;
CREATE TABLE metrics(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
)";

/// What every row has; the columns of metrics come behind.
constexpr const char* kColumns =
    "seq, epoch, vtime, trial, kind, at, took, began, step, value, epochs, flops, word, "
    "checkpoint, "
    "payload, sum";
constexpr int kFirstMetric = 16;

/// Columns of files in which they were needed once, behind those of metrics.
struct AddedColumn {
  const char *name, *type;
};
constexpr std::array<AddedColumn, 2> kAdded{{{"memory", "INTEGER"}, {"updates", "BLOB"}}};
constexpr std::size_t kMemory = 0, kUpdates = 1;  ///< see Real and Reported

/// Metrics beyond that are written into `payload`.
constexpr std::size_t kMostColumns = 32;

/// In a metric's column: it is the study's, and as large as `value`.
constexpr std::int64_t kIsValue = 1;

constexpr double kMicro = 1e-6;

std::vector<std::string> metric_names(sql::Database& db) {
  std::vector<std::string> names;
  sql::Statement query(db, "SELECT id, name FROM metrics ORDER BY id");
  while (query.step()) {
    if (query.integer(0) != static_cast<std::int64_t>(names.size()))
      throw damaged(db.path(), "the table of metrics");
    names.push_back(query.text(1));
  }
  return names;
}

std::string column(std::size_t metric) { return base::cat("m", metric); }

std::string sql_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

/// SQL for the JSON of a number.
std::string sql_number(const std::string& x) {
  return base::cat("CASE WHEN typeof(", x, ") = 'integer' THEN ", x, " WHEN ", x,
                   " = '-0' THEN '-0.0' WHEN typeof(", x, ") = 'text' THEN '\"' || ", x,
                   " || '\"' WHEN abs(", x, ") = 9e999 THEN CASE WHEN ", x,
                   " > 0 THEN '\"inf\"' ELSE '\"-inf\"' END ELSE ", "printf('%!.17g', ", x,
                   ") END");
}

std::string sql_kind() {
  std::string out = "CASE kind";
  for (std::size_t kind = 0; kind < std::variant_size_v<EventBody>; ++kind)
    out += base::cat(" WHEN ", kind, " THEN ", sql_text(kind_name(kind)));
  return out + " END";
}

/// True if the view has a word for every kind. A file is older than the kinds that it lacks.
bool views_name_all_kinds(sql::Database& db) {
  sql::Statement query(db, "SELECT sql FROM sqlite_schema WHERE name = 'events'");
  return query.step() && query.view(0).find(sql_kind()) != std::string_view::npos;
}

/// The views, whose columns people rely on: they name the metrics that have a column.
void create_views(sql::Database& db, const std::vector<std::string>& names) {
  std::string metrics;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string m = column(i);
    metrics += base::cat(i > 0 ? " || " : "", "CASE WHEN ", m, " IS NULL THEN '' ELSE ",
                         sql_text(base::cat(", ", base::quote_json(names[i]), ": ")),
                         " || CASE WHEN typeof(", m, ") = 'integer' THEN ", sql_number("value"),
                         " ELSE ", sql_number(m), " END END");
  }
  if (metrics.empty()) metrics = "''";
  metrics = base::cat("coalesce(json_extract(payload, '$.metrics'), '{' || substr(", metrics,
                      ", 3) || '}')");
  const std::string word = "CASE word WHEN 0 THEN 'go' WHEN 1 THEN 'stop' ELSE 'pause' END";
  const std::string wall =
      "strftime('%Y-%m-%dT%H:%M:%SZ', ((SELECT value FROM study WHERE key = 'origin') + at) / "
      "1000000, 'unixepoch')";
  const std::string rest = "json_remove(payload, '$.metrics')";
  const std::string report = base::cat(
      "'{\"step\": ' || step || ', \"epochs\": ' || coalesce(epochs, step) || ', \"value\": ' || ",
      sql_number("value"), " || ', \"flops\": ' || ", sql_number("flops"),
      " || ', \"metrics\": ' || ", metrics, " || ', \"word\": \"' || ", word,
      " || '\"' || CASE WHEN typeof(checkpoint) = 'blob' THEN ', \"checkpoint\": \"' || "
      "lower(hex(checkpoint)) || '\"' ELSE '' END || coalesce(', ' || substr(nullif(",
      rest, ", '{}'), 2, length(", rest, ") - 2), '') || '}'");
  db.exec("DROP VIEW IF EXISTS events");
  db.exec("DROP VIEW IF EXISTS reports");
  db.exec(base::cat("CREATE VIEW events AS SELECT seq, epoch, vtime, trial, ", sql_kind(),
                    " AS kind, CASE WHEN step IS NULL THEN payload ELSE ", report,
                    " END AS payload, took / 1e6 AS took, ", wall, " AS wall, sum FROM log")
              .c_str());
  db.exec(base::cat("CREATE VIEW reports AS SELECT seq, trial, vtime, step, "
                    "CASE WHEN value = '-0' THEN 0.0 WHEN abs(value) = 9e999 THEN CASE WHEN "
                    "value > 0 THEN 'inf' ELSE '-inf' END ELSE value END AS value, ",
                    metrics, " AS metrics, ", word, " AS word, ", wall,
                    " AS wall FROM log WHERE step IS NOT NULL")
              .c_str());
}

/// Counts take less room as whole numbers.
void bind_count(sql::Statement& to, int index, double x) {
  constexpr double kMost = 9e15;
  const bool whole = x > 0 && x < kMost && x == std::floor(x);
  whole ? to.bind(index, static_cast<std::int64_t>(x)) : to.bind(index, x);
}

void bind_number(sql::Statement& to, int index, double x) {
  if (x == 0 && std::signbit(x)) {
    to.bind(index, std::string_view("-0"));
  } else {
    to.bind(index, x);
  }
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// The column of each metric; nothing where they are not in the order of the columns.
std::optional<std::vector<std::size_t>> columns_of(const Metrics& metrics,
                                                   const std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  auto from = names.begin();
  for (const auto& [name, value] : metrics) {
    const auto found = std::find(from, names.end(), name);
    if (found == names.end()) return std::nullopt;
    columns.push_back(static_cast<std::size_t>(found - names.begin()));
    from = found + 1;
  }
  return columns;
}

/// What of a report has no column; empty where all of it has.
std::string rest_of(const Reported& report, bool metrics_have_columns, bool is_key) {
  base::JsonWriter json;
  json.begin_object();
  if (!metrics_have_columns) json.key("metrics").raw(json_of(report.metrics));
  if (!report.checkpoint.empty() && !is_key) json.field("checkpoint", report.checkpoint);
  if (report.used != 0) json.field("used", report.used);
  if (!report.shape.empty()) {
    json.field("shape", report.shape).field("weights", report.weights);
    json.field("inference_flops", report.inference_flops);
  }
  json.end_object();
  std::string text = std::move(json).text();
  return text == "{}" ? std::string() : text;
}

std::int64_t micros(double seconds) { return std::llround(seconds / kMicro); }

/// Chained to the event before. NaN counts as one value: rows keep no more of it.
std::int64_t sum_of(std::int64_t before, std::int64_t seq, std::int64_t epoch, const Event& event,
                    std::string_view payload, bool has_columns) {
  base::Hasher h;
  h.add(before).add(seq).add(epoch).add(event.vtime);
  h.add(event.trial ? 1 : 0).add(event.trial.value_or(0));
  h.add(event.real.at).add(micros(event.real.took)).add(event.real.began).add(kind_of(event.body));
  if (event.real.memory > 0) h.add("memory").add(event.real.memory);
  const auto number = [&](double x) {
    h.add(std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x);
  };
  const auto* report = std::get_if<Reported>(&event.body);
  h.add(payload);
  if (report != nullptr) {
    h.add(report->step).add(report->epochs);
    number(report->value);
    number(report->flops);
    h.add(static_cast<int>(report->decision)).add(report->checkpoint);
    // In the payload a name may have been made valid text.
    for (std::size_t i = 0; has_columns && i < report->metrics.size(); ++i) {
      h.add(report->metrics[i].first);
      number(report->metrics[i].second);
    }
    if (!report->updates.empty()) h.add("updates").add(updates_as_bytes(report->updates));
  }
  return static_cast<std::int64_t>(h.finish().lo);
}

std::string bytes_of(const base::Key& key) {
  std::string bytes;
  for (const std::uint64_t half : {key.hi, key.lo}) {
    for (int shift = 56; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<char>(half >> shift & 0xff));
  }
  return bytes;
}

std::string key_text(std::string_view bytes) {
  base::Key key;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::uint64_t& half = i < 8 ? key.hi : key.lo;
    half = half << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return key.hex();
}

constexpr const char* kMoved = "events_1";

/// While a file is brought to today's format, its events lie in a table of another name.
std::string old_table(sql::Database& db) {
  sql::Statement query(db, "SELECT name FROM sqlite_schema WHERE name = ?");
  return query.bind(0, std::string_view(kMoved)).step() ? kMoved : "events";
}

}  // namespace

void create_event_tables(sql::Database& db) {
  db.exec(kLogTables);
  create_views(db, {});
}

EventWriter::EventWriter(sql::Database& db, std::string metric, std::int64_t origin)
    : db_(db), metric_(std::move(metric)), origin_(origin), names_(metric_names(db)) {
  for (std::size_t i = 0; i < kAdded.size(); ++i) added_[i] = db.has_column("log", kAdded[i].name);
  views_are_old_ = !views_name_all_kinds(db);
  prepare();
}

void EventWriter::need(std::size_t added) {
  if (added_[added]) return;
  db_.exec(base::cat("ALTER TABLE log ADD COLUMN ", kAdded[added].name, " ", kAdded[added].type)
               .c_str());
  added_[added] = true;
  prepare();
}

int EventWriter::place_of(std::size_t added) const {
  const auto before = std::count(added_.begin(), added_.begin() + static_cast<int>(added), true);
  return kFirstMetric + static_cast<int>(names_.size()) + static_cast<int>(before);
}

void EventWriter::renew_views() {
  create_views(db_, names_);
  views_are_old_ = false;
}

void EventWriter::prepare() {
  std::string columns = kColumns;
  std::string places = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";
  for (std::size_t i = 0; i < names_.size(); ++i) {
    columns += ", " + column(i);
    places += ", ?";
  }
  for (std::size_t i = 0; i < kAdded.size(); ++i) {
    if (!added_[i]) continue;
    columns += base::cat(", ", kAdded[i].name);
    places += ", ?";
  }
  insert_ = sql::Statement(db_, base::cat("INSERT INTO log(", columns, ") VALUES(", places, ")"));
}

void EventWriter::name_metrics(const Metrics& metrics) {
  const std::size_t known = names_.size();
  for (const auto& [name, value] : metrics) {
    const bool has_one = std::ranges::find(names_, name) != names_.end();
    if (has_one || names_.size() >= kMostColumns) continue;
    sql::Statement add(db_, "INSERT INTO metrics(id, name) VALUES(?, ?)");
    add.bind(0, static_cast<std::int64_t>(names_.size())).bind(1, name).run();
    db_.exec(base::cat("ALTER TABLE log ADD COLUMN ", column(names_.size()), " ANY").c_str());
    names_.push_back(name);
  }
  if (names_.size() == known) return;
  renew_views();
  prepare();
}

std::int64_t EventWriter::write(std::int64_t seq, std::int64_t epoch, const Event& event,
                                std::int64_t before) {
  const auto* report = std::get_if<Reported>(&event.body);
  if (report != nullptr) name_metrics(report->metrics);
  if (views_are_old_) renew_views();
  if (event.real.memory > 0) need(kMemory);
  if (report != nullptr && !report->updates.empty()) need(kUpdates);
  std::optional<std::int64_t> trial, began;
  if (event.trial) trial = static_cast<std::int64_t>(*event.trial);
  if (event.real.began != 0) began = event.real.began - origin_;
  insert_.bind(0, seq).bind(1, epoch).bind(2, event.vtime).bind(3, trial);
  insert_.bind(4, static_cast<std::int64_t>(event.body.index())).bind(5, event.real.at - origin_);
  insert_.bind(6, micros(event.real.took)).bind(7, began);
  for (int i = 8; i < place_of(kAdded.size()); ++i) insert_.bind_null(i);
  if (event.real.memory > 0)
    insert_.bind(place_of(kMemory), static_cast<std::int64_t>(event.real.memory));
  if (report == nullptr) {
    const std::string payload = payload_of(event.body);
    const std::int64_t sum = sum_of(before, seq, epoch, event, payload, false);
    insert_.bind(14, payload).bind(15, sum).run();
    return sum;
  }
  insert_.bind(8, report->step);
  bind_number(insert_, 9, report->value);
  if (report->epochs != report->step) insert_.bind(10, report->epochs);
  bind_count(insert_, 11, report->flops);
  insert_.bind(12, static_cast<std::int64_t>(report->decision));
  const auto key = base::Key::from_hex(report->checkpoint);
  const std::string bytes = key ? bytes_of(*key) : std::string();
  if (key) insert_.bind_blob(13, bytes);
  const auto columns = columns_of(report->metrics, names_);
  const std::string updates = updates_as_bytes(report->updates);
  if (!updates.empty()) insert_.bind_blob(place_of(kUpdates), updates);
  const std::string payload = rest_of(*report, columns.has_value(), key.has_value());
  if (!payload.empty()) insert_.bind(14, payload);
  for (std::size_t i = 0; columns && i < columns->size(); ++i) {
    const auto& [name, value] = report->metrics[i];
    const int at = kFirstMetric + static_cast<int>((*columns)[i]);
    if (name == metric_ && same_bits(value, report->value)) {
      insert_.bind(at, kIsValue);
    } else {
      bind_number(insert_, at, value);
    }
  }
  const std::int64_t sum = sum_of(before, seq, epoch, event, payload, columns.has_value());
  insert_.bind(15, sum).run();
  return sum;
}

EventCursor::EventCursor(sql::Database& db, std::int64_t origin, std::optional<std::uint64_t> trial)
    : file_(db.path()), origin_(origin), format_1_(format_of(db) == 1), all_(!trial) {
  std::string columns = kColumns;
  if (format_1_) {
    columns = "seq, epoch, vtime, trial, kind, payload, took, sum, wall";
  } else {
    names_ = metric_names(db);
    for (std::size_t i = 0; i < names_.size(); ++i) columns += ", " + column(i);
    for (const AddedColumn& added : kAdded)
      columns += base::cat(", ", db.has_column("log", added.name) ? added.name : "NULL");
  }
  const std::string table = format_1_ ? old_table(db) : "log";
  // All in order are chained by the way; of one trial the sum before is looked up.
  if (!all_)
    columns +=
        base::cat(", (SELECT sum FROM ", table, " before WHERE before.seq = ", table, ".seq - 1)");
  query_ = sql::Statement(db, base::cat("SELECT ", columns, " FROM ", table,
                                        trial ? " WHERE trial = ?" : "", " ORDER BY seq"));
  if (trial) query_.bind(0, static_cast<std::int64_t>(*trial));
}

bool EventCursor::next() {
  if (!query_.step()) return false;
  const std::int64_t seq = query_.integer(0);
  if (all_ && seq != seq_ + 1) throw damaged(file_, base::cat("the log before event ", seq));
  seq_ = seq;
  epoch_ = query_.integer(1);
  event_ = {.vtime = query_.number(2)};
  if (!query_.is_null(3)) event_.trial = static_cast<std::uint64_t>(query_.integer(3));
  if (!all_) {
    const int last = format_1_ ? 9 : place_of(kAdded.size());
    sum_ = query_.is_null(last) ? 0 : query_.integer(last);
  }
  format_1_ ? read_format_1() : read();
  return true;
}

int EventCursor::place_of(std::size_t added) const {
  return kFirstMetric + static_cast<int>(names_.size() + added);
}

void EventCursor::require(bool good) const {
  if (!good) throw damaged(file_, base::cat("event ", seq_));
}

void EventCursor::read_format_1() {
  event_.real.took = query_.number(6);
  sum_ = event_sum(sum_, seq_, event_, query_.view(4), query_.view(5));
  require(query_.integer(7) == sum_);
  event_.real.at = base::wall_seconds(query_.text(8)).value_or(0) * 1'000'000;
  event_.body = body_of(query_.view(4), query_.view(5));
}

void EventCursor::read() {
  event_.real.at = query_.integer(5) + origin_;
  event_.real.took = static_cast<double>(query_.integer(6)) * kMicro;
  if (!query_.is_null(7)) event_.real.began = query_.integer(7) + origin_;
  if (!query_.is_null(place_of(kMemory)))
    event_.real.memory = static_cast<std::uint64_t>(query_.integer(place_of(kMemory)));
  const std::int64_t kind = query_.integer(4);
  require(kind >= 0 && kind < static_cast<std::int64_t>(std::variant_size_v<EventBody>));
  const std::string_view name = kind_name(static_cast<std::size_t>(kind));
  bool has_columns = false;
  if (query_.is_null(8)) {
    event_.body = body_of(name, query_.view(14));
  } else {
    event_.body = read_report(has_columns);
    require(kind_of(event_.body) == name);
  }
  sum_ = sum_of(sum_, seq_, epoch_, event_, query_.view(14), has_columns);
  require(query_.integer(15) == sum_);
}

Reported EventCursor::read_report(bool& has_columns) const {
  Reported report{.step = query_.integer(8), .value = query_.number(9)};
  report.epochs = query_.is_null(10) ? report.step : query_.integer(10);
  report.flops = query_.number(11);
  const std::int64_t word = query_.integer(12);
  require(word >= 0 && word <= static_cast<std::int64_t>(Decision::pause));
  report.decision = static_cast<Decision>(word);
  if (!query_.is_null(13)) {
    require(query_.view(13).size() == 16);
    report.checkpoint = key_text(query_.view(13));
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const int at = kFirstMetric + static_cast<int>(i);
    if (query_.is_null(at)) continue;
    report.metrics.emplace_back(names_[i],
                                query_.is_integer(at) ? report.value : query_.number(at));
  }
  if (!query_.is_null(place_of(kUpdates))) {
    auto updates = updates_from_bytes(query_.view(place_of(kUpdates)));
    require(updates.has_value());
    report.updates = std::move(*updates);
  }
  has_columns = true;
  if (query_.is_null(14)) return report;
  const base::Json rest = base::Json::parse(query_.view(14));
  if (const base::Json* metrics = rest.find("metrics")) {
    report.metrics = metrics_from_json(*metrics);
    has_columns = false;
  }
  if (const base::Json* checkpoint = rest.find("checkpoint"))
    report.checkpoint = checkpoint->text();
  if (const base::Json* used = rest.find("used")) report.used = used->number();
  if (const base::Json* shape = rest.find("shape")) {
    report.shape = shape->text();
    report.weights = static_cast<std::uint64_t>(rest.at("weights").integer());
    report.inference_flops = rest.at("inference_flops").number();
  }
  return report;
}

void migrate_events(sql::Database& db, const std::string& metric, std::int64_t origin) {
  db.exec("DROP VIEW reports");
  db.exec(base::cat("ALTER TABLE events RENAME TO ", kMoved).c_str());
  create_event_tables(db);
  {
    EventCursor old(db, origin);
    EventWriter writer(db, metric, origin);
    std::int64_t sum = 0;
    while (old.next()) sum = writer.write(old.seq(), old.epoch(), old.event(), sum);
  }
  db.exec(base::cat("DROP TABLE ", kMoved).c_str());
  set_format(db);
}

}  // namespace hpo
