// Events in rows: nothing is lost, people can read them with SQL, and files of before go on.

#include "hpo/log/event_rows.h"
#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "hpo/log/event_log.h"
#include "hpo/log/records.h"
#include "hpo/log/schema.h"
#include "hpo/log/study_reader.h"
#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Event report(std::uint64_t trial, std::int64_t step, double value, Metrics metrics) {
  return {.vtime = 1234567890123.5,
          .trial = trial,
          .body = Reported{.step = step,
                           .epochs = step,
                           .value = value,
                           .flops = 1e18 + 3,
                           .metrics = std::move(metrics)},
          .real = {.took = 0.000125, .at = 1795000000123456, .began = 1795000000000001}};
}

/// Reports whose metrics have columns, and such as must do without.
std::vector<Event> odd_reports() {
  Metrics many;
  for (int i = 0; i < 40; ++i) many.emplace_back(base::cat("metric ", i), 0.1 * i);
  Event adapting = report(0, 9, 0.5, {{"valid.accuracy", 0.5}});
  auto& body = std::get<Reported>(adapting.body);
  body.epochs = 4;
  body.decision = Decision::pause;
  body.checkpoint = "00112233445566778899aabbccddeeff";
  body.shape = "784-64-10";
  body.weights = 50890;
  body.inference_flops = 101632;
  body.used = 12.5;
  Event no_flops = report(0, 10, 0.25, {{"valid.accuracy", 0.25}});
  std::get<Reported>(no_flops.body).flops = 0;
  Event no_key = report(0, 10, 0.25, {{"valid.accuracy", 0.25}});
  std::get<Reported>(no_key.body).checkpoint = "no key of ours";
  return {sample::created(0, 0.1),
          report(0, 1, 0.75, {{"valid.accuracy", 0.75}, {"train.loss", 0.1}}),
          report(0, 2, 0.75, {{"train.loss", 0.2}, {"valid.accuracy", 0.75}}),
          report(0, 3, 0.75, {{"valid.accuracy", 0.25}}),
          report(0, 4, 1, {}),
          report(0, 5, kNan, {{"valid.accuracy", kNan}, {"train.loss", -kInf}}),
          report(0, 6, -0.0, {{"valid.accuracy", 0.0}, {"train.loss", -0.0}}),
          report(0, 7, 0.1, {{"it's \"quoted\"", kInf}, {"train.loss", 5e-324}}),
          report(0, 8, 0.1, many),
          adapting,
          no_key,
          no_flops,
          report(0, 11, 0.5, {{"latin \xe9", 0.5}, {"train.loss", 0.5}}),
          report(0, 12, 0.5, {{"train.loss", 0.5}, {"latin \xe9", 0.5}}),
          report(0, 13, 1.5e300, {{"train.loss", 1}, {"train.loss", 2}}),
          sample::ended(0, TrialState::failed, Cause::error, "two\nlines")};
}

std::vector<std::string> whole_texts(const std::vector<Event>& events) {
  std::vector<std::string> texts;
  for (const Event& e : events)
    texts.push_back(base::cat(e.vtime, " ", e.trial.value_or(99), " ", kind_of(e.body), " ",
                              payload_of(e.body), " ", e.real.at, " ", e.real.began, " ",
                              e.real.took));
  return texts;
}

void write_events(const base::Path& folder, const std::vector<Event>& events) {
  auto log = sample::open(folder);
  for (const Event& e : events) log->append(e);
  log->commit();
}

