#include "hpo/log/worker_info.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace hpo {

namespace {

constexpr std::string_view kIdle = "idle_";

std::string replaced(std::string text, char from, char to) {
  std::ranges::replace(text, from, to);
  return text;
}

}  // namespace

void put_idle(base::JsonWriter& json, const WorkerInfo& worker) {
  for (const auto& [cause, seconds] : worker.idle)
    json.field(std::string(kIdle) + replaced(cause, ' ', '_'), seconds);
}

std::string workers_json(std::span<const WorkerInfo> workers) {
  base::JsonWriter json;
  json.begin_array();
  for (const WorkerInfo& worker : workers) {
    json.begin_object().field("name", worker.name);
    if (worker.gpu >= 0) json.field("gpu", worker.gpu);
    json.field("tasks", worker.tasks);
    json.field("busy", worker.busy).field("waiting", worker.waiting);
    json.field("moving", worker.moving);
    put_idle(json, worker);
    json.end_object();
  }
  json.end_array();
  return std::move(json).text();
}

std::vector<WorkerInfo> workers_from_json(const std::string& text) {
  std::vector<WorkerInfo> workers;
  const base::Json list = base::Json::parse(text);
  for (const auto& [none, json] : list.members()) {
    WorkerInfo& worker = workers.emplace_back();
    worker.name = json.at("name").text();
    if (const base::Json* gpu = json.find("gpu")) worker.gpu = gpu->integer();
    worker.tasks = json.at("tasks").integer();
    worker.busy = json.at("busy").number();
    worker.waiting = json.at("waiting").number();
    worker.moving = json.at("moving").number();
    for (const auto& [field, seconds] : json.members()) {
      if (field.starts_with(kIdle))
        worker.idle.emplace_back(replaced(field.substr(kIdle.size()), '_', ' '), seconds.number());
    }
    const auto same_cause = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (!std::ranges::equal(worker.idle, workers.front().idle, same_cause))
      throw base::Error(
          base::Errc::storage,
          base::cat("worker \"", worker.name, "\" was idle for other causes than worker \"",
                    workers.front().name, "\""));
  }
  return workers;
}

}  // namespace hpo
