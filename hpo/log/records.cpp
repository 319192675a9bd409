#include "hpo/log/records.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace hpo {

namespace {

constexpr const char* kTrialColumns =
    "trial, state, cause, message, value, params, metrics, step, epochs, attempts, seconds, "
    "parent, train_flops, inference_flops, sum";

std::int64_t low_half(const base::Hasher& hasher) {
  return static_cast<std::int64_t>(hasher.finish().lo);
}

std::int64_t row_sum(const TrialRow& row, std::string_view params, std::string_view metrics) {
  base::Hasher h;
  h.add(row.trial).add(name_of(row.state)).add(name_of(row.cause)).add(row.message);
  h.add(row.value ? 1 : 0)
      .add(base::format_double(row.value.value_or(0)))
      .add(params)
      .add(metrics)
      .add(row.step)
      .add(row.epochs);
  h.add(row.attempts).add(row.seconds).add(row.parent ? 1 : 0).add(row.parent.value_or(0));
  h.add(row.train_flops).add(row.inference_flops);
  if (row.memory) h.add(*row.memory);
  return low_half(h);
}

std::int64_t fact_sum(std::string_view key, std::string_view value) {
  base::Hasher h;
  h.add(key).add(value);
  return low_half(h);
}

/// What `best` is found by where the objective is plain: nothing for trials that cannot be it.
std::optional<double> ranked_loss(const TrialRow& row, const Objective& objective) {
  if (!can_lead(row)) return {};
  return objective.loss(*row.value);
}

std::string json_of(const std::vector<OtherMetric>& others) {
  base::JsonWriter json;
  json.begin_array();
  for (const OtherMetric& other : others) {
    json.begin_object().field("name", other.name);
    json.field("goal", other.maximize ? "maximize" : "minimize");
    if (other.reference) json.field("reference", *other.reference);
    json.end_object();
  }
  json.end_array();
  return std::move(json).text();
}

std::string json_of(const std::vector<Bound>& bounds) {
  base::JsonWriter json;
  json.begin_array();
  for (const Bound& bound : bounds) {
    json.begin_object().field("metric", bound.metric);
    if (bound.min) json.field("min", *bound.min);
    if (bound.max) json.field("max", *bound.max);
    json.end_object();
  }
  json.end_array();
  return std::move(json).text();
}

std::vector<OtherMetric> others_from_json(const std::string& text) {
  std::vector<OtherMetric> others;
  const base::Json list = base::Json::parse(text);
  for (const auto& [none, entry] : list.members()) {
    OtherMetric& other = others.emplace_back(
        OtherMetric{entry.at("name").text(), entry.at("goal").text() == "maximize"});
    if (const base::Json* reference = entry.find("reference"))
      other.reference = reference->number();
  }
  return others;
}

std::vector<Bound> bounds_from_json(const std::string& text) {
  std::vector<Bound> bounds;
  const base::Json list = base::Json::parse(text);
  for (const auto& [none, entry] : list.members()) {
    Bound& bound = bounds.emplace_back(Bound{.metric = entry.at("metric").text()});
    if (const base::Json* min = entry.find("min")) bound.min = min->number();
    if (const base::Json* max = entry.find("max")) bound.max = max->number();
  }
  return bounds;
}

base::Error damage(const base::Path& file, std::string_view what, std::string_view how) {
  return {base::Errc::storage,
          base::cat(file.string(), " is damaged: ", what, " ", how,
                    "; bring the file back from a copy, or choose another folder with --dir or "
                    "--name")};
}

}  // namespace

std::string trial_columns(sql::Database& db) {
  return base::cat(kTrialColumns, ", ", db.has_column("trials", "memory") ? "memory" : "NULL");
}

TrialWriter::TrialWriter(sql::Database& db)
    : db_(db), has_memory_(db.has_column("trials", "memory")) {
  prepare();
}