TEST(EventRows, EveryReportComesBackAsItWas) {
  support::TempFolder folder;
  std::vector<Event> events = odd_reports();
  for (Event& e : events) e.real.at = 1795000000123456;
  write_events(folder.path(), events);
  EXPECT_EQ(whole_texts(sample::replayed(folder.path())), whole_texts(events));
  const auto rows = StudyReader(folder.path()).events(0);
  ASSERT_EQ(rows.size(), events.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(rows[i].payload(), payload_of(events[i].body));
  EXPECT_EQ(rows[1].wall, "2026-11-18T11:06:40Z");
}

/// A JSON object as its members' texts, in an order of names.
std::map<std::string, std::string> members_of(const std::string& text) {
  std::map<std::string, std::string> members;
  const base::Json json = base::Json::parse(text);
  for (const auto& [name, member] : json.members()) {
    const std::string raw(member.raw());
    const auto number = base::parse_double(raw);
    members[name] = raw.starts_with('{') ? base::cat(members_of(raw).size(), " members")
                    : number             ? base::format_double(*number)
                                         : raw;
  }
  return members;
}

TEST(EventRows, PeopleReadThemWithSql) {
  support::TempFolder folder;
  const std::vector<Event> events = odd_reports();
  write_events(folder.path(), events);
  sql::Database db(folder / kStudyDb, sql::Access::read);
  sql::Statement query(db, "SELECT kind, payload, wall FROM events ORDER BY seq");
  for (const Event& event : events) {
    ASSERT_TRUE(query.step());
    EXPECT_EQ(query.text(0), kind_of(event.body));
    // Neither a name that stands twice nor one that is no text is JSON that all read alike.
    const bool odd = query.text(1).find("\"train.loss\": 2") != std::string::npos ||
                     query.text(1).find("latin") != std::string::npos;
    if (!odd) {
      EXPECT_EQ(members_of(query.text(1)), members_of(payload_of(event.body)));
    }
    EXPECT_EQ(query.text(2).size(), 20U);
  }
  sql::Statement reports(db, "SELECT step, value, metrics, word FROM reports ORDER BY seq");
  ASSERT_TRUE(reports.step());
  EXPECT_EQ(reports.integer(0), 1);
  EXPECT_EQ(reports.number(1), 0.75);
  EXPECT_EQ(metrics_from_json(reports.text(2)),
            (Metrics{{"valid.accuracy", 0.75}, {"train.loss", 0.1}}));
  EXPECT_EQ(reports.text(3), "go");
}

/// Two trials that say what memory they took, one of them at two reports.
std::vector<Event> memorable_events() {
  std::vector<Event> events{
      sample::created(0, 0.1),     sample::reported(0, 1, 0.5),
      sample::reported(0, 2, 0.6), sample::ended(0, TrialState::complete),
      sample::created(1, 0.1),     sample::ended(1, TrialState::failed, Cause::killed, "signal 9")};
  events[1].real.memory = 5'000'000'000;
  events[2].real.memory = 4;
  events[5].real.memory = 7;
  return events;
}

TEST(EventRows, MemoryHasAColumnFromWhenItIsKnown) {
  support::TempFolder folder;
  const auto has_column = [&](const char* table) {
    sql::Database db(folder / kStudyDb, sql::Access::read);
    return db.has_column(table, "memory");
  };
  write_events(folder.path(), {sample::created(0, 0.1)});
  EXPECT_FALSE(has_column("log") || has_column("trials"));
  EXPECT_FALSE(StudyReader(folder.path()).trial(0)->memory);
  std::vector<Event> events = memorable_events();
  events.erase(events.begin());
  write_events(folder.path(), events);
  EXPECT_TRUE(has_column("log") && has_column("trials"));
  const std::vector<Event> back = sample::replayed(folder.path());
  ASSERT_EQ(back.size(), 6U);
  for (std::size_t i = 0; i < back.size(); ++i)
    EXPECT_EQ(back[i].real.memory, memorable_events()[i].real.memory) << i;
  const StudyReader reader(folder.path());
  EXPECT_EQ(reader.trial(0)->memory, 5'000'000'000U);
  EXPECT_EQ(reader.trial(1)->memory, 7U);
  EXPECT_EQ(reader.events(1).size(), 2U);
  // A session that changes the row again keeps it.
  write_events(folder.path(), {{.trial = 1, .body = Reopened{Cause::killed}}});
  EXPECT_EQ(StudyReader(folder.path()).trial(1)->memory, 7U);
}

TEST(EventRows, MemoryIsChecked) {
  for (const char* change :
       {"UPDATE log SET memory = 3 WHERE seq = 2", "UPDATE log SET memory = NULL WHERE seq = 3",
        "UPDATE log SET memory = 5 WHERE seq = 4"}) {
    support::TempFolder folder;
    write_events(folder.path(), memorable_events());
    sql::Database(folder / kStudyDb, sql::Access::create).exec(change);
    EXPECT_THROW((void)sample::replayed(folder.path()), base::Error) << change;
  }
  support::TempFolder folder;
  write_events(folder.path(), memorable_events());
  sql::Database(folder / kStudyDb, sql::Access::create).exec("UPDATE trials SET memory = 3");
  EXPECT_THROW((void)StudyReader(folder.path()).trial(0), base::Error);
}

/// Reports of a training whose replicas handed in gradients as they came.
std::vector<Event> asynchronous_reports() {
  std::vector<Event> events{sample::created(0, 0.1), sample::reported(0, 1, 0.5),
                            sample::reported(0, 2, 0.6)};
  std::get<Reported>(events[1].body).updates = {
      {.replica = 0, .version = 0}, {.replica = 65535, .version = 4294967295}, {}};
  return events;
}

std::vector<ReplicaUpdate> updates_in(const Event& event) {
  return std::get<Reported>(event.body).updates;
}

TEST(EventRows, UpdatesOfReplicasComeBackInOrder) {
  support::TempFolder folder;
  write_events(folder.path(), {sample::created(0, 0.1)});
  std::vector<Event> events = asynchronous_reports();
  events.erase(events.begin());
  events[1].real.memory = 5;  // both added columns, the second one first
  write_events(folder.path(), events);
  const std::vector<Event> back = sample::replayed(folder.path());
  ASSERT_EQ(back.size(), 3U);
  EXPECT_EQ(updates_in(back[1]), updates_in(asynchronous_reports()[1]));
  EXPECT_TRUE(updates_in(back[2]).empty());
  EXPECT_EQ(back[2].real.memory, 5U);
  EXPECT_EQ(StudyReader(folder.path()).events(0)[1].payload(), payload_of(back[1].body))
      << "people are not shown thousands of numbers";
}

TEST(EventRows, UpdatesOfReplicasAreChecked) {
  for (const char* change : {"UPDATE log SET updates = x'000000000000' WHERE seq = 2",
                             "UPDATE log SET updates = substr(updates, 1, 5) WHERE seq = 2",
                             "UPDATE log SET updates = NULL WHERE seq = 2",
                             "UPDATE log SET updates = x'000000000000' WHERE seq = 3"}) {
    support::TempFolder folder;
    write_events(folder.path(), asynchronous_reports());
    sql::Database(folder / kStudyDb, sql::Access::create).exec(change);
    EXPECT_THROW((void)sample::replayed(folder.path()), base::Error) << change;
  }
}

/// What a file has that was written before `reopened` was a kind: its view has no word for it.
void forget_new_kinds(const base::Path& folder) {
  sql::Database db(folder / kStudyDb, sql::Access::create);
  std::string view = db.query_text("SELECT sql FROM sqlite_schema WHERE name = 'events'");
  const std::string word = " WHEN 12 THEN 'reopened'";
  const std::size_t at = view.find(word);
  ASSERT_NE(at, std::string::npos);
  db.exec("DROP VIEW events");
  db.exec(view.erase(at, word.size()).c_str());
}

TEST(EventRows, AFileThatIsOlderThanAKindTakesIt) {
  support::TempFolder folder;
  write_events(folder.path(), {sample::created(0, 0.1), sample::reported(0, 1, 0.5),
                               sample::ended(0, TrialState::failed, Cause::lost)});
  forget_new_kinds(folder.path());
  EXPECT_EQ(StudyReader(folder.path()).events().size(), 3U);
  write_events(folder.path(), {{.trial = 0, .body = Reopened{Cause::lost}},
                               {.trial = 0, .body = Resumed{}},
                               sample::reported(0, 2, 0.7),
                               sample::ended(0, TrialState::complete)});
  const TrialRow row = StudyReader(folder.path()).trial(0).value();
  EXPECT_EQ(row.state, TrialState::complete);
  EXPECT_EQ(row.step, 2);
  EXPECT_EQ(sample::replayed(folder.path()).size(), 7U);
  sql::Database db(folder / kStudyDb, sql::Access::read);
  EXPECT_EQ(db.query_text("SELECT payload FROM events WHERE kind = 'reopened'"),
            R"({"cause": "lost"})");
  EXPECT_EQ(format_of(db), kFormat);
}

/// The same study as the format of before had it.
void write_format_1(const base::Path& folder, const std::vector<Event>& events) {
  write_events(folder, events);  // for the tables that stayed the same
  sql::Database db(folder / kStudyDb, sql::Access::create);
  sql::Transaction transaction(db);
  for (const char* text :
       {"DROP VIEW events", "DROP VIEW reports", "DROP TABLE log", "DROP TABLE metrics",
        "DELETE FROM study WHERE key = 'origin'", "PRAGMA user_version=1",
        "CREATE TABLE events(seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, vtime REAL NOT NULL, "
        "trial INTEGER, kind TEXT NOT NULL, payload TEXT NOT NULL, took REAL NOT NULL, wall TEXT "
        "NOT NULL, sum INTEGER NOT NULL) STRICT",
        "CREATE VIEW reports AS SELECT seq, trial, vtime, json_extract(payload, '$.step') AS step, "
        "json_extract(payload, '$.value') AS value, json_extract(payload, '$.metrics') AS metrics, "
        "json_extract(payload, '$.word') AS word, wall FROM events WHERE kind = 'reported'"})
    db.exec(text);
  sql::Statement insert(db, "INSERT INTO events VALUES(?, 1, ?, ?, ?, ?, ?, ?, ?)");
  std::int64_t seq = 0, sum = 0;
  for (const Event& e : events) {
    const std::string payload = payload_of(e.body);
    sum = event_sum(sum, ++seq, e, kind_of(e.body), payload);
    insert.bind(0, seq).bind(1, e.vtime).bind(2, static_cast<std::int64_t>(e.trial.value()));
    insert.bind(3, kind_of(e.body)).bind(4, payload).bind(5, e.real.took);
    insert.bind(6, std::string_view("2026-11-20T08:00:00Z")).bind(7, sum).run();
  }
  transaction.commit();
}

TEST(EventRows, AStudyOfTheFormatBeforeIsReadAndGoesOn) {
  support::TempFolder folder;
  std::vector<Event> events = odd_reports();
  events.pop_back();
  write_format_1(folder.path(), events);
  const auto payloads = [](const std::vector<EventRow>& rows) {
    std::vector<std::string> texts;
    for (const EventRow& row : rows)
      texts.push_back(base::cat(row.seq, row.epoch, row.kind, row.payload(), row.wall));
    return texts;
  };
  const auto before = payloads(StudyReader(folder.path()).events());
  EXPECT_EQ(before.size(), events.size());
  EXPECT_EQ(payloads(StudyReader(folder.path()).events(0)), before);
  const StudyReader looked(folder.path());
  EXPECT_EQ(looked.reports().size(), events.size() - 1) << "all but the creation";
  EXPECT_EQ(looked.reports().step.front(), 1);
  EXPECT_TRUE(std::isnan(looked.reports().value[4]));
  EXPECT_EQ(looked.spans().size(), 1U);
  EXPECT_TRUE(looked.turns().empty());
  EXPECT_TRUE(EventLog(folder.path()).facts()) << "who looks and goes changes nothing";
  {
    sql::Database db(folder / kStudyDb, sql::Access::read);
    EXPECT_EQ(format_of(db), 1);
  }
  {
    auto log = sample::open(folder.path());
    EXPECT_EQ(log->trials().row(0).step, 13);
    log->append(sample::ended(0, TrialState::complete));
    log->commit();
  }
  sql::Database db(folder / kStudyDb, sql::Access::read);
  EXPECT_EQ(format_of(db), kFormat);
  auto after = payloads(StudyReader(folder.path()).events());
  ASSERT_EQ(after.size(), events.size() + 1);
  after.pop_back();
  EXPECT_EQ(after, before);
  EXPECT_EQ(sample::replayed(folder.path()).size(), events.size() + 1);
}

TEST(EventRows, ADamagedStudyOfTheFormatBeforeStaysAsItIs) {
  support::TempFolder folder;
  write_format_1(folder.path(), odd_reports());
  {
    sql::Database db(folder / kStudyDb, sql::Access::create);
    db.exec("UPDATE events SET vtime = 5 WHERE seq = 7");
  }
  for (int i = 0; i < 2; ++i) {
    try {
      (void)sample::replayed(folder.path());
      ADD_FAILURE() << "a damaged event was taken over";
    } catch (const base::Error& error) {
      EXPECT_NE(std::string(error.what()).find("event 7 does not match"), std::string::npos)
          << error.what();
    }
  }
  sql::Database db(folder / kStudyDb, sql::Access::read);
  EXPECT_EQ(format_of(db), 1);
}

TEST(EventRows, AReportOfSixMetricsTakesAHundredAndThirtyBytes) {
  support::TempFolder folder;
  constexpr int kReports = 20'000;
  {
    auto log = sample::open(folder.path());
    for (std::uint64_t trial = 0; trial < 8; ++trial) log->append(sample::created(trial, 0.1));
    for (int i = 0; i < kReports; ++i) {
      const double x = std::sqrt(i);
      Event event = report(static_cast<std::uint64_t>(i % 8), i / 8 + 1, x,
                           {{"valid.accuracy", x},
                            {"b", x / 3},
                            {"c", x / 7},
                            {"d", x / 11},
                            {"e", x / 13},
                            {"f", x / 17}});
      event.vtime = 1000.0 * i;
      auto& body = std::get<Reported>(event.body);
      body.flops = 100.0 * i;
      body.checkpoint = base::hash_bytes(std::as_bytes(std::span(&x, 1))).hex();
      log->append(std::move(event));
      if (i % 500 == 499) log->commit();
    }
    log->commit();
  }
  const auto bytes = base::file_size(folder / kStudyDb).value();
  EXPECT_LT(static_cast<double>(bytes) / kReports, 130);
}

}  // namespace
}  // namespace hpo
