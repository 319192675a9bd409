#pragma once
// SQLite databases of Optuna 3 to 5 (RDBStorage; the tables of optuna/storages/_rdb/models.py).

#include <string>

#include "hpo/import/optuna_storage.h"
#include "runtime/base/file.h"

namespace hpo {

/// All studies of the database, and the trials of those called `name` (empty: of all). Only reads,
/// beside whoever writes. `file` is the name in messages. Throws rt::Error: storage where the file
/// system or SQLite refuses, data for tables that are not Optuna's, or not those of Optuna 3 to 5.
[[nodiscard]] OptunaStorage read_optuna_database(const rt::Path& path, const std::string& file,
                                                 const std::string& name);

}  // namespace hpo
