#include "nn/data/csv_header.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace nn {

namespace {

using Record = std::vector<CsvField>;

/// A number, may it be too large.
std::optional<double> number_in(const CsvField& field) {
  double number = 0;
  const FieldKind kind = read_number(field, number);
  if (kind == FieldKind::too_large) return HUGE_VAL;
  return kind == FieldKind::number ? std::optional(number) : std::nullopt;
}

bool only_numbers_below(std::span<const Record> records, std::size_t c) {
  bool any = false;
  for (const Record& record : records.subspan(1)) {
    if (c >= record.size() || is_missing(record[c])) continue;
    if (!number_in(record[c])) return false;
    any = true;
  }
  return any;
}

bool recurs_below(std::span<const Record> records, std::size_t c) {
  return std::ranges::any_of(records.subspan(1), [&](const Record& record) {
    return c < record.size() && record[c].raw == records[0][c].raw;
  });
}

/// As recurs_below, however the number is written.
bool number_recurs(std::span<const Record> records, std::size_t c) {
  const auto number = number_in(records[0][c]);
  return std::ranges::any_of(records.subspan(1), [&](const Record& record) {
    return c < record.size() && number_in(record[c]) == number;
  });
}

bool distinct(std::vector<std::string_view> words) {
  std::sort(words.begin(), words.end());
  return std::adjacent_find(words.begin(), words.end()) == words.end();
}

bool distinct(const Record& fields) {
  std::vector<std::string_view> words;
  for (const CsvField& field : fields) words.push_back(field.raw);
  return distinct(std::move(words));
}

/// Whether a word is one of the columns' numbers, from 1 or from -1.
bool is_place(const std::string& word, std::size_t columns) {
  const auto number = base::parse_int(word);
  const auto count = static_cast<std::int64_t>(columns);
  return number && *number != 0 && *number >= -count && *number <= count;
}

bool go_up_by_one(const Record& record, const std::vector<std::size_t>& places) {
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i] >= record.size()) return false;
    const auto before = number_in(record[places[i - 1]]), number = number_in(record[places[i]]);
    if (!before || !number || *number - *before != 1) return false;
  }
  return true;
}

bool counts_the_rows(std::span<const Record> records, std::size_t c) {
  for (std::size_t i = 1; i < records.size(); ++i) {
    const auto number = number_in(records[i][c]);
    if (!number || *number != static_cast<double>(i - 1)) return false;
  }
  return records.size() > 1;
}

/// A first line whose numbers go up by one.
bool counts_columns(std::span<const Record> records, const std::vector<std::size_t>& places) {
  constexpr std::size_t kFewest = 3, kMany = 10;
  const Record& first = records.front();
  const bool index = is_missing(first[0]) && counts_the_rows(records, 0);
  if (places.size() + (index ? 1 : 0) < kFewest || !go_up_by_one(first, places)) return false;
  const auto again = [&](const Record& record) { return go_up_by_one(record, places); };
  if (std::ranges::any_of(records.subspan(1), again)) return false;
  const auto recurs = [&](std::size_t c) { return number_recurs(records, c); };
  const bool many = places.size() >= kMany && number_in(first[places[0]]) == 0.0;
  return many || std::ranges::none_of(places, recurs);
}

bool is_year(std::optional<double> number) {
  return number && *number == std::floor(*number) && *number >= 1900 && *number <= 2100;
}

/// A first line whose numbers are years in order, above columns of numbers that are none.
bool names_years(std::span<const Record> records, const std::vector<std::size_t>& places) {
  const Record& first = records.front();
  const auto year = [&](std::size_t c) { return is_year(number_in(first[c])); };
  const auto above = [&](std::size_t c) {
    return only_numbers_below(records, c) &&
           std::ranges::none_of(records.subspan(1), [&](const Record& record) {
             return c < record.size() && is_year(number_in(record[c]));
           });
  };
  if (places.size() < 2 || !std::ranges::all_of(places, year) ||
      !std::ranges::all_of(places, above))
    return false;
  const auto value = [&](std::size_t c) { return *number_in(first[c]); };
  const auto unordered = [&](auto less) {
    return std::ranges::adjacent_find(places, [&](std::size_t a, std::size_t b) {
             return !less(value(a), value(b));
           }) != places.end();
  };
  return !unordered(std::less<>()) || !unordered(std::greater<>());
}

/// For a first line with numbers.
bool numbers_are_names(std::span<const Record> records) {
  const Record& first = records.front();
  std::vector<std::size_t> places;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (number_in(first[c])) {
      places.push_back(c);
    } else if (is_missing(first[c]) ? c > 0 : recurs_below(records, c)) {
      return false;
    }
  }
  if (records.size() < 2 || places.empty() || !distinct(first)) return false;
  return counts_columns(records, places) || names_years(records, places);
}

/// Whether the second line repeats the first one, above numbers.
bool is_repeated(std::span<const Record> records) {
  const auto same = [](const CsvField& a, const CsvField& b) { return a.raw == b.raw; };
  if (records.size() < 3 || !std::ranges::equal(records[0], records[1], same)) return false;
  for (std::size_t c = 0; c < records[0].size(); ++c) {
    if (only_numbers_below(records.subspan(1), c)) return true;
  }
  return false;
}

bool holds_number(CsvField field, std::span<const NumberFormat> formats) {
  field.missing = false;
  const auto in_format = [&](const NumberFormat& format) {
    double ignored = 0;
    return read_number(field, format, ignored) == FieldKind::number;
  };
  if (number_in(field) || std::ranges::any_of(formats, in_format)) return true;
  field.decimal_comma = true;
  return number_in(field).has_value();
}

}  // namespace

bool has_numbers(std::span<const CsvField> record, std::span<const NumberFormat> formats) {
  return std::ranges::any_of(record,
                             [&](const CsvField& field) { return holds_number(field, formats); });
}

bool may_name_columns(std::span<const CsvField> first, std::span<const NumberFormat> formats) {
  const auto is_word = [](const CsvField& field) {
    return !is_missing(field) && !is_none_word(field);
  };
  return !has_numbers(first, formats) && std::ranges::any_of(first, is_word);
}

bool has_row_names(std::span<const Record> records) {
  if (records.size() < 2 || !may_name_columns(records.front())) return false;
  const std::size_t named = records.front().size();
  const bool quoted = named == 1 || records.size() == 2;
  bool ends_with_delimiter = true;
  std::vector<std::string_view> names;
  for (const Record& record : records.subspan(1)) {
    if (record.size() != named + 1 || is_missing(record[0])) return false;
    if (quoted && !record[0].quoted) return false;
    ends_with_delimiter = ends_with_delimiter && record.back().raw.empty();
    names.push_back(record[0].raw);
  }
  return !ends_with_delimiter && distinct(std::move(names));
}

bool sniff_header(std::span<const Record> records, std::span<const std::string> targets) {
  if (records.empty()) return false;
  const Record& first = records.front();
  const auto names = [&](const std::string& target) {
    const auto named = [&](const CsvField& field) { return field.raw == target; };
    return !target.empty() && std::ranges::any_of(first, named);
  };
  if (has_numbers(first)) {
    return numbers_are_names(records) ||
           std::ranges::any_of(targets, [&](const std::string& target) {
             return names(target) && !is_place(target, first.size());
           });
  }
  if (std::ranges::any_of(targets, names)) return true;
  if (!may_name_columns(first)) return false;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (only_numbers_below(records, c)) return true;
  }
  if (records.size() < 2 || !distinct(first)) return false;
  if (is_repeated(records)) return true;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (recurs_below(records, c)) return false;
  }
  return true;
}

}  // namespace nn
