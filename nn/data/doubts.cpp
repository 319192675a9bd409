#include "nn/data/doubts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "base/words.h"
#include "nn/data/class_filter.h"
#include "nn/data/data_error.h"
#include "nn/data/dates.h"
#include "nn/data/dependence.h"
#include "nn/data/give_away.h"

namespace nn {

namespace {

using Order = std::vector<std::uint32_t>;

/// Fewer rows show nothing.
constexpr std::size_t kFewestRows = 50;
/// Part of the test rows that may be rows of the training part without a word.
constexpr double kFewCopies = 0.01;
/// A product of columns that differ between stretches by chance is less probable than this.
constexpr double kDriftProbability = 1e-7;
constexpr double kDriftPart = 0.03;
/// Columns whose relation to the target is followed over time.
constexpr std::size_t kMostFollowed = 30;

constexpr std::array<std::string_view, 22> kTimeWords{
    "time", "date",   "day",      "days",      "week",   "month",   "year",   "hour",
    "ts",   "minute", "second",   "clock",     "period", "quarter", "season", "epoch",
    "step", "tick",   "datetime", "timestamp", "when",   "t"};
constexpr std::array<std::string_view, 30> kEntityWords{
    "id",      "ids",     "uid",     "patient",     "user",    "customer", "subject", "client",
    "account", "device",  "machine", "sensor",      "session", "family",   "person",  "student",
    "member",  "driver",  "vehicle", "participant", "animal",  "group",    "cluster", "batch",
    "lot",     "company", "engine",  "household",   "unit",    "worker"};

constexpr std::array<std::string_view, 14> kNameWords{
    "id",      "ids",   "uid",  "uuid", "guid",    "identifier", "key",
    "account", "phone", "isbn", "ean",  "barcode", "serial",     "ssn"};

/// A column as it stands in the table, the target's apart.
struct Seen {
  const CsvColumn* column = nullptr;
  std::vector<std::uint32_t> codes;  ///< of equal values, by first appearance
  std::vector<double> numbers;       ///< of a column of numbers or dates; NaN: missing
  std::size_t distinct = 0;
  std::vector<bool> missing{};  ///< [distinct] whether a value means a missing one

  [[nodiscard]] ColumnValues values() const {
    return {.codes = codes, .numbers = numbers, .missing = missing};
  }
  [[nodiscard]] bool has_numbers() const { return !numbers.empty(); }
};

/// "userId" is "user", "id".
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  char before = '_';
  for (const char c : name) {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    const bool hump = std::isupper(static_cast<unsigned char>(c)) != 0 &&
                      std::islower(static_cast<unsigned char>(before)) != 0;
    if ((!letter || hump) && !words.back().empty()) words.emplace_back();
    if (letter) words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    before = c;
  }
  return words;
}

template <std::size_t N>
bool is_called(const std::string& name, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(words_of(name), [&](const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  });
}

/// The rows of a table that are looked at.
class Table {
 public:
  Table(CsvFiles files, const CsvSurvey& survey, const std::vector<bool>& kept) {
    std::vector<std::size_t> places;
    for (std::size_t c = 0; c < survey.columns.size(); ++c) {
      const CsvColumn& column = survey.columns[c];
      const bool asked = column.role == ColumnRole::ignored && column.why == LeftOut::asked;
      if (column.role == ColumnRole::target || asked) continue;
      places.push_back(c);
      columns.push_back({.column = &column});
    }
    const std::size_t most = kDoubtedValues / std::max<std::size_t>(places.size(), 1);
    std::vector<Cell> cells;  // [rows, places]
    for_each_row(files, survey, [&](const RowPlace& place, const std::vector<CsvField>& fields) {
      if (!is_left(kept, place.index) || rows == most) return;
      ++rows;
      for (std::size_t i = 0; i < places.size(); ++i)
        cells.push_back(read(columns[i], fields[places[i]]));
    });
    // One column after the other: the hash tables of thousands would not fit into a cache.
    for (std::size_t i = 0; i < places.size(); ++i) add_codes(columns[i], std::span(cells), i);
  }

  std::vector<Seen> columns;
  std::size_t rows = 0;

 private:
  /// A value as it is written: making texts of them takes longer than all else.
  struct Cell {
    std::string_view raw;
    bool missing = false;
  };

