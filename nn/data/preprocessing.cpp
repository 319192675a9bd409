#include "nn/data/preprocessing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace nn {

namespace {

using Json = nlohmann::ordered_json;

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
    case DateOrder::none:
      break;
  }
  return "none";
}

Json values(std::span<const float> all) {
  const bool same = std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
  if (same && !all.empty()) return all.front();
  return Json(std::vector<float>(all.begin(), all.end()));
}

Json format_json(const NumberFormat& format) {
  return {{"sign", format.sign},
          {"group", format.group},
          {"decimal", format.decimal_comma ? "," : "."}};
}

Json columns(const Dataset::Header& header) {
  Json list = Json::array();
  for (const FeatureColumn& column : header.columns) {
    Json entry{{"name", column.name}};
    switch (column.kind()) {
      case ColumnKind::categories:
        entry["categories"] = column.categories;
        break;
      case ColumnKind::hashed:
        entry["hashed"] = column.buckets;
        break;
      case ColumnKind::date:
        entry["date"] = date_word(column.date);
        entry["clock"] = column.clock;
        entry["fill"] = column.fill;
        break;
      case ColumnKind::number:
        entry["fill"] = column.fill;
        if (column.offset != 0) entry["offset"] = column.offset;
        break;
    }
    if (column.indicator) entry["indicator"] = true;
    if (!column.format.plain()) entry["format"] = format_json(column.format);
    if (column.absent) entry["absent"] = true;
    list.push_back(std::move(entry));
  }
  return list;
}

constexpr std::size_t kMostInputs = 1U << 24;

[[noreturn]] void refuse_header(const std::string& what) {
  throw base::Error(base::Errc::data, "preprocessing: " + what);
}

const Json& at(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) refuse_header("no \"" + std::string(name) + "\"");
  return *found;
}

std::string text_at(const Json& json, const char* name) {
  const Json& value = at(json, name);
  if (!value.is_string()) refuse_header("\"" + std::string(name) + "\" is not a text");
  return value.get<std::string>();
}

double number_at(const Json& json, const char* name) {
  const Json& value = at(json, name);
  if (!value.is_number()) refuse_header("\"" + std::string(name) + "\" is not a number");
  return value.get<double>();
}

std::vector<std::string> texts_at(const Json& json, const char* name) {
  const Json& list = at(json, name);
  const auto is_text = [](const Json& value) { return value.is_string(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_text))
    refuse_header("\"" + std::string(name) + "\" is not a list of texts");
  return list.get<std::vector<std::string>>();
}

Scale scale_at(const Json& json) {
  const std::string word = text_at(json, "scale");
  for (const Scale scale : {Scale::standard, Scale::minmax, Scale::unit, Scale::none}) {
    if (word == scale_word(scale)) return scale;
  }
  refuse_header("\"scale\" is none that this program knows");
}

Shape input_at(const Json& json) {
  Shape shape;
  const Json& dims = at(json, "input");
  if (!dims.is_array() || (dims.size() != 1 && dims.size() != 3))
    refuse_header("\"input\" has not 1 or 3 dimensions");
  std::size_t elements = 1;
  for (const Json& dim : dims) {
    const bool fits = dim.is_number_unsigned() && dim.get<std::uint64_t>() <= kMostInputs;
    elements *= fits ? dim.get<std::size_t>() : 0;
    if (elements == 0 || elements > kMostInputs) refuse_header("\"input\" is no size of a row");
    shape.dims.push_back(dim.get<std::int32_t>());
  }
  return shape;
}

bool flag_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

DateOrder date_at(const Json& json) {
  const std::string word = text_at(json, "date");
  for (const DateOrder order :
       {DateOrder::year_first, DateOrder::day_first, DateOrder::month_first}) {
    if (word == date_word(order)) return order;
  }
  refuse_header("\"date\" is none that this program knows");
}

NumberFormat format_at(const Json& entry) {
  if (!entry.is_object()) refuse_header("a format is not an object");
  NumberFormat format{.sign = text_at(entry, "sign"), .group = text_at(entry, "group")};
  const std::string decimal = text_at(entry, "decimal");
  const bool known = format.group.empty() || format.group == " " || format.group == "'" ||
                     format.group == "," || format.group == ".";
  if (!known || (decimal != "." && decimal != ",") || format.group == decimal)
    refuse_header("a format is none that this program knows");
  format.decimal_comma = decimal == ",";
  return format;
}

FeatureColumn column_at(const Json& entry) {
  FeatureColumn column{.name = text_at(entry, "name"), .categories = {}};
  if (entry.contains("categories")) {
    column.categories = texts_at(entry, "categories");
    if (column.categories.empty() || !std::ranges::is_sorted(column.categories))
      refuse_header("the categories of a column are not in order");
  } else if (entry.contains("hashed")) {
    const double inputs = number_at(entry, "hashed");
    if (!(inputs >= 1 && inputs <= kMostInputs && inputs == std::floor(inputs)))
      refuse_header("\"hashed\" is no number of inputs");
    column.buckets = static_cast<std::uint32_t>(inputs);
  } else {
    if (entry.contains("date")) column.date = date_at(entry);
    column.clock = flag_at(entry, "clock");
    column.fill = static_cast<float>(number_at(entry, "fill"));
    column.indicator = flag_at(entry, "indicator");
    if (entry.contains("format")) column.format = format_at(entry["format"]);
    if (entry.contains("offset")) column.offset = number_at(entry, "offset");
  }
  column.absent = flag_at(entry, "absent");
  return column;
}