void TrialWriter::prepare() {
  const std::string memory = has_memory_ ? ", memory" : "";
  const std::string update = has_memory_ ? ", memory = excluded.memory" : "";
  upsert_ = sql::Statement(
      db_, base::cat(
               "INSERT INTO trials(", kTrialColumns, ", loss", memory,
               ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?", has_memory_ ? ",?" : "",
               ") ON CONFLICT(trial) DO UPDATE SET state = excluded.state, cause = excluded.cause, "
               "message = excluded.message, value = excluded.value, params = excluded.params, "
               "metrics = excluded.metrics, parent = excluded.parent, step = excluded.step, "
               "epochs = excluded.epochs, attempts = excluded.attempts, seconds = "
               "excluded.seconds, train_flops = excluded.train_flops, inference_flops = "
               "excluded.inference_flops, sum = excluded.sum, loss = excluded.loss",
               update));
}

void TrialWriter::write(const TrialRow& row, const Objective& objective) {
  if (row.memory && !has_memory_) {
    db_.exec("ALTER TABLE trials ADD COLUMN memory INTEGER");
    has_memory_ = true;
    prepare();
  }
  std::string params = json_of(row.params);
  std::string metrics = json_of(row.metrics);
  std::optional<std::int64_t> parent;
  if (row.parent) parent = static_cast<std::int64_t>(*row.parent);
  upsert_.bind(0, static_cast<std::int64_t>(row.trial))
      .bind(1, name_of(row.state))
      .bind(2, name_of(row.cause));
  upsert_.bind(3, row.message)
      .bind(4, row.value)
      .bind(5, params)
      .bind(6, metrics)
      .bind(7, row.step);
  upsert_.bind(8, row.epochs)
      .bind(9, std::int64_t{row.attempts})
      .bind(10, row.seconds)
      .bind(11, parent);
  upsert_.bind(12, row.train_flops)
      .bind(13, row.inference_flops)
      .bind(14, row_sum(row, params, metrics));
  upsert_.bind(15, ranked_loss(row, objective));
  if (row.memory)
    upsert_.bind(16, static_cast<std::int64_t>(*row.memory));
  else if (has_memory_)
    upsert_.bind_null(16);
  upsert_.run();
}

TrialRow read_trial(const sql::Statement& query, const base::Path& file) {
  TrialRow row;
  row.trial = static_cast<std::uint64_t>(query.integer(0));
  std::string what = base::cat("the row of trial ", row.trial);
  auto state = trial_state_of(query.view(1));
  auto cause = cause_of(query.view(2));
  if (!state || !cause) throw damaged(file, what);
  row.state = *state;
  row.cause = *cause;
  row.message = query.text(3);
  if (!query.is_null(4)) row.value = query.number(4);
  std::string params = query.text(5), metrics = query.text(6);
  row.step = query.integer(7);
  row.epochs = query.integer(8);
  row.attempts = static_cast<int>(query.integer(9));
  row.seconds = query.number(10);
  if (!query.is_null(11)) row.parent = static_cast<std::uint64_t>(query.integer(11));
  row.train_flops = query.number(12);
  row.inference_flops = query.number(13);
  if (!query.is_null(15)) row.memory = static_cast<std::uint64_t>(query.integer(15));
  if (query.integer(14) != row_sum(row, params, metrics)) throw damaged(file, what);
  row.params = params_from_json(params);
  row.metrics = metrics_from_json(metrics);
  return row;
}

std::optional<Holder> read_holder(sql::Database& db) {
  const std::string address = db.has_column("holder", "address") ? "address" : "''";
  sql::Statement query(
      db, base::cat("SELECT host, boot, pid, started, since, ", address, " FROM holder"));
  if (!query.step()) return {};
  return Holder{.host = query.text(0),
                .boot = query.text(1),
                .pid = query.integer(2),
                .started = query.integer(3),
                .since = query.text(4),
                .address = query.text(5)};
}

