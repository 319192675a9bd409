#pragma once
// What a journal file of Optuna says, operation by operation, as Optuna itself takes it
// (JournalStorageReplayResult of optuna/storages/journal/_storage.py).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hpo {

/// A param as Optuna keeps it: a number, which of a category is its place.
struct JournalParam {
  double internal = 0;
  std::string distribution;  ///< JSON
};

struct JournalTrial {
  std::size_t study = 0;       ///< id
  std::int64_t state = 0;      ///< running 0, complete 1, pruned 2, failed 3, waiting 4
  std::vector<double> values;  ///< of the objectives; empty: none
  std::map<std::string, JournalParam> params;
  std::map<std::int64_t, double> reports;  ///< by step

  [[nodiscard]] bool ended() const { return state >= 1 && state <= 3; }
};

struct JournalStudy {
  std::string name;
  std::vector<std::int64_t> directions;
  std::vector<std::string> metrics;  ///< what the objectives are called, where somebody said it
};

struct OptunaJournal {
  std::map<std::size_t, JournalStudy> studies;  ///< by id, without those that were deleted
  std::vector<JournalTrial> trials;             ///< by id, of all studies
};

/// `file` is the name in messages. Throws rt::Error (data) for a line that is no operation.
[[nodiscard]] OptunaJournal read_optuna_journal(const std::string& text, const std::string& file);

}  // namespace hpo
