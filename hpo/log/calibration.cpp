#include "hpo/log/calibration.h"

#include <utility>

#include "base/json.h"
#include "base/json_writer.h"

namespace hpo {

std::string json_of(const Calibrated& calibrated) {
  base::JsonWriter json;
  json.begin_object().field("temperature", calibrated.temperature);
  json.field("threshold", calibrated.threshold).key("class");
  if (calibrated.of_class.empty())
    json.null();
  else
    json.value(calibrated.of_class);
  json.key("metrics").raw(json_of(calibrated.metrics)).end_object();
  return std::move(json).text();
}

std::string calibrated_json(const std::optional<Calibrated>& calibrated) {
  return calibrated ? json_of(*calibrated) : "null";
}

Calibrated calibrated_from_json(std::string_view text) {
  const base::Json json = base::Json::parse(text);
  return {.temperature = json.at("temperature").number(),
          .threshold = json.at("threshold").number(),
          .of_class = json.at("class").as_text().value_or(""),
          .metrics = metrics_from_json(json.at("metrics"))};
}

}  // namespace hpo
