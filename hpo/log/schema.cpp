#include "hpo/log/schema.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "hpo/log/event_rows.h"

namespace hpo {

namespace {

// log (event_rows.h) is the study; the other tables are computed from it in the same transactions,
// so that read verbs need no replay. `sum` is a checksum of the row. `value` is ANY because REAL
// cannot hold NaN (it is the text 'nan'); `loss` is set for trials that may be best: failed ones
// never are.
constexpr const char* kTables = R"(
CREATE TABLE trials(
  trial INTEGER PRIMARY KEY, state TEXT NOT NULL, cause TEXT NOT NULL, message TEXT NOT NULL,
  value ANY, loss REAL, params TEXT NOT NULL, metrics TEXT NOT NULL, step INTEGER NOT NULL,
  epochs INTEGER NOT NULL, attempts INTEGER NOT NULL, seconds REAL NOT NULL, parent INTEGER,
  train_flops REAL NOT NULL, inference_flops REAL NOT NULL, sum INTEGER NOT NULL) STRICT;
CREATE INDEX trials_by_loss ON trials(state, loss, trial);
CREATE TABLE study(
  key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE holder(
  id INTEGER PRIMARY KEY CHECK(id = 0), epoch INTEGER NOT NULL, host TEXT NOT NULL,
  boot TEXT NOT NULL, pid INTEGER NOT NULL, started INTEGER NOT NULL, since TEXT NOT NULL,
  address TEXT NOT NULL DEFAULT '') STRICT;
)";

/// f_type of the file systems that serve a folder over a network or to a cluster.
constexpr std::array<std::uint32_t, 14> kNetworkFileSystems{
    0x6969,      // NFS
    0x517B,      // SMB
    0xFF534D42,  // CIFS
    0xFE534D42,  // SMB2
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS
    0x19830326,  // BeeGFS
    0x00C36400,  // Ceph
    0x01021997,  // 9P
    0x5346414F,  // AFS
    0x73757245,  // Coda
    0xAAD7AAEA,  // PanFS
    0x7461636F,  // OCFS2
    0x65735546,  // FUSE: sshfs and most cluster clients
};

}  // namespace

bool is_network_folder(const base::Path& folder) {
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) return false;
  return std::ranges::find(kNetworkFileSystems, static_cast<std::uint32_t>(info.f_type)) !=
         kNetworkFileSystems.end();
}

void set_durability(sql::Database& db, sql::Locks locks) {
  const bool unlocked = locks == sql::Locks::none;
  // Who is alone may read a write-ahead log without shared memory, to do away with it.
  if (unlocked) (void)db.query_text("PRAGMA locking_mode=EXCLUSIVE");
  const bool plain = unlocked || is_network_folder(db.path().parent_path());
  std::string mode =
      db.query_text(plain ? "PRAGMA journal_mode=DELETE" : "PRAGMA journal_mode=WAL");
  if (unlocked) (void)db.query_text("PRAGMA locking_mode=NORMAL");
  // Where shared memory is refused SQLite keeps the rollback journal by itself, which is as safe.
  db.exec(mode == "wal" ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=EXTRA");
}

bool has_tables(sql::Database& db) {
  std::int64_t application = db.query_integer("PRAGMA application_id");
  std::int64_t format = format_of(db);
  if (application == 0 && format == 0 &&
      db.query_integer("SELECT count(*) FROM sqlite_schema") == 0)
    return false;
  if (application != kApplicationId) {
    throw base::Error(base::Errc::storage,
                      base::cat(db.path().string(),
                                " is a database of another program: choose another "
                                "folder with --dir or --name"));
  }
  if (format > kFormat) {
    throw base::Error(base::Errc::storage,
                      base::cat(db.path().string(), " has format ", format, ", this program knows ",
                                kFormat, ": use the newer Trellis that wrote it"));
  }
  return true;
}

std::int64_t format_of(sql::Database& db) { return db.query_integer("PRAGMA user_version"); }

void create_tables(sql::Database& db) {
  db.exec(kTables);
  create_event_tables(db);
  db.exec(base::cat("PRAGMA application_id=", kApplicationId).c_str());
  set_format(db);
}

void set_format(sql::Database& db) { db.exec(base::cat("PRAGMA user_version=", kFormat).c_str()); }

}  // namespace hpo
