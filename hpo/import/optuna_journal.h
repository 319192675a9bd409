#pragma once
// Journal files of Optuna (JournalFileBackend of Optuna 4 and 5), operation by operation, as Optuna
// itself takes them (JournalStorageReplayResult of optuna/storages/journal/_storage.py).

#include <string>

#include "hpo/import/optuna_storage.h"

namespace hpo {

/// `file` is the name in messages. Throws base::Error (data) for a line that is no operation.
[[nodiscard]] OptunaStorage read_optuna_journal(const std::string& text, const std::string& file);

}  // namespace hpo
