#include "nn/data/preprocessing.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

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

Json values(std::span<const float> all) {
  const bool same = std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
  if (same && !all.empty()) return all.front();
  return Json(std::vector<float>(all.begin(), all.end()));
}

Json columns(const Dataset::Header& header) {
  Json list = Json::array();
  for (const FeatureColumn& column : header.columns) {
    Json entry{{"name", column.name}};
    if (column.categories.empty()) {
      entry["fill"] = column.fill;
    } else {
      entry["categories"] = column.categories;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string preprocessing_json(const Dataset& data) {
  const Dataset::Header& header = data.header();
  Json out;
  out["task"] = data.is_classification() ? "classification" : "regression";
  out["target"] = header.target;
  if (data.is_classification()) {
    out["classes"] = header.class_names;
  } else {
    out["target_shift"] = header.target_shift;
    out["target_unit"] = header.target_unit;
  }
  out["input"] = header.input.dims;
  out["columns"] = columns(header);
  out["scale"] = scale_word(header.scaling);
  out["shift"] = values(data.shift());
  out["factor"] = values(data.scale());
  return out.dump();
}

}  // namespace nn