  /// Reads a value and adds its number, where the column has numbers.
  static Cell read(Seen& seen, const CsvField& field) {
    const CsvColumn& column = *seen.column;
    double value = 0;
    const FieldKind kind = read_number(field, column.format, value);
    const Cell cell{field.raw, kind == FieldKind::missing};
    if (column.role == ColumnRole::date) {
      const auto day = read_date(field.bare(), column.date);
      seen.numbers.push_back(day ? day->days : std::nan(""));
      return cell;
    }
    const bool number = column.role == ColumnRole::number ||
                        (column.role == ColumnRole::ignored && column.why == LeftOut::row_number);
    if (number) seen.numbers.push_back(kind == FieldKind::number ? value : std::nan(""));
    return cell;
  }

  void add_codes(Seen& seen, std::span<const Cell> cells, std::size_t place) {
    codes_.clear();
    seen.codes.reserve(rows);
    for (std::size_t i = place; i < cells.size(); i += columns.size()) {
      const auto next = static_cast<std::uint32_t>(codes_.size());
      seen.codes.push_back(codes_.try_emplace(cells[i].raw, next).first->second);
      if (codes_.size() > next) seen.missing.push_back(cells[i].missing);
    }
    seen.distinct = codes_.size();
  }

  std::unordered_map<std::string_view, std::uint32_t> codes_;  ///< of the column that is read
};

Order in_file(std::size_t rows) {
  Order order(rows);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

/// Rows by ascending number; those without one are left out.
Order by_number(const Seen& seen) {
  Order order;
  for (std::uint32_t row = 0; row < seen.numbers.size(); ++row) {
    if (!std::isnan(seen.numbers[row])) order.push_back(row);
  }
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return seen.numbers[row]; });
  return order;
}

/// Whether a file was sorted by its target: then an order says nothing about time.
bool is_sorted_by(const TargetOrder& target, const Order& order) {
  std::size_t up = 0, down = 0, changes = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const double before = target.ranks[order[i - 1]], now = target.ranks[order[i]];
    up += now > before;
    down += now < before;
    if (target.classes > 0) changes += target.labels[order[i]] != target.labels[order[i - 1]];
  }
  if (target.classes > 0) return changes < 2 * target.classes;
  return up == 0 || down == 0;
}

/// Whether the target, or its relation to a column, changes along the order.
bool depends_on_order(const Table& table, const TargetOrder& target, const Order& order) {
  if (of_neighbours(target, order).clear()) return true;
  const auto drifts = [&](std::span<const double> values) {
    const Drift drift = drift_of(values, order);
    return drift.probability < kDriftProbability && drift.part > kDriftPart;
  };
  if (drifts(target.ranks)) return true;
  std::size_t followed = 0;
  for (const Seen& seen : table.columns) {
    if (seen.column->role != ColumnRole::number || !seen.has_numbers()) continue;
    if (std::ranges::any_of(seen.numbers, [](double x) { return std::isnan(x); })) continue;
    if (followed++ == kMostFollowed) break;
    std::vector<double> products = scaled_ranks(seen.numbers);
    for (std::size_t row = 0; row < products.size(); ++row) products[row] *= target.ranks[row];
    if (drifts(products)) return true;
  }
  return false;
}

bool ascends(const Seen& seen) {
  return seen.has_numbers() &&
         std::ranges::none_of(seen.numbers, [](double x) { return std::isnan(x); }) &&
         std::ranges::is_sorted(seen.numbers);
}

constexpr std::size_t kFewestTimes = 10;
constexpr double kLeastStamp = 1e8;

/// The column that the rows of the file are ordered by, if that may be time.
const Seen* ascending_column(const Table& table) {
  std::vector<const Seen*> ascending;
  for (const Seen& seen : table.columns) {
    // A file in groups, one after another, is in their order.
    const bool texts = !seen.has_numbers() && seen.distinct > 1 && seen.distinct < table.rows;
    if (texts && std::ranges::is_sorted(seen.codes)) return nullptr;
    if (seen.distinct >= kFewestTimes && ascends(seen)) ascending.push_back(&seen);
  }
  if (ascending.size() == 1) return ascending.front();
  const auto named = std::ranges::find_if(
      ascending, [](const Seen* seen) { return is_called(seen->column->name, kTimeWords); });
  return named == ascending.end() ? nullptr : *named;
}

/// The column that a split by time would go by; null: none is needed.
const Seen* time_column(const Table& table, const TargetOrder& target) {
  const auto needed = [&](const Order& order) {
    return !is_sorted_by(target, order) && depends_on_order(table, target, order);
  };
  for (const Seen& seen : table.columns) {
    const bool dates =
        seen.column->role == ColumnRole::date && seen.column->date != DateOrder::clock;
    // Seconds since 1970 and the like. A smaller number that is called a time is a measured one.
    const bool stamps = seen.column->role == ColumnRole::number &&
                        seen.column->counts.least > kLeastStamp && 4 * seen.distinct > table.rows &&
                        is_called(seen.column->name, kTimeWords);
    if ((dates || stamps) && seen.distinct >= kFewestTimes && needed(by_number(seen))) return &seen;
  }
  const Seen* ascending = ascending_column(table);
  return ascending != nullptr && needed(in_file(table.rows)) ? ascending : nullptr;
}

