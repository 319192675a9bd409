#pragma once
// SQLite databases of Optuna 3 to 5 (RDBStorage; the tables of optuna/storages/_rdb/models.py).

#include <string>

#include "base/file.h"
#include "hpo/import/optuna_storage.h"

namespace hpo {

/// All studies of the database, and the trials of those called `name` (empty: of all). Only reads,
/// beside whoever writes. `file` is the name in messages. Throws base::Error: storage where the
/// file system or SQLite refuses, data for tables that are not Optuna's, or not those of Optuna 3
/// to 5.
[[nodiscard]] OptunaStorage read_optuna_database(const base::Path& path, const std::string& file,
                                                 const std::string& name);

}  // namespace hpo
