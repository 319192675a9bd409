#include "hpo/log/event_log.h"

#include <algorithm>
#include <ctime>
#include <set>

#include "base/clock.h"
#include "base/text.h"
#include "hpo/log/json.h"
#include "hpo/log/records.h"
#include "hpo/log/schema.h"
#include "hpo/log/sqlite.h"
#include "hpo/log/study_lock.h"

namespace hpo {

namespace {

std::optional<Holder> read_holder(sql::Database& db) {
  sql::Statement query(db, "SELECT host, boot, pid, started, since FROM holder");
  if (!query.step()) return {};
  return Holder{query.text(0), query.text(1), query.integer(2), query.integer(3), query.text(4)};
}

/// See Event::age: both moments have lost their fractions of a second.
double age_of(const std::string& wall, std::time_t now) {
  const auto then = base::wall_seconds(wall);
  constexpr double kMost = 1e9;
  return then ? std::clamp(static_cast<double>(now - *then) - 1, 0.0, kMost) : 0;
}

/// How long facts alone may wait for their commit.
constexpr base::Duration kFactsEvery = std::chrono::seconds(10);

}  // namespace

struct EventLog::Impl {
  explicit Impl(const base::Path& where) : folder(where), lock((base::make_folder(where), where)) {
    if (lock.state() == StudyLock::State::held) throw StudyLock::refusal(folder);
    if (!base::file_size(folder / kStudyDb)) return;
    open();
    if (!has_tables(*db)) return;
    if (lock.state() == StudyLock::State::unknown) refuse_living_holder();
    written = read_facts(*db);
    facts = study_facts_of(written, db->path());
    if (facts) table = TrialTable(facts->objective);
  }

  void open() {
    db.emplace(folder / kStudyDb, sql::Access::create);
    set_durability(*db);
    writes_ahead = db->query_text("PRAGMA journal_mode") == "wal";
  }

  void refuse_living_holder() {
    auto holder = read_holder(*db);
    if (holder && holder->alive().value_or(false))
      throw locked_error(folder, process_words(*holder), holder->since);
  }

  void begin(const StudyFacts& study, bool anew) {
    if (facts.has_value() != anew)
      throw base::Error(base::Errc::internal, "a study begins where there is one, or anew without");
    if (!db) open();
    sql::Transaction transaction(*db);
    if (anew) {
      for (const char* old : {"DELETE FROM events", "DELETE FROM trials", "DELETE FROM study"})
        db->exec(old);
      written.clear();
    } else {
      create_tables(*db);
    }
    sql::Statement upsert(*db, kUpsertFact);
    write_study_facts(upsert, study);
    write_fact(upsert, "created", base::wall_time());
    transaction.commit();
    facts = study;
    table = TrialTable(study.objective);
  }

  void replay(const std::function<void(const Event&)>& take) {
    sql::Statement query(
        *db, "SELECT seq, vtime, trial, kind, payload, took, sum, wall FROM events ORDER BY seq");
    const std::time_t now = std::time(nullptr);
    while (query.step()) {
      std::string what = base::cat("event ", query.integer(0));
      if (query.integer(0) != seq + 1)
        throw damaged(folder / kStudyDb, base::cat("the log before ", what));
      Event event{.vtime = query.number(1), .trial = {}, .body = {}, .took = query.number(5)};
      if (!query.is_null(2)) event.trial = static_cast<std::uint64_t>(query.integer(2));
      sum = event_sum(sum, seq + 1, event, query.view(3), query.view(4));
      if (query.integer(6) != sum) throw damaged(folder / kStudyDb, what);
      event.body = body_of(query.view(3), query.view(4));
      event.age = age_of(query.text(7), now);
      ++seq;
      table.apply(event);
      take(event);
    }
  }

