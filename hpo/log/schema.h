#pragma once
// The tables of study.db, and opening it in the way its file system allows.

#include "hpo/log/sqlite.h"

namespace hpo {

/// "Trel": marks the file as ours for `file` and for us.
inline constexpr std::int64_t kApplicationId = 0x5472656C;
/// Version of the tables; a newer program may raise it, an older one then refuses.
inline constexpr std::int64_t kFormat = 2;
inline constexpr const char* kStudyDb = "study.db";

/// True for network and cluster file systems, where SQLite's shared-memory WAL does not work.
[[nodiscard]] bool is_network_folder(const base::Path& folder);

/// Sets how a writer's transactions reach the disk: WAL, or a rollback journal on a network file
/// system and without locks; always synced at commit.
void set_durability(sql::Database& db, sql::Locks locks = sql::Locks::of_files);

/// True when the tables are there. Throws base::Error (storage) when the file is something else or
/// of a newer format.
[[nodiscard]] bool has_tables(sql::Database& db);

/// The version of the tables that are there.
[[nodiscard]] std::int64_t format_of(sql::Database& db);

/// Creates the tables, in the transaction that is open.
void create_tables(sql::Database& db);

/// Marks the file as of today's format, in the transaction that is open.
void set_format(sql::Database& db);

}  // namespace hpo
