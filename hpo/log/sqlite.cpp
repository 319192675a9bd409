#include "hpo/log/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"

namespace hpo::sql {

namespace {

/// How long a statement waits for another connection's lock: only a rollback journal makes anyone
/// wait.
constexpr int kBusyMilliseconds = 10'000;
/// Preparing takes longer than most statements do, and whoever follows a study asks the same again
/// and again.
constexpr std::size_t kKeptStatements = 32;

/// What the operating system would have said; 0 when the trouble is SQLite's own.
int errno_of(int code, sqlite3* handle) {
  if ((code & 0xff) == SQLITE_FULL) return ENOSPC;
  if ((code & 0xff) == SQLITE_READONLY) return EROFS;
  int system = handle ? sqlite3_system_errno(handle) : 0;
  if ((code & 0xff) == SQLITE_IOERR) return system ? system : EIO;
  if ((code & 0xff) == SQLITE_CANTOPEN) return system ? system : EACCES;
  return 0;
}

/// With its folder's links followed: then SQLITE_OPEN_NOFOLLOW is about the file alone.
base::Path in_real_folder(const base::Path& path) {
  const base::Path absolute = std::filesystem::absolute(path);
  std::error_code none;
  const base::Path folder = std::filesystem::canonical(absolute.parent_path(), none);
  return none ? absolute : folder / absolute.filename();
}

/// A path as a "file:" URI; only what a URI would read otherwise is escaped.
std::string uri_of(const base::Path& path, std::string_view query) {
  std::string uri = "file:";
  for (char c : path.string()) {
    if (c == '%' || c == '?' || c == '#') {
      static constexpr char kHex[] = "0123456789ABCDEF";
      uri += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[c & 15]};
    } else {
      uri += c;
    }
  }
  return uri.append(query);
}

}  // namespace

Database::Database(const base::Path& path, Access access, Wanted wanted, Locks locks)
    : path_(path), wanted_(wanted) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW;
  flags |=
      access == Access::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  std::string uri = uri_of(in_real_folder(path), access == Access::immutable ? "?immutable=1" : "");
  const char* const system = locks == Locks::none ? "unix-none" : nullptr;
  if (int code = sqlite3_open_v2(uri.c_str(), &handle_, flags, system); code != SQLITE_OK) {
    base::Error failure = error("open", handle_ ? sqlite3_extended_errcode(handle_) : code);
    sqlite3_close(handle_);
    throw failure;
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
}

Database::~Database() {
  std::ranges::for_each(idle_, sqlite3_finalize);
  sqlite3_close(handle_);
}

sqlite3_stmt* Database::prepare(std::string_view sql) {
  const auto kept =
      std::ranges::find_if(idle_, [&](sqlite3_stmt* one) { return sql == sqlite3_sql(one); });
  if (kept != idle_.end()) {
    sqlite3_stmt* const statement = *kept;
    idle_.erase(kept);
    return statement;
  }
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) throw error("read", code);
  return statement;
}

void Database::take_back(sqlite3_stmt* statement) {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  if (idle_.size() == kKeptStatements) {
    sqlite3_finalize(idle_.front());
    idle_.erase(idle_.begin());
  }
  idle_.push_back(statement);
}

base::Error Database::error(std::string_view operation, int code) const {
  int primary = code & 0xff;
  if (code == SQLITE_CANTOPEN_SYMLINK) return base::storage_error(operation, path_, ELOOP);
  if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB) {
    return {base::Errc::storage, base::cat(path_.string(), " is damaged or not ", wanted_.what,
                                           " (", sqlite3_errmsg(handle_), "): ", wanted_.remedy)};
  }
  if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) {
    return {base::Errc::storage,
            base::cat("cannot ", operation, " ", path_.string(),
                      ": another program holds its lock; try again when it has ended")};
  }
  if (int system = errno_of(code, handle_)) return base::storage_error(operation, path_, system);
  return {base::Errc::storage, base::cat("cannot ", operation, " ", path_.string(), ": ",
                                         handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code))};
}

void Database::exec(const char* sql) {
  if (int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK)
    throw error("write", code);
}

void Database::limit_length(int bytes) { sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, bytes); }

std::int64_t Database::query_integer(const char* sql) {
  Statement query(*this, sql);
  return query.step() ? query.integer(0) : 0;
}

std::string Database::query_text(const char* sql) {
  Statement query(*this, sql);
  return query.step() ? query.text(0) : "";
}

Statement::Statement(Database& db, std::string_view sql) : db_(&db), handle_(db.prepare(sql)) {}

Statement::~Statement() {
  if (handle_ != nullptr) db_->take_back(handle_);
}

Statement::Statement(Statement&& other) noexcept
    : db_(other.db_), handle_(std::exchange(other.handle_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(db_, other.db_);
  std::swap(handle_, other.handle_);
  return *this;
}

Statement& Statement::bind(int index, std::int64_t x) {
  sqlite3_bind_int64(handle_, index + 1, x);
  return *this;
}

Statement& Statement::bind(int index, double x) {
  if (std::isnan(x)) return bind(index, std::string_view("nan"));
  sqlite3_bind_double(handle_, index + 1, x);
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  // A null pointer would mean NULL, and an empty view may have one.
  const char* data = text.data() ? text.data() : "";
  sqlite3_bind_text(handle_, index + 1, data, static_cast<int>(text.size()), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind_blob(int index, std::string_view bytes) {
  sqlite3_bind_blob(handle_, index + 1, bytes.data(), static_cast<int>(bytes.size()),
                    SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind_null(int index) {
  sqlite3_bind_null(handle_, index + 1);
  return *this;
}

bool Statement::step() {
  int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(handle_);
  if (code == SQLITE_DONE) return false;
  throw db_->error(sqlite3_stmt_readonly(handle_) ? "read" : "write", code);
}

void Statement::run() {
  while (step()) {
  }
}

void Statement::reset() { sqlite3_reset(handle_); }

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}
bool Statement::is_integer(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_INTEGER;
}
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::number(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_TEXT)
    return view(column) == "-0" ? -0.0 : std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(handle_, column);
}

std::string_view Statement::view(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return data ? std::string_view(data,
                                 static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)))
              : std::string_view();
}

std::string Statement::text(int column) const { return std::string(view(column)); }

bool Database::has_column(std::string_view table, std::string_view column) {
  Statement query(*this, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  return query.bind(0, table).bind(1, column).step();
}

Snapshot::Snapshot(Database& db) : db_(db), is_outer_(sqlite3_get_autocommit(db.handle()) != 0) {
  if (is_outer_) db_.exec("BEGIN");
}

Snapshot::~Snapshot() {
  if (is_outer_) sqlite3_exec(db_.handle(), "COMMIT", nullptr, nullptr, nullptr);
}

Transaction::Transaction(Database& db) : db_(db) { db_.exec("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
  // After some failures SQLite has rolled back by itself, and a second time is a harmless error.
  if (open_) sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  db_.exec("COMMIT");
  open_ = false;
}

}  // namespace hpo::sql
