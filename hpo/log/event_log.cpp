#include "hpo/log/event_log.h"

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "hpo/log/event_rows.h"
#include "hpo/log/records.h"
#include "hpo/log/schema.h"
#include "hpo/log/sqlite.h"
#include "hpo/log/study_claim.h"
#include "hpo/log/study_lock.h"
#include "hpo/log/use_rows.h"

namespace hpo {

namespace {

/// See Event::age.
double age_of(std::int64_t at, std::int64_t now) {
  constexpr double kMost = 1e9;
  return std::clamp(static_cast<double>(now - at) * 1e-6, 0.0, kMost);
}

/// How long facts alone may wait for their commit.
constexpr base::Duration kFactsEvery = std::chrono::seconds(10);

}  // namespace

struct EventLog::Impl {
  explicit Impl(const base::Path& where)
      : folder(where),
        lock((base::make_folder(where), where), kDriverLock, StudyLock::Signing::later) {
    if (lock.state() == StudyLock::State::held) throw StudyLock::refusal(folder);
    claim.emplace(folder, lock.state());
    lock.sign();
    if (!base::file_size(folder / kStudyDb)) return;
    open();
    if (!has_tables(*db)) return;
    if (claim->is_first()) refuse_living_holder();
    written = read_facts(*db);
    facts = study_facts_of(written, db->path());
    if (facts) table = TrialTable(facts->objective);
  }

  void migrate() {
    sql::Transaction transaction(*db);
    sql::Statement upsert(*db, kUpsertFact);
    const std::int64_t begin = base::wall_seconds(written["created"]).value_or(0) * 1'000'000;
    note_origin(upsert, begin);
    migrate_events(*db, facts->metric, begin);
    transaction.commit();
    try {
      db->exec("VACUUM");
    } catch (const base::Error&) {
      // Room that stays taken harms nothing.
    }
  }

  void note_origin(sql::Statement& upsert, std::int64_t begin) {
    const std::string text = std::to_string(begin);
    write_fact(upsert, kOriginFact, text);
    written[kOriginFact] = text;
  }

  void open() {
    const sql::Locks locks =
        lock.state() == StudyLock::State::unknown ? sql::Locks::none : sql::Locks::of_files;
    db.emplace(folder / kStudyDb, sql::Access::create, sql::Wanted{}, locks);
    set_durability(*db, locks);
    writes_ahead = db->query_text("PRAGMA journal_mode") == "wal";
  }

  void refuse_living_holder() {
    auto holder = read_holder(*db);
    if (holder && lives(*holder, folder, lock.state(), kDriverPatience))
      throw locked_error(folder, process_words(*holder), holder->since);
  }

  /// The error for a driver that another one has taken the study from.
  [[nodiscard]] base::Error taken_over(const std::optional<Holder>& by) const {
    return locked_error(folder,
                        by ? process_words(*by) + ", which took it over," : "another process",
                        by ? by->since : "");
  }

  /// Before anything is written.
  void require_claim() const {
    if (!claim->stands()) throw taken_over(claim->successor());
    if (fenced_by > epoch)
      throw locked_error(folder, base::cat("a driver of epoch ", fenced_by, ", which took it over"),
                         "");
  }

  /// One transaction. A driver that was frozen in it may have lost the study meanwhile: then
  /// nothing is written, and what it read amiss is not what its error is about.
  template <class Statements>
  void write(Statements statements) {
    require_claim();
    try {
      sql::Transaction transaction(*db);
      statements();
      require_claim();
      transaction.commit();
    } catch (const base::Error&) {
      require_claim();
      throw;
    }
  }

  void begin(const StudyFacts& study, bool anew) {
    if (facts.has_value() != anew)
      throw base::Error(base::Errc::internal, "a study begins where there is one, or anew without");
    require_claim();
    if (!db) open();
    if (anew && format_of(*db) == 1) migrate();
    write([&] {
      if (anew) {
        for (const char* old : {"DELETE FROM log", "DELETE FROM trials", "DELETE FROM study"})
          db->exec(old);
        forget_use(*db);
        written.clear();
      } else {
        create_tables(*db);
      }
      sql::Statement upsert(*db, kUpsertFact);
      write_study_facts(upsert, study);
      const std::int64_t now = base::wall_micros();
      write_fact(upsert, "created", base::wall_text(now));
      note_origin(upsert, now);
    });
    facts = study;
    table = TrialTable(study.objective);
  }