  /// Makes the log ours: whoever had the epoch before can write no more.
  void take_over() {
    Holder self = Holder::self();
    sql::Transaction transaction(*db);
    epoch = db->query_integer("SELECT epoch FROM holder") + 1;
    sql::Statement put(*db,
                       "INSERT OR REPLACE INTO holder(id, epoch, host, boot, pid, started, since) "
                       "VALUES(0, ?, ?, ?, ?, ?, ?)");
    put.bind(0, epoch)
        .bind(1, self.host)
        .bind(2, self.boot)
        .bind(3, self.pid)
        .bind(4, self.started);
    put.bind(5, self.since).run();
    transaction.commit();
    write_trial.emplace(*db);
    insert = sql::Statement(
        *db,
        "INSERT INTO events(seq, epoch, vtime, trial, kind, payload, took, wall, sum) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    upsert_fact = sql::Statement(*db, kUpsertFact);
    read_epoch = sql::Statement(*db, "SELECT epoch FROM holder");
  }

  void check_epoch() {
    std::int64_t now = read_epoch.step() ? read_epoch.integer(0) : 0;
    read_epoch.reset();
    if (now == epoch) return;
    auto holder = read_holder(*db);
    throw locked_error(
        folder, holder ? process_words(*holder) + ", which took it over," : "another process",
        holder ? holder->since : "");
  }

  void write_events() {
    std::string wall = base::wall_time();
    std::int64_t number = seq, chain = sum;
    for (const Event& event : waiting) {
      std::string payload = payload_of(event.body);
      std::string_view kind = kind_of(event.body);
      std::optional<std::int64_t> trial;
      if (event.trial) trial = static_cast<std::int64_t>(*event.trial);
      chain = event_sum(chain, ++number, event, kind, payload);
      insert.bind(0, number)
          .bind(1, epoch)
          .bind(2, event.vtime)
          .bind(3, trial)
          .bind(4, kind)
          .bind(5, payload);
      insert.bind(6, event.took).bind(7, wall).bind(8, chain).run();
    }
    next_seq = number;
    next_sum = chain;
  }

  [[nodiscard]] std::optional<std::string> noted(const std::string& key) const {
    for (const auto* from : {&notes, &written}) {
      if (auto found = from->find(key); found != from->end()) return found->second;
    }
    return {};
  }

  /// Facts that follow from an event, for read verbs.
  void note_consequences(const Event& event) {
    if (const auto* end = std::get_if<Finished>(&event.body)) {
      notes["finished"] = payload_of(*end);
    } else if (const auto* exported = std::get_if<Exported>(&event.body)) {
      JsonWriter json;
      json.begin_object().field("trial", *event.trial).field("file", exported->file).end_object();
      notes["model"] = std::move(json).text();
    } else if (goes_on(event) && noted("finished").value_or("") != "") {
      notes["finished"] = "";
    }
  }

  /// A fact that is as it was needs no writing.
  void note(const std::string& key, const std::string& value) {
    const auto old = written.find(key);
    if (old != written.end() && old->second == value && !notes.contains(key)) return;
    notes[key] = value;
  }

  /// Facts alone, which may be late: without a write-ahead log each commit makes and removes a
  /// file.
  [[nodiscard]] bool may_wait(base::Durability how) const {
    return how == base::Durability::cached && waiting.empty() && !writes_ahead &&
           base::now() - committed < kFactsEvery;
  }

  /// Without a write-ahead log there is nothing to save: what is half written must be undone.
  void sync_as(base::Durability how) {
    if (how == synced_as || !writes_ahead) return;
    db->exec(how == base::Durability::durable ? "PRAGMA synchronous=FULL"
                                              : "PRAGMA synchronous=NORMAL");
    synced_as = how;
  }

  std::vector<Event> commit(base::Durability how) {
    if (failed) throw base::Error(base::Errc::internal, "the log is used after a write failed");
    if (waiting.empty() && notes.empty()) return {};
    if (may_wait(how)) return {};
    failed = true;  // until everything below went well
    sync_as(how);
    sql::Transaction transaction(*db);
    check_epoch();
    write_events();
    for (std::uint64_t trial : dirty) write_trial->write(table.row(trial), table.objective());
    for (const auto& [key, value] : notes) write_fact(upsert_fact, key, value);
    transaction.commit();
    committed = base::now();
    failed = false;
    seq = next_seq;
    sum = next_sum;
    dirty.clear();
    for (auto& [key, value] : std::exchange(notes, {})) written[key] = std::move(value);
    return std::exchange(waiting, {});
  }

  base::Path folder;
  StudyLock lock;
  std::optional<sql::Database> db;
  std::map<std::string, std::string> written;  // the table `study`
  std::optional<StudyFacts> facts;
  TrialTable table{Objective{}};

  std::int64_t epoch = 0, seq = 0, sum = 0, next_seq = 0, next_sum = 0;
  std::vector<Event> waiting;
  std::set<std::uint64_t> dirty;
  std::map<std::string, std::string> notes;
  bool failed = false;
  bool writes_ahead = false;
  base::Moment committed{};
  base::Durability synced_as = base::Durability::durable;

  std::optional<TrialWriter> write_trial;
  sql::Statement insert, upsert_fact, read_epoch;
};

EventLog::EventLog(const base::Path& folder) : impl_(std::make_unique<Impl>(folder)) {}
EventLog::~EventLog() = default;

const std::optional<StudyFacts>& EventLog::facts() const { return impl_->facts; }
void EventLog::begin(const StudyFacts& facts) { impl_->begin(facts, false); }
void EventLog::begin_anew(const StudyFacts& facts) { impl_->begin(facts, true); }

std::int64_t EventLog::recorded() const {
  return impl_->facts ? impl_->db->query_integer("SELECT count(*) FROM trials") : 0;
}

bool EventLog::is_void() const {
  if (!impl_->facts) return true;
  const auto count = [&](const char* kind) {
    return impl_->db->query_integer(
        base::cat("SELECT count(*) FROM events WHERE kind = '", kind, "'").c_str());
  };
  const std::string finished = noted("finished").value_or("");
  const bool hopeless =
      !finished.empty() && Json::parse(finished).at("why").text() == name_of(Finish::first);
  return count("reported") == 0 && (hopeless || count("created") == count("ended"));
}

void EventLog::replay(const std::function<void(const Event&)>& take) {
  impl_->replay(take);
  impl_->take_over();
}

void EventLog::append(Event event) {
  impl_->table.apply(event);
  if (event.trial) impl_->dirty.insert(*event.trial);
  impl_->note_consequences(event);
  impl_->waiting.push_back(std::move(event));
}

std::size_t EventLog::pending() const { return impl_->waiting.size(); }
void EventLog::note(const std::string& key, const std::string& value) { impl_->note(key, value); }
std::vector<Event> EventLog::commit(base::Durability how) { return impl_->commit(how); }
const TrialTable& EventLog::trials() const { return impl_->table; }
std::int64_t EventLog::epoch() const { return impl_->epoch; }

std::optional<std::string> EventLog::noted(const std::string& key) const {
  return impl_->noted(key);
}

}  // namespace hpo
