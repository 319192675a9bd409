#pragma once
// A data set in memory: one contiguous block, whatever the file it came from, ready to be shared by
// all trials.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "nn/data/block.h"
#include "nn/data/data_spec.h"
#include "nn/data/data_view.h"
#include "nn/data/dates.h"
#include "nn/data/number_format.h"
#include "nn/model/shape.h"

namespace nn {

/// Most columns of numbers that one network predicts.
inline constexpr std::size_t kMaxTargets = 10000;

/// Disjoint sets of rows. `replay`: old rows that a network which goes on is no longer trained on,
/// to measure what it forgets (data/continued.h).
enum class Part : std::uint8_t { train, valid, test, replay };

enum class Storage : std::uint8_t { u8, f32 };

/// How a column of a table becomes inputs of a network (encode.h).
enum class ColumnKind : std::uint8_t { number, categories, hashed, date };

/// One column of the source table and the one or several inputs that it feeds.
struct FeatureColumn {
  std::string name;
  std::vector<std::string>
      categories;  ///< one input each, in sorted order; empty: the column holds something else
  float fill = 0;  ///< what replaces a missing number (date: day): the mean over the training part
  std::uint32_t buckets = 0;  ///< inputs that the hashes of its texts share; 0: it is not hashed
  DateOrder date = DateOrder::none;  ///< how its dates are written; none: it holds no dates
  bool clock = false;                ///< its dates have a time of day
  bool indicator = false;  ///< the last input is 1 where the number or date is missing, else 0
  NumberFormat format;     ///< of its numbers
  double offset = 0;       ///< taken off its numbers before they become floats
  bool absent = false;     ///< tables no longer have it: its value is missing in every row

  [[nodiscard]] ColumnKind kind() const {
    return !categories.empty()       ? ColumnKind::categories
           : buckets > 0             ? ColumnKind::hashed
           : date != DateOrder::none ? ColumnKind::date
                                     : ColumnKind::number;
  }
  /// Inputs that hold its value: all but the indicator.
  [[nodiscard]] std::size_t values() const {
    switch (kind()) {
      case ColumnKind::categories:
        return categories.size();
      case ColumnKind::hashed:
        return buckets;
      case ColumnKind::date:
        return date_inputs(date, clock);
      case ColumnKind::number:
        break;
    }
    return 1;
  }
  /// Inputs of the network that this column feeds.
  [[nodiscard]] std::size_t inputs() const { return values() + (indicator ? 1 : 0); }
  friend bool operator==(const FeatureColumn&, const FeatureColumn&) = default;
};

/// Rows of features X, one target each, the split, and the scaling, in one 64-byte aligned block:
///   X      [rows, cols]  u8 (whole numbers 0..255 only) or f32, row-major, *not* scaled
///   y      [rows]        i32 class numbers, or
///          [rows, targets]  f32 standardised numbers (see TargetColumn)
///   parts  [train], [valid], [test], [replay]  u32 row numbers, each list ascending, but for a
///          train part with replayed rows: half of it are new rows, the other half stands for rows
///          of [replayed], old ones that training goes through in turn
///   shift, scale  [cols] each f32: a network's input is (X - shift) * scale
/// Every array starts on a 64-byte boundary. Satisfies the runtime's BufferType. Reading from
/// several threads is safe.
class Dataset {
 public:
  struct Header {
    std::uint64_t rows = 0, cols = 0;
    Shape input;  ///< of one row: features, or an image; cols elements
    Storage storage = Storage::f32;
    LearningTask task = LearningTask::classification;  ///< never `guess`
    /// By class number: ascending, but those that a network which goes on knew stand first. Empty
    /// for regression.
    std::vector<std::string> class_names;
    std::uint64_t train_rows = 0, valid_rows = 0, test_rows = 0;
    std::uint64_t replay_rows = 0;    ///< of Part::replay
    std::uint64_t replayed_rows = 0;  ///< old rows that are trained on; 0: none
    /// One column of classes, or one or several of numbers.
    std::vector<TargetColumn> targets = std::vector<TargetColumn>(1);
    std::vector<NumberFormat> target_formats;  ///< one a target; empty where all are plain
    std::vector<FeatureColumn> columns;        ///< in file order; empty for images
    /// Columns of the table that it was read from, the targets' included, where they have no names
    /// and are known by their places alone; of arrays the values of a row. 0: columns have names.
    /// None: a model's file that does not say.
    std::optional<std::uint64_t> places;
    std::vector<std::string> missing;  ///< DataSpec::missing
    bool decimal_comma = false;        ///< the table writes 1,5 and not 1.5
    char quote = '"';                  ///< around fields of the table
    SkipSpec skip;                     ///< DataSpec::skip
    Scale scaling = Scale::none;
    base::Key content;
    /// The independent observation that each row of a part belongs to (Parts); empty: each row is
    /// one.
    std::vector<std::uint32_t> valid_units, test_units;
    std::vector<std::string> doubts;  ///< faults that its scores will not show (doubts.h)
    std::vector<std::string>
        notes;  ///< what the loader guessed, filled in or left out, a sentence each

