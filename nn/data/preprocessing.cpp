#include "nn/data/preprocessing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace nn {

namespace {

using base::Json;
using base::JsonWriter;

const char* scale_word(Scale scale) {
  switch (scale) {
    case Scale::standard:
      return "standard";
    case Scale::minmax:
      return "minmax";
    case Scale::unit:
      return "unit";
    case Scale::none:
      break;
  }
  return "none";
}

const char* date_word(DateOrder order) {
  switch (order) {
    case DateOrder::year_first:
      return "year_first";
    case DateOrder::day_first:
      return "day_first";
    case DateOrder::month_first:
      return "month_first";
    case DateOrder::month:
      return "month";
    case DateOrder::clock:
      return "clock";
    case DateOrder::none:
      break;
  }
  return "none";
}

void put_values(JsonWriter& json, std::span<const float> all) {
  const bool same = std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
  same && !all.empty() ? json.value(all.front()) : json.list(all);
}

void put_format(JsonWriter& json, const NumberFormat& format) {
  json.begin_object().field("sign", format.sign).field("group", format.group);
  json.field("decimal", format.decimal_comma ? "," : ".");
  if (!format.unit.empty()) json.field("unit", format.unit);
  if (format.marks) json.field("marks", true);
  if (format.span) json.field("span", true);
  if (format.gaps) json.field("gaps", true);
  json.end_object();
}

void put_skip(JsonWriter& json, const SkipSpec& skip) {
  json.key("skip").begin_object().field("lines", skip.lines).field("comment", skip.comment);
  json.field("after_header", skip.after_header).field("footer", skip.footer).end_object();
}

void put_column(JsonWriter& json, const FeatureColumn& column) {
  json.begin_object().field("name", column.name);
  switch (column.kind()) {
    case ColumnKind::categories:
      json.key("categories").list(column.categories);
      break;
    case ColumnKind::hashed:
      json.field("hashed", column.buckets);
      break;
    case ColumnKind::date:
      json.field("date", date_word(column.date)).field("clock", column.clock);
      json.field("fill", column.fill);
      break;
    case ColumnKind::number:
      json.field("fill", column.fill);
      if (column.offset != 0) json.field("offset", column.offset);
      break;
  }
  if (column.indicator) json.field("indicator", true);
  if (!column.format.plain()) {
    json.key("format");
    put_format(json, column.format);
  }
  if (column.absent) json.field("absent", true);
  json.end_object();
}

constexpr std::size_t kMostInputs = 1U << 24;

[[noreturn]] void refuse_header(const std::string& what) {
  throw base::Error(base::Errc::data, "preprocessing: " + what);
}

const Json& at(const Json& json, std::string_view name) {
  if (const Json* found = json.find(name)) return *found;
  refuse_header(base::cat("no \"", name, "\""));
}

std::string text_at(const Json& json, std::string_view name) {
  if (auto text = at(json, name).as_text()) return std::move(*text);
  refuse_header(base::cat('"', name, "\" is not a string"));
}

double number_at(const Json& json, std::string_view name) {
  if (const auto number = at(json, name).as_number()) return *number;
  refuse_header(base::cat('"', name, "\" is not a number"));
}

std::vector<std::string> texts_at(const Json& json, std::string_view name) {
  const Json& list = at(json, name);
  const auto is_text = [](const auto& member) { return member.second.is_text(); };
  if (!list.is_list() || !std::ranges::all_of(list.members(), is_text))
    refuse_header(base::cat('"', name, "\" is not a list of strings"));
  std::vector<std::string> texts;
  for (const auto& [none, value] : list.members()) texts.push_back(value.text());
  return texts;
}

Scale scale_at(const Json& json) {
  const std::string word = text_at(json, "scale");
  for (const Scale scale : {Scale::standard, Scale::minmax, Scale::unit, Scale::none}) {
    if (word == scale_word(scale)) return scale;
  }
  refuse_header("\"scale\" is unknown to Trellis");
}

Shape input_at(const Json& json) {
  Shape shape;
  const Json& dims = at(json, "input");
  if (!dims.is_list() || (dims.members().size() != 1 && dims.members().size() != 3))
    refuse_header("\"input\" has not 1 or 3 dimensions");
  std::size_t elements = 1;
  for (const auto& [none, dim] : dims.members()) {
    const std::uint64_t size = dim.as_unsigned().value_or(0);
    elements *= size <= kMostInputs ? size : 0;
    if (elements == 0 || elements > kMostInputs)
      refuse_header("\"input\" is not the size of a row");
    shape.dims.push_back(static_cast<std::int32_t>(size));
  }
  return shape;
}

bool flag_at(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  return found != nullptr && found->as_bool().value_or(false);
}

DateOrder date_at(const Json& json) {
  const std::string word = text_at(json, "date");
  for (const DateOrder order : kDateOrders) {
    if (word == date_word(order)) return order;
  }
  refuse_header("\"date\" is unknown to Trellis");
}

NumberFormat format_at(const Json& entry) {
  if (!entry.is_object()) refuse_header("a format is not an object");
  NumberFormat format{.sign = text_at(entry, "sign"), .group = text_at(entry, "group")};
  const std::string decimal = text_at(entry, "decimal");
  const bool known = format.group.empty() || format.group == " " || format.group == "'" ||
                     format.group == "," || format.group == ".";
  if (!known || (decimal != "." && decimal != ",") || format.group == decimal)
    refuse_header("a format is unknown to Trellis");
  format.decimal_comma = decimal == ",";
  if (entry.find("unit") != nullptr) format.unit = text_at(entry, "unit");
  format.marks = flag_at(entry, "marks");
  format.span = flag_at(entry, "span");
  format.gaps = flag_at(entry, "gaps");
  return format;
}

std::int64_t lines_at(const Json& entry, std::string_view name) {
  const std::uint64_t lines = at(entry, name).as_unsigned().value_or(kMostSkipped + 1);
  if (lines > kMostSkipped) refuse_header(base::cat('"', name, "\" is not a number of lines"));
  return static_cast<std::int64_t>(lines);
}

SkipSpec skip_at(const Json& json) {
  const Json& entry = at(json, "skip");
  if (!entry.is_object()) refuse_header("\"skip\" is not an object");
  return {.lines = lines_at(entry, "lines"),
          .comment = text_at(entry, "comment"),
          .after_header = lines_at(entry, "after_header"),
          .footer = lines_at(entry, "footer")};
}

char quote_at(const Json& json) {
  if (text_at(json, "quote") != "'") refuse_header("\"quote\" is unknown to Trellis");
  return '\'';
}

FeatureColumn column_at(const Json& entry) {
  FeatureColumn column{.name = text_at(entry, "name"), .categories = {}};
  if (entry.find("categories") != nullptr) {
    column.categories = texts_at(entry, "categories");
    if (column.categories.empty() || !std::ranges::is_sorted(column.categories))
      refuse_header("the categories of a column are not in order");
  } else if (entry.find("hashed") != nullptr) {
    const double inputs = number_at(entry, "hashed");
    if (!(inputs >= 1 && inputs <= kMostInputs && inputs == std::floor(inputs)))
      refuse_header("\"hashed\" is not a number of inputs");
    column.buckets = static_cast<std::uint32_t>(inputs);
  } else {
    if (entry.find("date") != nullptr) column.date = date_at(entry);
    column.clock = flag_at(entry, "clock");
    column.fill = static_cast<float>(number_at(entry, "fill"));
    column.indicator = flag_at(entry, "indicator");
    if (const Json* format = entry.find("format")) column.format = format_at(*format);
    if (entry.find("offset") != nullptr) column.offset = number_at(entry, "offset");
  }
  column.absent = flag_at(entry, "absent");
  return column;
}

std::vector<FeatureColumn> columns_at(const Json& json, const Shape& input) {
  const Json& list = at(json, "columns");
  if (!list.is_list()) refuse_header("\"columns\" is not a list");
  std::vector<FeatureColumn> columns;
  std::size_t inputs = 0;
  for (const auto& [none, entry] : list.members()) {
    if (!entry.is_object()) refuse_header("a column is not an object");
    FeatureColumn column = column_at(entry);
    inputs += column.inputs();
    columns.push_back(std::move(column));
  }
  if (!columns.empty() && inputs != static_cast<std::size_t>(input.elements()))
    refuse_header("the columns are " + std::to_string(inputs) + " inputs, expected " +
                  std::to_string(input.elements()));
  return columns;
}

std::uint64_t places_at(const Json& json) {
  if (const auto places = at(json, "places").as_unsigned()) return *places;
  refuse_header("\"places\" is not a number of columns");
}

void read_values(const Json& json, std::string_view name, std::span<float> out) {
  const Json& value = at(json, name);
  if (const auto number = value.as_number()) {
    std::ranges::fill(out, static_cast<float>(*number));
    return;
  }
  const auto is_number = [](const auto& member) { return member.second.is_number(); };
  if (!value.is_list() || value.members().size() != out.size() ||
      !std::ranges::all_of(value.members(), is_number))
    refuse_header(base::cat('"', name, "\" is not a number for each input"));
  std::ranges::transform(value.members(), out.begin(), [](const auto& member) {
    return static_cast<float>(member.second.number());
  });
}

/// Returns the one value, or those of a list.
std::vector<const Json*> values_at(const Json& json, std::string_view name) {
  const Json& value = at(json, name);
  if (!value.is_list()) return {&value};
  std::vector<const Json*> list;
  for (const auto& [none, one] : value.members()) list.push_back(&one);
  return list;
}

void read_numbers(const Json& json, Dataset::Header& header) {
  const auto names = values_at(json, "target"), shifts = values_at(json, "target_shift"),
             units = values_at(json, "target_unit");
  if (names.empty() || names.size() > kMaxTargets || shifts.size() != names.size() ||
      units.size() != names.size())
    refuse_header("\"target\", \"target_shift\" and \"target_unit\" are not as many");
  header.targets.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto name = names[i]->as_text();
    const auto shift = shifts[i]->as_number(), unit = units[i]->as_number();
    if (!name || !shift || !unit) refuse_header("a target is not a name, a shift and a unit");
    header.targets.push_back({.name = std::move(*name), .shift = *shift, .unit = *unit});
  }
}

