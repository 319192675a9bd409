#include "hpo/mlflow/server.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/url.h"

namespace hpo {

namespace {

constexpr int kRunsAPage = 1000;

/// As JSON of protocol buffers has it.
std::string number(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return base::format_double(value);
}

void put_pairs(base::JsonWriter& json, std::string_view name, const MlflowTags& pairs) {
  json.key(name).begin_array();
  for (const auto& [key, value] : pairs)
    json.begin_object().field("key", key).field("value", value).end_object();
  json.end_array();
}

std::map<std::string, std::string> pairs_of(const base::Json& data, std::string_view name) {
  std::map<std::string, std::string> pairs;
  const base::Json* list = data.find(name);
  if (list == nullptr) return pairs;
  for (const auto& [none, entry] : list->members())
    pairs[entry.at("key").text()] = entry.at("value").text();
  return pairs;
}

MlflowRun run_of(const base::Json& json) {
  const base::Json& info = json.at("info");
  MlflowRun run;
  run.id = info.at("run_id").text();
  run.status = info.at("status").text();
  if (const base::Json* data = json.find("data")) {
    run.tags = pairs_of(*data, "tags");
    run.params = pairs_of(*data, "params");
  }
  return run;
}

/// The message of an error; MLflow's answers have one, other servers' pages none.
std::string message_of(const HttpAnswer& answer) {
  const auto json = base::Json::try_parse(answer.body);
  const base::Json* message = json ? json->find("message") : nullptr;
  if (message != nullptr && message->is_text()) return message->text();
  return base::cat("status ", answer.status, answer.status == 404 ? ": is this MLflow?" : "");
}

bool is_missing(const HttpAnswer& answer) {
  const auto json = base::Json::try_parse(answer.body);
  const base::Json* code = json ? json->find("error_code") : nullptr;
  return code != nullptr && code->as_text() == "RESOURCE_DOES_NOT_EXIST";
}

}  // namespace

MlflowAddress parse_mlflow_address(const std::string& address) {
  const auto refuse = [&] {
    throw base::Error(base::Errc::usage,
                      base::cat("--output: '", base::printable(address, 60),
                                "', expected the address of an MLflow server, as in "
                                "http://localhost:5000"));
  };
  const std::size_t scheme = address.find("://");
  const std::string_view name = std::string_view(address).substr(0, scheme);
  if (scheme == std::string::npos || (name != "http" && name != "https")) refuse();
  const std::size_t host = scheme + 3, path = address.find('/', host);
  if (std::min(path, address.size()) == host || address.find_first_of("?#@ ") != std::string::npos)
    refuse();
  MlflowAddress out{.host = address.substr(0, path), .path = ""};
  if (path != std::string::npos) out.path = address.substr(path);
  while (out.path.ends_with('/')) out.path.pop_back();
  return out;
}

MlflowServer::MlflowServer(std::unique_ptr<HttpClient> http, MlflowAddress address)
    : http_(std::move(http)), address_(std::move(address)) {}

std::string MlflowServer::path_of(const std::string& call) const {
  return address_.path + "/api/2.0/mlflow/" + call;
}

std::string MlflowServer::taken(const std::string& call, const HttpAnswer& answer) const {
  if (answer.status == 200) return answer.body;
  const std::string server = base::printable(address_.host + address_.path);
  if (answer.status == 0)
    throw base::Error(base::Errc::storage, base::cat("cannot reach ", server, ": ", answer.body,
                                                     ": is an MLflow server running there?"));
  throw base::Error(base::Errc::storage, base::cat(server, " refuses ", call, ": ",
                                                   base::printable(message_of(answer))));
}

std::string MlflowServer::post(const std::string& call, const std::string& json) {
  return taken(call, http_->post(path_of(call), json));
}

std::string MlflowServer::experiment(const std::string& name) {
  const std::string call = "experiments/get-by-name";
  const HttpAnswer answer =
      http_->get(path_of(call) + "?experiment_name=" + base::url_encoded(name));
  if (!is_missing(answer)) {
    const std::string body = taken(call, answer);
    const base::Json json = base::Json::parse(body);
    const base::Json& experiment = json.at("experiment");
    if (experiment.at("lifecycle_stage").text() == "deleted")
      throw base::Error(base::Errc::storage,
                        base::cat("the experiment \"", base::printable(name), "\" of ",
                                  base::printable(address_.host),
                                  " is deleted: restore it there, or remove it for good"));
    return experiment.at("experiment_id").text();
  }
  base::JsonWriter json;
  json.begin_object().field("name", name).end_object();
  const std::string body = post("experiments/create", std::move(json).text());
  return base::Json::parse(body).at("experiment_id").text();
}

std::vector<MlflowRun> MlflowServer::runs(const std::string& experiment, const std::string& tag,
                                          const std::string& value) {
  std::vector<MlflowRun> runs;
  std::string page;
  do {
    base::JsonWriter json;
    json.begin_object().key("experiment_ids").begin_array().value(experiment).end_array();
    json.field("filter", base::cat("tags.`", tag, "` = '", value, "'"));
    json.field("max_results", kRunsAPage);
    if (!page.empty()) json.field("page_token", page);
    json.end_object();
    const std::string body = post("runs/search", std::move(json).text());
    const base::Json answer = base::Json::parse(body);
    if (const base::Json* list = answer.find("runs"))
      for (const auto& [none, run] : list->members()) runs.push_back(run_of(run));
    const base::Json* next = answer.find("next_page_token");
    page = next != nullptr ? next->text() : "";
  } while (!page.empty());
  return runs;
}

std::string MlflowServer::create(const std::string& experiment, const std::string& name,
                                 std::int64_t began, const MlflowTags& tags) {
  base::JsonWriter json;
  json.begin_object().field("experiment_id", experiment).field("run_name", name);
  json.field("start_time", began);
  put_pairs(json, "tags", tags);
  json.end_object();
  const std::string body = post("runs/create", std::move(json).text());
  return base::Json::parse(body).at("run").at("info").at("run_id").text();
}

void MlflowServer::log(const std::string& run, const MlflowBatch& batch) {
  base::JsonWriter json;
  json.begin_object().field("run_id", run).key("metrics").begin_array();
  for (const MlflowPoint& point : batch.points) {
    json.begin_object().field("key", point.key).key("value").raw(number(point.value));
    json.field("timestamp", point.at).field("step", point.step).end_object();
  }
  json.end_array();
  put_pairs(json, "params", batch.params);
  put_pairs(json, "tags", batch.tags);
  json.end_object();
  (void)post("runs/log-batch", std::move(json).text());
}

void MlflowServer::update(const std::string& run, const std::string& status, std::int64_t ended) {
  base::JsonWriter json;
  json.begin_object().field("run_id", run).field("status", status);
  if (ended > 0) json.field("end_time", ended);
  json.end_object();
  (void)post("runs/update", std::move(json).text());
}

}  // namespace hpo