std::vector<FeatureColumn> columns_at(const Json& json, const Shape& input) {
  const Json& list = at(json, "columns");
  if (!list.is_array()) refuse_header("\"columns\" is not a list");
  std::vector<FeatureColumn> columns;
  std::size_t inputs = 0;
  for (const Json& entry : list) {
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
  const Json& places = at(json, "places");
  if (!places.is_number_unsigned()) refuse_header("\"places\" is no number of columns");
  return places.get<std::uint64_t>();
}

void read_values(const Json& json, const char* name, std::span<float> out) {
  const Json& value = at(json, name);
  if (value.is_number()) {
    std::ranges::fill(out, value.get<float>());
    return;
  }
  const auto is_number = [](const Json& entry) { return entry.is_number(); };
  if (!value.is_array() || value.size() != out.size() || !std::ranges::all_of(value, is_number))
    refuse_header("\"" + std::string(name) + "\" is not a number for each input");
  std::ranges::transform(value, out.begin(), [](const Json& entry) { return entry.get<float>(); });
}

/// One value, or a list of them.
Json listed(const Json& json, const char* name) {
  const Json& value = at(json, name);
  return value.is_array() ? value : Json::array({value});
}

void read_numbers(const Json& json, Dataset::Header& header) {
  const Json names = listed(json, "target"), shifts = listed(json, "target_shift"),
             units = listed(json, "target_unit");
  if (names.empty() || names.size() > kMaxTargets || shifts.size() != names.size() ||
      units.size() != names.size())
    refuse_header("\"target\", \"target_shift\" and \"target_unit\" are not as many");
  header.targets.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].is_string() || !shifts[i].is_number() || !units[i].is_number())
      refuse_header("a target is not a name, a shift and a unit");
    header.targets.push_back({.name = names[i].get<std::string>(),
                              .shift = shifts[i].get<double>(),
                              .unit = units[i].get<double>()});
  }
}

void read_target_formats(const Json& json, Dataset::Header& header) {
  if (!json.contains("target_formats")) return;
  for (const Json& format : listed(json, "target_formats"))
    header.target_formats.push_back(format_at(format));
  if (header.target_formats.size() != header.targets.size())
    refuse_header("\"target\" and \"target_formats\" are not as many");
}

/// A value for each target; one of them is not a list.
template <class Member>
Json of_targets(const Dataset::Header& header, Member member) {
  if (header.targets.size() == 1) return header.targets.front().*member;
  Json list = Json::array();
  for (const TargetColumn& target : header.targets) list.push_back(target.*member);
  return list;
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
    refuse_header("\"task\" is none that this program knows");
  }
  read_target_formats(json, header);
}

}  // namespace

std::string preprocessing_json(const Dataset& data) {
  const Dataset::Header& header = data.header();
  Json out;
  out["task"] = data.is_classification() ? "classification" : "regression";
  out["target"] = of_targets(header, &TargetColumn::name);
  if (data.is_classification()) {
    out["classes"] = header.class_names;
  } else {
    out["target_shift"] = of_targets(header, &TargetColumn::shift);
    out["target_unit"] = of_targets(header, &TargetColumn::unit);
  }
  Json formats = Json::array();
  for (const NumberFormat& format : header.target_formats) formats.push_back(format_json(format));
  if (!formats.empty()) out["target_formats"] = std::move(formats);
  out["input"] = header.input.dims;
  out["columns"] = columns(header);
  if (header.places) out["places"] = *header.places;
  if (!header.missing.empty()) out["missing"] = header.missing;
  if (header.decimal_comma) out["decimal_comma"] = true;
  out["scale"] = scale_word(header.scaling);
  out["shift"] = values(data.shift());
  out["factor"] = values(data.scale());
  return out.dump();
}

Dataset preprocessing_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) refuse_header("expected a JSON object");
  Dataset::Header header;
  read_target(json, header);
  header.input = input_at(json);
  header.cols = static_cast<std::uint64_t>(header.input.elements());
  header.columns = columns_at(json, header.input);
  if (json.contains("places")) header.places = places_at(json);
  if (json.contains("missing")) header.missing = texts_at(json, "missing");
  header.decimal_comma = flag_at(json, "decimal_comma");
  header.scaling = scale_at(json);
  Dataset data(std::move(header));
  read_values(json, "shift", data.mutable_shift());
  read_values(json, "factor", data.mutable_scale());
  return data;
}

}  // namespace nn