    /// Values that a network for this data puts out: one a class, or one a number to predict.
    [[nodiscard]] std::size_t outputs() const {
      return class_names.empty() ? targets.size() : class_names.size();
    }
    /// Rows of the training part that are no old ones: half of it where some are replayed.
    [[nodiscard]] std::uint64_t new_rows() const {
      return replayed_rows > 0 ? train_rows / 2 : train_rows;
    }
    [[nodiscard]] std::uint64_t rows_of(Part part) const noexcept;
    /// Returns the units of a part's rows, for `valid` and `test`; of other parts none.
    [[nodiscard]] std::span<const std::uint32_t> units_of(Part part) const noexcept;
    template <class Archive>
    void fields(Archive& a) {
      a(rows, cols, input, storage, task, class_names, train_rows, valid_rows, test_rows,
        replay_rows, replayed_rows, targets, target_formats, columns, places, missing,
        decimal_comma, quote, skip, scaling, content, valid_units, test_units, doubts, notes);
    }
    friend bool operator==(const Header&, const Header&) = default;
  };

  /// Owning and zero-filled. Throws std::invalid_argument where byte_size does.
  explicit Dataset(Header header);
  /// A view on `byte_size(header)` bytes owned by somebody else.
  Dataset(Header header, std::byte* borrowed);

  /// Bytes of the block. Throws std::invalid_argument when the sizes in the header overflow or
  /// contradict each other.
  [[nodiscard]] static std::size_t byte_size(const Header& header);

  [[nodiscard]] const Header& header() const { return header_; }
  [[nodiscard]] std::span<std::byte> bytes() { return block_.bytes(); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return block_.bytes(); }

  [[nodiscard]] std::size_t rows() const { return header_.rows; }
  [[nodiscard]] std::size_t cols() const { return header_.cols; }
  /// 0 for regression.
  [[nodiscard]] std::size_t classes() const { return header_.class_names.size(); }
  [[nodiscard]] std::size_t outputs() const { return header_.outputs(); }
  [[nodiscard]] bool is_classification() const {
    return header_.task == LearningTask::classification;
  }

  /// X as stored; the one that does not match Header::storage is empty.
  [[nodiscard]] std::span<const std::uint8_t> x_u8() const;
  [[nodiscard]] std::span<const float> x_f32() const;
  /// y as stored; the one that does not match Header::task is empty.
  [[nodiscard]] std::span<const std::int32_t> labels() const;
  [[nodiscard]] std::span<const float> targets() const;
  /// Row numbers of a part, ascending.
  [[nodiscard]] std::span<const std::uint32_t> part(Part part) const;
  /// Old rows that training goes through in turn, ascending.
  [[nodiscard]] std::span<const std::uint32_t> replayed() const;
  [[nodiscard]] std::span<const float> shift() const;
  [[nodiscard]] std::span<const float> scale() const;

  /// What training and evaluation see of a part. Valid while the bytes and this object are.
  [[nodiscard]] DataView view(Part part) const;

  /// The same arrays for whoever fills a data set.
  [[nodiscard]] std::span<std::uint8_t> mutable_x_u8();
  [[nodiscard]] std::span<float> mutable_x_f32();
  [[nodiscard]] std::span<std::int32_t> mutable_labels();
  [[nodiscard]] std::span<float> mutable_targets();
  [[nodiscard]] std::span<std::uint32_t> mutable_part(Part part);
  [[nodiscard]] std::span<std::uint32_t> mutable_replayed();
  [[nodiscard]] std::span<float> mutable_shift();
  [[nodiscard]] std::span<float> mutable_scale();
  [[nodiscard]] std::span<FeatureColumn> mutable_columns() { return header_.columns; }

 private:
  Header header_;
  Block block_;
};

}  // namespace nn