  void replay(const std::function<void(const Event&)>& take) {
    if (format_of(*db) == 1) migrate();
    EventCursor cursor(*db, origin_of(written, db->path()));
    const std::int64_t now = base::wall_micros();
    while (cursor.next()) {
      Event& event = cursor.event();
      event.age = age_of(event.real.at, now);
      table.apply(event);
      take(event);
    }
    seq = cursor.seq();
    sum = cursor.sum();
  }

  /// Makes the log ours: whoever had the epoch before can write no more.
  void take_over() {
    write([&] {
      epoch = db->query_integer("SELECT epoch FROM holder") + 1;
      write_holder(*db, claim->self(), epoch);
    });
    write_trial.emplace(*db);
    write_event.emplace(*db, facts->metric, origin_of(written, db->path()));
    upsert_fact = sql::Statement(*db, kUpsertFact);
    read_epoch = sql::Statement(*db, "SELECT epoch FROM holder");
  }

  void check_epoch() {
    std::int64_t now = read_epoch.step() ? read_epoch.integer(0) : 0;
    read_epoch.reset();
    if (now == epoch) return;
    throw taken_over(read_holder(*db));
  }

  void write_events() {
    next_seq = seq;
    next_sum = sum;
    for (const Event& event : waiting)
      next_sum = write_event->write(++next_seq, epoch, event, next_sum);
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
      base::JsonWriter json;
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
    if (fenced_by > epoch) require_claim();
    if (waiting.empty() && notes.empty() && !use) return {};
    if (may_wait(how)) return {};
    failed = true;  // until everything below went well
    sync_as(how);
    write([&] {
      check_epoch();
      write_events();
      for (std::uint64_t trial : dirty) write_trial->write(table.row(trial), table.objective());
      for (const auto& [key, value] : notes) write_fact(upsert_fact, key, value);
      if (use) write_use(*db, *use, origin_of(written, db->path()));
    });
    committed = base::now();
    failed = false;
    seq = next_seq;
    sum = next_sum;
    dirty.clear();
    use.reset();
    for (auto& [key, value] : std::exchange(notes, {})) written[key] = std::move(value);
    return std::exchange(waiting, {});
  }

  base::Path folder;
  StudyLock lock;
  std::optional<StudyClaim> claim;
  std::optional<sql::Database> db;
  std::map<std::string, std::string> written;  // the table `study`
  std::optional<StudyFacts> facts;
  TrialTable table{Objective{}};

  std::int64_t fenced_by = 0;  // the highest epoch of another driver
  std::int64_t epoch = 0, seq = 0, sum = 0, next_seq = 0, next_sum = 0;
  std::vector<Event> waiting;
  std::set<std::uint64_t> dirty;
  std::map<std::string, std::string> notes;
  std::optional<SessionUse> use;
  bool failed = false;
  bool writes_ahead = false;
  base::Moment committed{};
  base::Durability synced_as = base::Durability::durable;

  std::optional<TrialWriter> write_trial;
  std::optional<EventWriter> write_event;
  sql::Statement upsert_fact, read_epoch;
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
      !finished.empty() && base::Json::parse(finished).at("why").text() == name_of(Finish::first);
  const bool none_runs = count("created") + count("reopened") == count("ended");
  return count("reported") == 0 && (hopeless || none_runs);
}

void EventLog::replay(const std::function<void(const Event&)>& take) {
  try {
    impl_->replay(take);
  } catch (const base::Error&) {
    impl_->require_claim();
    throw;
  }
  impl_->take_over();
}

void EventLog::append(Event event) {
  if (event.real.at == 0) event.real.at = base::wall_micros();
  impl_->table.apply(event);
  if (event.trial) impl_->dirty.insert(*event.trial);
  impl_->note_consequences(event);
  impl_->waiting.push_back(std::move(event));
}

std::size_t EventLog::pending() const { return impl_->waiting.size(); }
void EventLog::note(const std::string& key, const std::string& value) { impl_->note(key, value); }
void EventLog::note_use(SessionUse use) {
  use.epoch = impl_->epoch;
  impl_->use = std::move(use);
}
std::vector<Event> EventLog::commit(base::Durability how) { return impl_->commit(how); }
const TrialTable& EventLog::trials() const { return impl_->table; }
bool EventLog::fenced() const { return impl_->fenced_by > impl_->epoch; }
bool EventLog::stands() const { return impl_->claim->stands(); }
void EventLog::fence(std::int64_t epoch) { impl_->fenced_by = std::max(impl_->fenced_by, epoch); }
std::int64_t EventLog::epoch() const { return impl_->epoch; }

std::optional<std::string> EventLog::noted(const std::string& key) const {
  return impl_->noted(key);
}

}  // namespace hpo
