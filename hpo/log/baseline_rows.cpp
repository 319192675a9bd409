#include "hpo/log/baseline_rows.h"

#include "base/json.h"
#include "base/json_writer.h"
#include "hpo/log/event.h"

namespace hpo {

std::string json_of(const std::vector<BaselineRow>& rows) {
  base::JsonWriter json;
  json.begin_array();
  for (const BaselineRow& row : rows) {
    json.begin_object().field("name", row.name).key("metrics").raw(json_of(row.metrics));
    json.end_object();
  }
  json.end_array();
  return std::move(json).text();
}

std::vector<BaselineRow> baselines_from_json(std::string_view text) {
  std::vector<BaselineRow> rows;
  base::Json list = base::Json::parse(text);
  for (const auto& [none, row] : list.members()) {
    rows.push_back(
        {.name = row.at("name").text(), .metrics = metrics_from_json(row.at("metrics"))});
  }
  return rows;
}

}  // namespace hpo