void write_holder(sql::Database& db, const Holder& holder, std::int64_t epoch) {
  if (!db.has_column("holder", "address"))
    db.exec("ALTER TABLE holder ADD COLUMN address TEXT NOT NULL DEFAULT ''");
  sql::Statement put(db,
                     "INSERT OR REPLACE INTO holder(id, epoch, host, boot, pid, started, since, "
                     "address) VALUES(0, ?, ?, ?, ?, ?, ?, ?)");
  put.bind(0, epoch).bind(1, holder.host).bind(2, holder.boot).bind(3, holder.pid);
  put.bind(4, holder.started).bind(5, holder.since).bind(6, holder.address).run();
}

void write_fact(sql::Statement& upsert, const std::string& key, const std::string& value) {
  upsert.bind(0, key).bind(1, value).bind(2, fact_sum(key, value)).run();
}

std::map<std::string, std::string> read_facts(sql::Database& db) {
  std::map<std::string, std::string> facts;
  sql::Statement query(db, "SELECT key, value, sum FROM study");
  while (query.step()) {
    if (query.integer(2) != fact_sum(query.view(0), query.view(1))) {
      throw damaged(db.path(), base::cat("the fact ", base::printable(query.view(0))));
    }
    facts.emplace(query.text(0), query.text(1));
  }
  return facts;
}

void write_study_facts(sql::Statement& upsert, const StudyFacts& facts) {
  base::JsonWriter names;
  names.list(facts.parameters);
  write_fact(upsert, "name", facts.name);
  write_fact(upsert, "metric", facts.metric);
  write_fact(upsert, "goal", facts.objective.maximize ? "maximize" : "minimize");
  write_fact(upsert, "take", facts.objective.take_best ? "best" : "last");
  if (!facts.objective.others.empty())
    write_fact(upsert, "other_metrics", json_of(facts.objective.others));
  if (facts.objective.reference)
    write_fact(upsert, "reference", base::format_double(*facts.objective.reference));
  if (!facts.objective.subject_to.empty())
    write_fact(upsert, "subject_to", json_of(facts.objective.subject_to));
  write_fact(upsert, "parameters", std::move(names).text());
  write_fact(upsert, "resolved", facts.resolved);
}

std::optional<StudyFacts> study_facts_of(const std::map<std::string, std::string>& facts,
                                         const base::Path& file) {
  if (facts.empty()) return {};
  const auto fact = [&](const char* key) -> const std::string& {
    const auto found = facts.find(key);
    if (found == facts.end()) throw lacking(file, base::cat("the fact ", key));
    return found->second;
  };
  StudyFacts study{
      .name = fact("name"),
      .metric = fact("metric"),
      .objective = {.maximize = fact("goal") == "maximize", .take_best = fact("take") == "best"},
      .parameters = {},
      .resolved = fact("resolved")};
  if (const auto others = facts.find("other_metrics"); others != facts.end())
    study.objective.others = others_from_json(others->second);
  if (const auto reference = facts.find("reference"); reference != facts.end())
    study.objective.reference = base::parse_double(reference->second);
  if (const auto bounds = facts.find("subject_to"); bounds != facts.end())
    study.objective.subject_to = bounds_from_json(bounds->second);
  base::Json names = base::Json::parse(fact("parameters"));
  for (const auto& [none, parameter] : names.members())
    study.parameters.push_back(parameter.text());
  return study;
}

std::int64_t origin_of(const std::map<std::string, std::string>& facts, const base::Path& file) {
  const auto found = facts.find(kOriginFact);
  const auto origin = found == facts.end() ? std::nullopt : base::parse_int(found->second);
  if (!origin) throw lacking(file, base::cat("the fact ", kOriginFact));
  return *origin;
}

std::int64_t event_sum(std::int64_t before, std::int64_t seq, const Event& event,
                       std::string_view kind, std::string_view payload) {
  base::Hasher h;
  h.add(before)
      .add(seq)
      .add(event.vtime)
      .add(event.trial ? 1 : 0)
      .add(event.trial.value_or(0))
      .add(event.real.took);
  h.add(kind).add(payload);
  return low_half(h);
}

base::Error damaged(const base::Path& file, std::string_view what) {
  return damage(file, what, "does not match its checksum");
}

base::Error lacking(const base::Path& file, std::string_view what) {
  return damage(file, what, "is missing");
}

}  // namespace hpo
