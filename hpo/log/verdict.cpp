#include "hpo/log/verdict.h"

#include <utility>

#include "base/json.h"
#include "base/json_writer.h"

namespace hpo {

std::string json_of(const Verdict& verdict) {
  base::JsonWriter json;
  json.begin_object().field("text", verdict.text).field("beats", verdict.beats).key("baseline");
  if (verdict.baseline.empty())
    json.null();
  else
    json.value(verdict.baseline);
  json.field("difference", verdict.difference)
      .field("low", verdict.low)
      .field("high", verdict.high)
      .field("rows", verdict.rows)
      .field("within_noise", verdict.within_noise);
  json.end_object();
  return std::move(json).text();
}

std::string verdict_json(const std::optional<Verdict>& verdict) {
  return verdict ? json_of(*verdict) : "null";
}

Verdict verdict_from_json(std::string_view text) {
  const base::Json json = base::Json::parse(text);
  return {.text = json.at("text").text(),
          .beats = json.at("beats").as_bool(),
          .baseline = json.at("baseline").as_text().value_or(""),
          .difference = json.at("difference").as_number(),
          .low = json.at("low").as_number(),
          .high = json.at("high").as_number(),
          .rows = json.at("rows").integer(),
          .within_noise = json.at("within_noise").integer()};
}

}  // namespace hpo
