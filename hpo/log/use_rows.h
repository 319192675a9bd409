#pragma once
// Sessions' use of devices to and from rows of the table `device_use`, which is made when it is
// first needed.

#include <cstdint>
#include <vector>

#include "hpo/log/session_use.h"
#include "hpo/log/sqlite.h"

namespace hpo {

/// Puts a session's rows in the place of those that it had, in the transaction that is open.
/// `origin`: the moment from which rows count time.
void write_use(sql::Database& db, const SessionUse& use, std::int64_t origin);

/// All sessions in order. Throws base::Error (storage) naming one that is damaged.
[[nodiscard]] std::vector<SessionUse> read_use(sql::Database& db, std::int64_t origin);

/// Forgets all of them, in the transaction that is open.
void forget_use(sql::Database& db);

}  // namespace hpo
