#pragma once
// Tables that were read a moment ago. The folds of a study and its settled form are the same table,
// split another way: it need not be read again for each.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/hash.h"
#include "nn/data/data_spec.h"
#include "nn/data/dataset.h"
#include "nn/data/target.h"

namespace nn {

/// The values that a split goes by, one for each row. At most one of the two is not empty.
struct SplitColumn {
  std::vector<std::uint32_t> groups;
  std::vector<double> times;
};

/// Names a table and how it is read, whatever its folds and its validation part.
struct TableName {
  base::Key content;
  std::vector<std::string> paths;  ///< for messages
  DataSpec spec;

  /// `spec` may be that of any fold.
  TableName(base::Key of, std::vector<std::string> files, DataSpec how);
  friend bool operator==(const TableName&, const TableName&) = default;
};

/// A table before its rows are split and before anything is fitted to a part of them.
struct ReadTable {
  Dataset::Header header;  ///< notes included that hold for every split; no doubts
  TargetValues target;
  SplitColumn by;
  std::size_t test_rows = 0;  ///< the last rows, which are a file of their own
  /// The inputs; a missing number is NaN. Empty until the table is kept.
  std::variant<std::vector<std::uint8_t>, std::vector<float>> x = {};
  /// The doubts about the split with this test part.
  std::optional<std::vector<std::string>> doubts = {};
  std::vector<std::uint32_t> test = {};
};

/// Bytes of inputs up to which a table is kept.
inline constexpr std::size_t kMostKept = std::size_t{256} << 20;

/// While one of these lives, the last table that was read is kept in memory. It changes no result.
/// Thread-safe.
class KeptTables {
 public:
  KeptTables();
  ~KeptTables();
  KeptTables(const KeptTables&) = delete;
  KeptTables& operator=(const KeptTables&) = delete;
};

/// Returns the table of that name if it is kept, else null. A table whose task was guessed is the
/// one whose task is that, but for the note about the guess.
[[nodiscard]] std::shared_ptr<const ReadTable> kept_table(const TableName& name);

/// Returns true if a table with `bytes` of inputs would be kept.
[[nodiscard]] bool keeps_tables(std::size_t bytes);

/// Keeps `table` in place of the one before, if tables are kept at all.
void keep_table(TableName name, ReadTable table);

}  // namespace nn