/// The groups of whole numbers in pairs of neighbours; empty where they are no numbers.
std::vector<std::uint32_t> pairs_of_neighbours(const Seen& groups) {
  if (!groups.has_numbers()) return {};
  std::map<double, std::uint32_t> places;
  for (const double number : groups.numbers) places.emplace(number, 0);
  std::uint32_t next = 0;
  for (auto& [number, place] : places) place = next++ / 2;
  std::vector<std::uint32_t> pairs;
  for (const double number : groups.numbers) pairs.push_back(places.at(number));
  return pairs;
}

/// Whether the rows of a group resemble each other in most other columns of numbers. Those of the
/// next number must not: of one that is measured, such as an age, they resemble each other too.
bool groups_are_alike(const Table& table, const Seen& groups) {
  constexpr double kOfNames = 0.75;  // of the likeness is left in pairs; half of it for names
  if (groups.has_numbers() &&
      std::ranges::any_of(groups.numbers, [](double x) { return std::isnan(x); }))
    return false;
  const std::vector<std::uint32_t> pairs = pairs_of_neighbours(groups);
  std::size_t alike = 0, all = 0;
  for (const Seen& seen : table.columns) {
    if (&seen == &groups || seen.column->role != ColumnRole::number) continue;
    if (std::ranges::any_of(seen.numbers, [](double x) { return std::isnan(x); })) continue;
    ++all;
    const std::vector<double> ranks = scaled_ranks(seen.numbers);
    const double of_groups = likeness(ranks, groups.codes);
    alike += of_groups > 0.5 && (pairs.empty() || likeness(ranks, pairs) < kOfNames * of_groups);
  }
  return alike >= 2 && 2 * alike >= all;
}

/// Whether whole numbers are names: rows of one number are alike, those of the next one are not. Of
/// a measured number, such as an age, they would be nearly as alike.
bool numbers_are_names(const Seen& seen, const TargetOrder& target) {
  constexpr std::size_t kFewestNames = 20, kFewestRowsOfOne = 5, kMostOverMean = 5;
  if (!seen.has_numbers() || seen.distinct < kFewestNames) return false;
  if (kFewestRowsOfOne * seen.distinct > seen.codes.size()) return false;
  std::vector<Order> rows(seen.distinct);
  for (const std::uint32_t row : by_number(seen)) rows[seen.codes[row]].push_back(row);
  // Names have about as many rows each; a measured number has some values far more often.
  const std::size_t most = std::ranges::max(rows, {}, &Order::size).size();
  if (most * seen.distinct > kMostOverMean * seen.codes.size()) return false;
  std::ranges::sort(rows, {}, [&](const Order& of_one) {
    return of_one.empty() ? 0.0 : seen.numbers[of_one.front()];
  });
  double alike = 0, pairs = 0;
  for (std::size_t i = 0; i < kFewestRowsOfOne; ++i) {
    Order next;  // the i-th row of each number, in the order of the numbers
    for (const Order& of_one : rows) {
      if (i < of_one.size()) next.push_back(of_one[i]);
    }
    if (next.size() < 2) break;
    const auto count = static_cast<double>(next.size() - 1);
    alike += of_neighbours(target, next).part * count;
    pairs += count;
  }
  if (pairs == 0) return false;
  return alike / pairs + 2 / std::sqrt(pairs) < of_groups(target, seen.codes).part / 2;
}

/// Whether a column of whole numbers, one for nearly each row, names the rows: it is called so.
bool names_rows(const Seen& seen, std::size_t rows) {
  constexpr std::size_t kFewOfMany = 20;  // rows that share a number
  const CsvColumn& column = *seen.column;
  return column.role == ColumnRole::number && !column.keep && rows >= kFewestForIds &&
         column.counts.whole && kFewOfMany * (rows - seen.distinct) <= rows &&
         is_called(column.name, kNameWords);
}

