#pragma once
// SQLite's C interface behind two small owners, for hpo/log, and for hpo/import, which reads
// databases of other tools.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace hpo::sql {

class Database;

/// A prepared statement. Parameters and columns count from 0. Text given to `bind` must live until
/// `reset` or `run`. It must end before its database does.
class Statement {
 public:
  Statement() = default;
  Statement(Database& db, std::string_view sql);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;

  Statement& bind(int index, std::int64_t x);
  Statement& bind(int index, double x);  ///< NaN is bound as the text 'nan': SQL would make it NULL
  Statement& bind(int index, std::string_view text);
  Statement& bind_blob(int index, std::string_view bytes);
  Statement& bind_null(int index);
  template <class T>
  Statement& bind(int index, const std::optional<T>& maybe) {
    return maybe ? bind(index, *maybe) : bind_null(index);
  }

  /// Next row; false at the end, and then the statement is ready for the next use.
  bool step();
  /// Runs a statement without rows.
  void run();
  void reset();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] bool is_integer(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double number(int column) const;  ///< the text 'nan' gives NaN, '-0' that zero
  [[nodiscard]] std::string text(int column) const;
  /// Valid until the next step.
  [[nodiscard]] std::string_view view(int column) const;

 private:
  Database* db_ = nullptr;
  sqlite3_stmt* handle_ = nullptr;
};

enum class Access : std::uint8_t {
  create,     ///< read and write, made if missing
  read,       ///< read only, beside a writer
  immutable,  ///< read only, from a folder where nothing can be written and nobody writes
};

/// What keeps two connections from each other.
enum class Locks : std::uint8_t {
  of_files,  ///< those of the file system
  none,      ///< nothing: the file system has no locks, and somebody else sees to one writer
};

/// What a file that is damaged, or something else, should have been, and what helps then. Both live
/// as long as the connection.
struct Wanted {
  std::string_view what = "a study";
  std::string_view remedy =
      "bring it back from a copy, or choose another folder with --dir or --name";
};

/// One connection, for one thread. Every refusal is an base::Error (storage) that names the file
/// and the remedy.
class Database {
 public:
  Database(const base::Path& path, Access access, Wanted wanted = {},
           Locks locks = Locks::of_files);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements that give no rows.
  void exec(const char* sql);
  /// The first column of the first row of a query.
  [[nodiscard]] std::int64_t query_integer(const char* sql);
  [[nodiscard]] std::string query_text(const char* sql);
  /// Whether a table has a column. A missing table has none.
  [[nodiscard]] bool has_column(std::string_view table, std::string_view column);

  /// From now on texts and rows of more bytes are an error.
  void limit_length(int bytes);

  [[nodiscard]] const base::Path& path() const { return path_; }
  [[nodiscard]] sqlite3* handle() const { return handle_; }

  /// The error for SQLite's result code `code`, by what the file system said where it said
  /// something.
  [[nodiscard]] base::Error error(std::string_view operation, int code) const;

 private:
  friend class Statement;

  [[nodiscard]] sqlite3_stmt* prepare(std::string_view sql);
  void take_back(sqlite3_stmt* statement);

  base::Path path_;
  Wanted wanted_;
  sqlite3* handle_ = nullptr;
  std::vector<sqlite3_stmt*> idle_;  ///< those used last at the end
};

/// Whatever is read inside is of one state of the file. One inside of another is part of it.
class Snapshot {
 public:
  explicit Snapshot(Database& db);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Database& db_;
  bool is_outer_;
};

/// What happens inside is one transaction: all of it on disk after `commit`, nothing of it
/// otherwise.
class Transaction {
 public:
  explicit Transaction(Database& db);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& db_;
  bool open_ = true;
};

}  // namespace hpo::sql
