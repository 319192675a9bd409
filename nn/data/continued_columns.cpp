#include "nn/data/continued_columns.h"

#include <xxhash.h>

#include <iterator>
#include <map>

#include "nn/data/data_error.h"
#include "nn/error.h"

namespace nn {

std::string kind_word(const FeatureColumn& column) {
  switch (column.kind()) {
    case ColumnKind::categories:
    case ColumnKind::hashed:
      return "texts";
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
  const bool texts = kind_word(known) == "texts";
  const bool fits = kind_word(known) == kind_word(fresh) && (texts || known.date == fresh.date) &&
                    (known.kind() == fresh.kind() || known.kind() == ColumnKind::hashed);
  if (!fits) {
    const std::string is = known.kind() == fresh.kind()           ? "dates written in another order"
                           : texts && kind_word(fresh) == "texts" ? "too many different texts"
                                                                  : kind_word(fresh);
    throw Error("expected " + kind_word(known) + " in column " + in_quotes(known.name) +
                ", as it has; the data holds " + is);
  }
  FeatureColumn out = fresh;
  out.indicator = known.indicator || fresh.indicator;
  out.offset = known.offset;
  out.clock = known.clock || fresh.clock;
  out.buckets = known.buckets;
  out.categories.clear();
  if (known.kind() == ColumnKind::categories)
    std::ranges::set_union(known.categories, fresh.categories, std::back_inserter(out.categories));
  return out;
}

RowMaker::RowMaker(const std::vector<FeatureColumn>& to, const std::vector<FeatureColumn>& from,
                   std::size_t cols)
    : base_(cols) {
  if (to.empty()) {
    for (std::size_t i = 0; i < cols; ++i) moves_.push_back({i, i, 0});
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
  if (kind_word(column) != kind_word(from))
    throw Error("expected " + kind_word(column) + " in column " + in_quotes(column.name) +
                " of the replay, too; it holds " + kind_word(from));
  if (column.kind() == ColumnKind::hashed && from.kind() == ColumnKind::categories) {
    for (std::size_t i = 0; i < from.categories.size(); ++i) {
      const std::string& text = from.categories[i];
      moves_.push_back(
          {input + XXH3_64bits(text.data(), text.size()) % column.buckets, place.input + i, 0});
    }
    return;
  }
  const std::vector<std::string> names = input_names(from), wanted = input_names(column);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto at = std::ranges::find(names, wanted[i]);
    if (at == names.end()) continue;
    const bool number = column.kind() == ColumnKind::number && i == 0;
    moves_.push_back({input + i, place.input + static_cast<std::size_t>(at - names.begin()),
                      number ? from.offset - column.offset : 0});
  }
  // A date without a time of day is midnight: sine 0, cosine 1.
  if (column.clock && !from.clock) base_[input + column.values() - 1] = 1;
}

}  // namespace nn
