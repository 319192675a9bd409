#include "hpo/log/use_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"
#include "hpo/log/records.h"

namespace hpo {

namespace {

// A row is what one worker did in one session. `began` is microseconds after the study's origin,
// `states` words with commas between them, `shares` a byte for each state of each bucket. Not in
// `study`, all of which read verbs look through for any fact.
constexpr const char* kUseTable = R"(
CREATE TABLE IF NOT EXISTS device_use(
  epoch INTEGER NOT NULL, worker INTEGER NOT NULL, name TEXT NOT NULL, gpu INTEGER,
  began INTEGER NOT NULL, width REAL NOT NULL, seconds REAL NOT NULL, states TEXT NOT NULL,
  shares BLOB NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY(epoch, worker)) STRICT;
)";

constexpr double kAll = 255;  // of a bucket's time, as a byte

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string bytes_of_shares(const std::vector<double>& shares) {
  std::string bytes;
  for (const double share : shares)
    bytes.push_back(static_cast<char>(std::lround(kAll * std::clamp(share, 0.0, 1.0))));
  return bytes;
}

std::vector<double> shares_of(std::string_view bytes) {
  std::vector<double> shares;
  for (const char byte : bytes) shares.push_back(static_cast<unsigned char>(byte) / kAll);
  return shares;
}

std::int64_t use_sum(const SessionUse& session, std::int64_t worker, const WorkerUse& use,
                     std::string_view states, std::string_view bytes) {
  base::Hasher h;
  h.add(session.epoch).add(session.began).add(session.width).add(session.seconds).add(states);
  h.add(worker).add(use.name).add(use.gpu).add(bytes);
  return static_cast<std::int64_t>(h.finish().lo);
}

bool has_table(sql::Database& db) {
  return db.query_integer("SELECT count(*) FROM sqlite_schema WHERE name = 'device_use'") > 0;
}

}  // namespace

void write_use(sql::Database& db, const SessionUse& use, std::int64_t origin) {
  db.exec(kUseTable);
  sql::Statement forget(db, "DELETE FROM device_use WHERE epoch = ?");
  forget.bind(0, use.epoch).run();
  sql::Statement insert(
      db,
      "INSERT INTO device_use(epoch, worker, name, gpu, began, width, seconds, states, shares, "
      "sum) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const std::string states = joined(use.states);
  std::int64_t number = 0;
  for (const WorkerUse& worker : use.workers) {
    const std::string bytes = bytes_of_shares(worker.shares);
    std::optional<std::int64_t> gpu;
    if (worker.gpu >= 0) gpu = worker.gpu;
    insert.bind(0, use.epoch).bind(1, number).bind(2, worker.name).bind(3, gpu);
    insert.bind(4, use.began - origin).bind(5, use.width).bind(6, use.seconds).bind(7, states);
    insert.bind_blob(8, bytes);
    insert.bind(9, use_sum(use, number, worker, states, bytes)).run();
    ++number;
  }
}

std::vector<SessionUse> read_use(sql::Database& db, std::int64_t origin) {
  std::vector<SessionUse> sessions;
  if (!has_table(db)) return sessions;
  sql::Statement query(db,
                       "SELECT epoch, worker, name, gpu, began, width, seconds, states, shares, "
                       "sum FROM device_use ORDER BY epoch, worker");
  while (query.step()) {
    const std::int64_t epoch = query.integer(0);
    if (sessions.empty() || sessions.back().epoch != epoch)
      sessions.push_back({.epoch = epoch,
                          .began = query.integer(4) + origin,
                          .width = query.number(5),
                          .seconds = query.number(6),
                          .states = words_of(query.view(7)),
                          .workers = {}});
    SessionUse& session = sessions.back();
    WorkerUse& worker = session.workers.emplace_back();
    worker.name = query.text(2);
    if (!query.is_null(3)) worker.gpu = query.integer(3);
    const std::string bytes(query.view(8));
    worker.shares = shares_of(bytes);
    const auto number = static_cast<std::int64_t>(session.workers.size() - 1);
    if (query.integer(9) != use_sum(session, number, worker, query.view(7), bytes) ||
        session.states.empty() || bytes.size() % session.states.size() != 0)
      throw damaged(db.path(), base::cat("the use of devices in session ", epoch));
  }
  return sessions;
}

void forget_use(sql::Database& db) { db.exec("DROP TABLE IF EXISTS device_use"); }

}  // namespace hpo
