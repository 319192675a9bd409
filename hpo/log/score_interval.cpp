#include "hpo/log/score_interval.h"

#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"

namespace hpo {

std::string json_of(const std::vector<ScoreInterval>& intervals) {
  base::JsonWriter json;
  json.begin_array();
  for (const ScoreInterval& one : intervals)
    json.begin_object()
        .field("metric", one.metric)
        .field("low", one.low)
        .field("high", one.high)
        .end_object();
  json.end_array();
  return std::move(json).text();
}

std::vector<ScoreInterval> intervals_from_json(std::string_view text) {
  const base::Json json = base::Json::parse(text);
  if (!json.is_list()) throw base::Error(base::Errc::storage, "intervals are not a list");
  std::vector<ScoreInterval> intervals;
  for (const auto& [name, one] : json.members())
    intervals.push_back({.metric = one.at("metric").text(),
                         .low = one.at("low").number(),
                         .high = one.at("high").number()});
  return intervals;
}

}  // namespace hpo
