#include "nn/data/continued_columns.h"

#include <map>

#include "base/error.h"
#include "base/hash.h"
#include "nn/data/continued.h"
#include "nn/data/data_error.h"
#include "nn/data/encode.h"

namespace nn {

bool has_named_columns(const Dataset::Header& header) {
  return !header.columns.empty() && header.places.value_or(0) == 0;
}

std::string task_word(LearningTask task) {
  return task == LearningTask::classification ? "classes" : "numbers";
}

std::vector<std::string> target_names(const Dataset::Header& header) {
  std::vector<std::string> names;
  for (const TargetColumn& target : header.targets) names.push_back(target.name);
  return names;
}

std::string kind_word(const FeatureColumn& column) {
  switch (column.kind()) {
    case ColumnKind::categories:
    case ColumnKind::hashed:
      return "strings";
    case ColumnKind::date:
      return "dates";
    case ColumnKind::number:
      break;
  }
  return "numbers";
}

namespace {

/// What the inputs of a column are, each by a name that is the same in every data set.
std::vector<std::string> input_names(const FeatureColumn& column) {
  std::vector<std::string> names;
  switch (column.kind()) {
    case ColumnKind::categories:
      for (const std::string& category : column.categories) names.push_back("=" + category);
      break;
    case ColumnKind::hashed:
    case ColumnKind::date:
    case ColumnKind::number:
      for (std::size_t i = 0; i < column.values(); ++i) names.push_back("#" + std::to_string(i));
      break;
  }
  if (column.indicator) names.emplace_back("?");
  return names;
}

}  // namespace

std::vector<std::optional<std::size_t>> places_in(const std::vector<FeatureColumn>& to,
                                                  const std::vector<FeatureColumn>& from) {
  const Columns known(from);
  std::vector<std::optional<std::size_t>> places;
  for (const FeatureColumn& column : to) {
    const Columns::Place* place = known.find(column.name);
    std::map<std::string, std::size_t> inputs;
    if (place != nullptr)
      for (const std::string& name : input_names(*place->column))
        inputs.emplace(name, place->input + inputs.size());
    for (const std::string& name : input_names(column)) {
      const auto at = inputs.find(name);
      places.push_back(at == inputs.end() ? std::nullopt : std::optional(at->second));
    }
  }
  return places;
}

FeatureColumn merged(const FeatureColumn& known, const FeatureColumn& fresh) {
  const bool texts = kind_word(known) == "strings";
  const bool fits = kind_word(known) == kind_word(fresh) && (texts || known.date == fresh.date) &&
                    (known.kind() == fresh.kind() || known.kind() == ColumnKind::hashed);
  if (!fits) {
    const std::string is = known.kind() == fresh.kind() ? "dates written in another order"
                           : texts && kind_word(fresh) == "strings" ? "too many different strings"
                                                                    : kind_word(fresh);
    throw base::Error(base::Errc::study, "expected " + kind_word(known) + " in column " +
                                             in_quotes(known.name) +
                                             ", as in its training; the data has " + is + " there");
  }
  FeatureColumn out = fresh;
  out.indicator = known.indicator || fresh.indicator;
  out.offset = known.offset;
  out.clock = known.clock || fresh.clock;
  out.buckets = known.buckets;
  out.categories.clear();
  if (known.kind() == ColumnKind::categories) {
    out.categories = known.categories;
    for (const std::string& category : fresh.categories)
      if (!place_of_category(known.categories, category)) out.categories.push_back(category);
    std::ranges::sort(out.categories);
  }
  return out;
}

RowMaker::RowMaker(const std::vector<FeatureColumn>& to, const std::vector<FeatureColumn>& from,
                   std::size_t cols)
    : base_(cols) {
  if (to.empty()) {
    for (std::size_t i = 0; i < cols; ++i) moves_.push_back({.to = i, .from = i, .flag = false});
    return;
  }
  const Columns there(from);
  std::size_t input = 0;
  for (const FeatureColumn& column : to) {
    const Columns::Place* place = there.find(column.name);
    if (column.absent || place == nullptr || place->column->absent)
      leave_out(column, input);
    else
      take(column, input, *place);
    input += column.inputs();
  }
}

void RowMaker::leave_out(const FeatureColumn& column, std::size_t input) {
  const ColumnKind kind = column.kind();
  if (kind == ColumnKind::number || kind == ColumnKind::date) base_[input] = column.fill;
  if (column.indicator) base_[input + column.values()] = 1;
}

void RowMaker::take(const FeatureColumn& column, std::size_t input, const Columns::Place& place) {
  const FeatureColumn& from = *place.column;
  const bool fits = kind_word(column) == kind_word(from) && column.date == from.date &&
                    (column.kind() == from.kind() || column.kind() == ColumnKind::hashed);
  if (!fits)
    throw base::Error(base::Errc::study,
                      std::string(kOfReplay) + "expected " + kind_word(column) + " in column " +
                          in_quotes(column.name) + ", as in the data; it has " +
                          (kind_word(column) != kind_word(from) ? kind_word(from) : "others"));
  if (column.kind() == ColumnKind::hashed && from.kind() == ColumnKind::categories) {
    for (std::size_t i = 0; i < from.categories.size(); ++i) {
      const std::string& text = from.categories[i];
      moves_.push_back(
          {.to = input + base::hash64(text) % column.buckets, .from = place.input + i});
    }
    return;
  }
  if (column.kind() == ColumnKind::categories) {
    for (std::size_t i = 0; i < from.categories.size(); ++i)
      if (const auto at = place_of_category(column.categories, from.categories[i]))
        moves_.push_back({.to = input + *at, .from = place.input + i});
    return;
  }
  const std::vector<std::string> names = input_names(from), wanted = input_names(column);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto at = std::ranges::find(names, wanted[i]);
    if (at == names.end()) continue;
    Move move{.to = input + i, .from = place.input + static_cast<std::size_t>(at - names.begin())};
    const ColumnKind kind = column.kind();
    if (i == 0 && (kind == ColumnKind::number || kind == ColumnKind::date)) {
      move.flag = false;
      move.more = from.offset - column.offset;
      move.fill = column.fill;
      if (column.indicator) move.indicator = input + column.values();
    }
    if (kind == ColumnKind::date && i < column.values()) move.flag = false;
    moves_.push_back(move);
  }
  // A date without a time of day is midnight: sine 0, cosine 1.
  if (column.clock && !from.clock) base_[input + column.values() - 1] = 1;
}

}  // namespace nn