void read_target_formats(const Json& json, Dataset::Header& header) {
  if (json.find("target_formats") == nullptr) return;
  for (const Json* format : values_at(json, "target_formats"))
    header.target_formats.push_back(format_at(*format));
  if (header.target_formats.size() != header.targets.size())
    refuse_header("\"target\" and \"target_formats\" are not as many");
}

/// Writes a value for each target; a single one is not a list.
template <class Member>
void put_targets(JsonWriter& json, const Dataset::Header& header, Member member) {
  if (header.targets.size() == 1)
    json.value(header.targets.front().*member);
  else
    json.list(header.targets | std::views::transform(member));
}

void read_target(const Json& json, Dataset::Header& header) {
  const std::string task = text_at(json, "task");
  if (task == "classification") {
    header.task = LearningTask::classification;
    header.targets = {{.name = text_at(json, "target")}};
    header.class_names = texts_at(json, "classes");
    if (header.class_names.size() < 2) refuse_header("fewer than 2 classes");
  } else if (task == "regression") {
    header.task = LearningTask::regression;
    read_numbers(json, header);
  } else {
    refuse_header("\"task\" is unknown to Trellis");
  }
  read_target_formats(json, header);
}

}  // namespace

std::string preprocessing_json(const Dataset& data) {
  const Dataset::Header& header = data.header();
  JsonWriter json(base::JsonStyle::compact);
  json.begin_object().field("task", data.is_classification() ? "classification" : "regression");
  put_targets(json.key("target"), header, &TargetColumn::name);
  if (data.is_classification()) {
    json.key("classes").list(header.class_names);
  } else {
    put_targets(json.key("target_shift"), header, &TargetColumn::shift);
    put_targets(json.key("target_unit"), header, &TargetColumn::unit);
  }
  if (!header.target_formats.empty()) {
    json.key("target_formats").begin_array();
    for (const NumberFormat& format : header.target_formats) put_format(json, format);
    json.end_array();
  }
  json.key("input").list(header.input.dims).key("columns").begin_array();
  for (const FeatureColumn& column : header.columns) put_column(json, column);
  json.end_array();
  if (header.places) json.field("places", *header.places);
  if (!header.missing.empty()) json.key("missing").list(header.missing);
  if (header.decimal_comma) json.field("decimal_comma", true);
  if (header.quote != '"') json.field("quote", std::string_view(&header.quote, 1));
  if (!header.skip.none()) put_skip(json, header.skip);
  json.field("scale", scale_word(header.scaling));
  put_values(json.key("shift"), data.shift());
  put_values(json.key("factor"), data.scale());
  json.end_object();
  return std::move(json).text();
}

Dataset preprocessing_from_json(std::string_view text) {
  const auto parsed = Json::try_parse(text, {.utf8 = true});
  if (!parsed || !parsed->is_object()) refuse_header("expected a JSON object");
  const Json& json = *parsed;
  Dataset::Header header;
  read_target(json, header);
  header.input = input_at(json);
  header.cols = static_cast<std::uint64_t>(header.input.elements());
  header.columns = columns_at(json, header.input);
  if (json.find("places") != nullptr) header.places = places_at(json);
  if (json.find("missing") != nullptr) header.missing = texts_at(json, "missing");
  header.decimal_comma = flag_at(json, "decimal_comma");
  if (json.find("quote") != nullptr) header.quote = quote_at(json);
  if (json.find("skip") != nullptr) header.skip = skip_at(json);
  header.scaling = scale_at(json);
  Dataset data(std::move(header));
  read_values(json, "shift", data.mutable_shift());
  read_values(json, "factor", data.mutable_scale());
  return data;
}

}  // namespace nn