/// The column that names what several rows are about; null: none.
const Seen* group_column(const Table& table, const TargetOrder& target) {
  constexpr std::size_t kFewestGroups = 10, kLargestPart = 5;
  for (const Seen& seen : table.columns) {
    if (seen.column->role == ColumnRole::date || seen.distinct < kFewestGroups) continue;
    if (2 * seen.distinct > table.rows) continue;
    // A number that is measured has no groups.
    if (seen.has_numbers() && !seen.column->counts.whole) continue;
    std::vector<std::size_t> sizes(seen.distinct, 0);
    for (const std::uint32_t code : seen.codes) ++sizes[code];
    if (kLargestPart * std::ranges::max(sizes) > table.rows) continue;
    if (!of_groups(target, seen.codes).clear()) continue;
    if (is_called(seen.column->name, kEntityWords) || numbers_are_names(seen, target) ||
        groups_are_alike(table, seen))
      return &seen;
  }
  return nullptr;
}

/// Test rows all of whose values stand in a row of another part, too. Of a table without a column
/// of measured numbers equal rows are no fault.
std::size_t copied_rows(const Table& table, const TargetOrder& target, const Parts& parts) {
  const bool measured = std::ranges::any_of(table.columns, [&](const Seen& seen) {
    if (seen.column->role != ColumnRole::number) return false;
    return (seen.column->counts.whole ? 2 : 10) * seen.distinct > table.rows;
  });
  if (!measured) return 0;
  const auto hash = [&](std::uint32_t row) {
    std::string key =
        base::cat(target.classes > 0 ? static_cast<double>(target.labels[row]) : target.ranks[row]);
    for (const Seen& seen : table.columns) {
      if (seen.column->is_input()) key += base::cat(" ", seen.codes[row]);
    }
    return key;
  };
  std::unordered_set<std::string> learnt;
  for (const Order* part : {&parts.train, &parts.valid}) {
    for (const std::uint32_t row : *part)
      if (row < table.rows) learnt.insert(hash(row));
  }
  return static_cast<std::size_t>(std::ranges::count_if(parts.test, [&](std::uint32_t row) {
    return row < table.rows && learnt.contains(hash(row));
  }));
}

}  // namespace

std::vector<std::string> doubts_of(CsvFiles files, const CsvSurvey& survey,
                                   const std::vector<bool>& kept, const TargetValues& values,
                                   const Parts& parts) {
  const Table table(files, survey, kept);
  std::vector<std::string> doubts;
  for (const Seen& seen : table.columns) {
    if (names_rows(seen, table.rows))
      doubts.push_back(
          base::cat(in_quotes(seen.column->name),
                    " is an input and looks like an identifier: nearly every row has a "
                    "number of its own. `ignore: [",
                    seen.column->name, "]` leaves it out"));
  }
  const bool classes = values.task == LearningTask::classification;
  // Of several numbers to predict the first stands for all.
  const std::size_t width = std::max<std::size_t>(1, survey.target_columns.size());
  std::vector<double> numbers;
  for (std::size_t row = 0; !classes && row < table.rows; ++row)
    numbers.push_back(values.numbers[row * width]);
  if (table.rows < kFewestRows) return doubts;
  const TargetOrder target =
      classes ? order_of(std::span(values.labels).first(table.rows), values.class_names.size())
              : order_of(numbers);
  const Seen* groups = survey.split_by ? nullptr : group_column(table, target);
  for (const Seen& seen : table.columns) {
    if (!seen.column->is_input() || seen.distinct < 2 || &seen == groups) continue;
    if (classes ? gives_class_away(seen.values(), target)
                : gives_number_away(seen.values(), target, numbers))
      doubts.push_back(
          base::cat(in_quotes(seen.column->name),
                    " gives the target away: unless its value is known when a prediction "
                    "is needed, the scores mean nothing. `ignore: [",
                    seen.column->name, "]` leaves it out"));
  }
  const auto tested =
      std::ranges::count_if(parts.test, [&](std::uint32_t row) { return row < table.rows; });
  if (const std::size_t copies = copied_rows(table, target, parts);
      static_cast<double>(copies) > kFewCopies * static_cast<double>(tested))
    doubts.push_back(base::cat(base::counted(copies, "row"), copies == 1 ? " is" : " are",
                               " in both the training part and the test part, so the test is "
                               "too easy"));
  if (survey.split_by) return doubts;
  if (groups != nullptr)
    doubts.push_back(base::cat("rows with the same ", in_quotes(groups->column->name),
                               " have similar targets. If they belong together, as those of one "
                               "person do, `split: {group: ",
                               groups->column->name,
                               "}` keeps them in one part; a measured number needs nothing"));
  if (const Seen* time = time_column(table, target))
    doubts.push_back(base::cat("the target changes in the order of ", in_quotes(time->column->name),
                               ", and a random split learns from what comes later: `split: {time: ",
                               time->column->name, "}` does not"));
  return doubts;
}

}  // namespace nn
