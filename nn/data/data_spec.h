#pragma once
// What a study file says about its data, as a plain value: which file, which column is the target,
// how the rows are split and scaled. Encodable; every member but `path` and `more` is part of a
// data set's identity.

#include <cstdint>
#include <string>
#include <vector>

namespace nn {

///   csv          a table, and perhaps a second one that is the test part
///   idx          a folder with the four files of an MNIST-style data set
///   npy          NumPy arrays x [rows, ...] and y [rows] in two files
///   safetensors  one file with the tensors x and y, and perhaps x_test and y_test: the test part
enum class DataKind : std::uint8_t { csv, idx, npy, safetensors };

/// What is learnt: one of several classes, or a number. `guess` is settled by the loader, which
/// says so in Dataset::Header::notes: text is classes; whole numbers are classes when they take at
/// most 20 values with two rows each on average, or at most 100 values with at least 50 rows each;
/// anything else is a number.
enum class LearningTask : std::uint8_t { guess, classification, regression };

/// Most lines that are left out of a table in one place.
inline constexpr std::int64_t kMostSkipped = 10'000;

/// Lines of a table's file that are no rows of the table.
struct SkipSpec {
  std::int64_t lines = 0;         ///< at the beginning of the file, above the header
  std::string comment = {};       ///< what a line of comments begins with; empty: there are none
  std::int64_t after_header = 0;  ///< records below the header: units, a second header
  std::int64_t footer = 0;        ///< at the end of the file; empty ones behind them do not count

  [[nodiscard]] bool none() const { return *this == SkipSpec(); }
  friend bool operator==(const SkipSpec&, const SkipSpec&) = default;
};

/// Whether the first line of a CSV file names the columns.
enum class HeaderRow : std::uint8_t { guess, yes, no };

/// How feature columns are scaled before a network sees them; fitted on the training part only.
///   standard  (x - mean) / standard deviation (of the population)
///   minmax    (x - min) / (max - min)
///   unit      x / 255, for bytes
///   none      x
/// A column that is constant in the training part becomes 0 everywhere under `standard` and
/// `minmax`: it taught nothing, so a value first met in the test part must not reach the network
/// unscaled. One-hot columns stay 0 and 1.
enum class Scale : std::uint8_t { standard, minmax, unit, none };

/// Which rows are kept out of training (split.h says how they are dealt out). The seed is the
/// split's own: it never follows the study's seed, so that studies with different seeds are scored
/// on the same rows.
struct SplitSpec {
  double valid = 0.2;      ///< of the rows; for `idx`, of the training files' rows
  double test = 0.2;       ///< of the rows; not used for `idx`, whose t10k pair is the test part
  std::uint64_t seed = 0;  ///< of the shuffle that deals out the rows
  std::string group;       ///< column whose equal values stay in one part; empty: none
  std::string time;        ///< column whose order decides: later rows are never trained on
  std::int32_t folds = 0;  ///< for cross-validation: valid is one of so many folds; 0: a share
  std::int32_t fold = 0;   ///< which one, from 0

  friend bool operator==(const SplitSpec&, const SplitSpec&) = default;
};

struct DataSpec {
  DataKind kind = DataKind::csv;
  std::string path;  ///< the file, or folder (npy: of x); absolute (see locate_data)
  std::string more;  ///< a second file, absolute: the test part's table (csv), y (npy); or empty
  std::vector<std::string> targets;  ///< columns to predict: a name, or a number (1 is the first,
                                     ///< -1 the last); none named: the last
  HeaderRow header = HeaderRow::guess;
  std::vector<std::string> ignore;      ///< columns left out, by name or number
  std::vector<std::string> keep;        ///< columns that are inputs whatever they look like
  std::vector<std::string> categories;  ///< columns whose values are names, also where they look
                                        ///< like numbers or dates; inputs as those of `keep`
  std::vector<std::string> missing;     ///< texts that stand for no value, beside the usual ones
  std::vector<std::string> classes;  ///< only the rows of these classes, of those read; empty: all
  std::int64_t rows = 0;             ///< only the first so many (training) rows are read; 0: all
  LearningTask task = LearningTask::guess;
  Scale scale = Scale::standard;
  SplitSpec split;
  /// For a network that goes on (continued.h): missing numbers stay NaN and nothing is scaled, and
  /// one class is enough.
  bool for_model = false;
  SkipSpec skip;  ///< of a table, and of the second one

  /// Specs without the last two members are named as they were before there were any: a bit of the
  /// first byte says that these follow.
  template <class Archive>
  void fields(Archive& a) {
    constexpr std::uint8_t kMore = 0x80;
    auto first = static_cast<std::uint8_t>(kind);
    if (for_model || !skip.none()) first |= kMore;
    a(first, path, more, targets, header, ignore, keep, categories, missing, classes, rows, task,
      scale, split);
    if (const auto read = static_cast<DataKind>(first & ~kMore); kind != read) kind = read;
    if ((first & kMore) != 0) a(for_model, skip);
  }
  friend bool operator==(const DataSpec&, const DataSpec&) = default;
};

}  // namespace nn
