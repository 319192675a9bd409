#include "hpo/mlflow/mlflow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "base/error.h"
#include "hpo/mlflow/names.h"
#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

using nlohmann::json;

/// What the server keeps, which outlives a connection.
struct Kept {
  std::map<std::string, json> runs;  ///< by id
  std::vector<std::string> calls;
  bool has_experiment = false;
  int calls_left = 1 << 20;  ///< until the server goes away
};

/// A server with MLflow's rules.
class RuledServer : public HttpClient {
 public:
  explicit RuledServer(Kept& kept) : kept_(kept) {}

  HttpAnswer get(const std::string& path) override {
    kept_.calls.push_back(path.substr(0, path.find('?')));
    if (!kept_.has_experiment)
      return {404, R"({"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "no"})"};
    return {200, R"({"experiment": {"experiment_id": "7", "lifecycle_stage": "active"}})"};
  }

  HttpAnswer post(const std::string& path, const std::string& text) override {
    kept_.calls.push_back(path);
    if (kept_.calls_left-- <= 0) return {0, "Connection"};
    const json body = json::parse(text);
    if (path.ends_with("experiments/create")) {
      kept_.has_experiment = true;
      return {200, R"({"experiment_id": "7"})"};
    }
    if (path.ends_with("runs/create")) return create(body);
    if (path.ends_with("runs/search")) return search(body);
    json& run = kept_.runs.at(body["run_id"]);
    if (path.ends_with("runs/update")) {
      run["info"]["status"] = body["status"];
      return {200, "{}"};
    }
    return log(run, body);
  }

 private:
  HttpAnswer create(const json& body) {
    const std::string id = "run" + std::to_string(kept_.runs.size());
    kept_.runs[id] = {{"info", {{"run_id", id}, {"status", "RUNNING"}}},
                      {"data", {{"tags", body["tags"]}, {"params", json::array()}}},
                      {"points", json::array()}};
    return {200, json{{"run", kept_.runs[id]}}.dump()};
  }

  /// One run a page.
  HttpAnswer search(const json& body) {
    const auto at = static_cast<std::ptrdiff_t>(
        body.contains("page_token") ? std::stoi(body["page_token"].get<std::string>()) : 0);
    json answer;
    if (at < static_cast<std::ptrdiff_t>(kept_.runs.size()))
      answer["runs"] = json::array({std::next(kept_.runs.begin(), at)->second});
    if (at + 1 < static_cast<std::ptrdiff_t>(kept_.runs.size()))
      answer["next_page_token"] = std::to_string(at + 1);
    return {200, answer.dump()};
  }

  static void put(json& list, const json& entry) {
    for (json& known : list)
      if (known["key"] == entry["key"]) {
        known = entry;
        return;
      }
    list.push_back(entry);
  }

  static HttpAnswer log(json& run, const json& body) {
    static const std::regex kName(R"([\w\-. :/]{1,250})");
    if (body["metrics"].size() > 1000 || body["params"].size() > 100 || body["tags"].size() > 100 ||
        body["metrics"].size() + body["params"].size() + body["tags"].size() > 1000)
      return {400, R"({"error_code": "INVALID_PARAMETER_VALUE", "message": "too many"})"};
    for (const json& point : body["metrics"]) {
      if (!std::regex_match(point["key"].get<std::string>(), kName))
        return {400, R"({"message": "a bad name"})"};
      run["points"].push_back(point);
    }
    for (const json& entry : body["params"]) {
      for (const json& known : run["data"]["params"])
        if (known["key"] == entry["key"] && known["value"] != entry["value"])
          return {400, R"({"message": "Changing param values is not allowed"})"};
      put(run["data"]["params"], entry);
    }
    for (const json& entry : body["tags"]) put(run["data"]["tags"], entry);
    return {200, "{}"};
  }

  Kept& kept_;
};

class Mlflow : public ::testing::Test {
 protected:
  void append(const std::vector<Event>& events) {
    const auto log = sample::open(folder.path());
    for (const Event& event : events) log->append(event);
    log->commit();
  }
  MlflowSent send() {
    MlflowServer server(std::make_unique<RuledServer>(kept), parse_mlflow_address("http://x"));
    const StudyReader study(folder.path());
    return send_to_mlflow(study, study.trials(), server);
  }
  /// The values of a metric, in the order of their arrival.
  [[nodiscard]] std::vector<double> curve(const std::string& run, const std::string& key) const {
    std::vector<double> values;
    for (const json& point : kept.runs.at(run)["points"])
      if (point["key"] == key) values.push_back(point["value"].get<double>());
    return values;
  }
  support::TempFolder folder;
  Kept kept;
};

TEST_F(Mlflow, ASecondCallSendsWhatIsNew) {
  append({sample::created(0, 0.1), sample::reported(0, 1, 0.25), sample::created(1, 0.2)});
  MlflowSent sent = send();
  EXPECT_EQ(sent.created, 2U);
  EXPECT_EQ(kept.runs.at("run0")["info"]["status"], "SCHEDULED") << "its driver is gone";
  append({sample::reported(0, 2, 0.5), sample::ended(0, TrialState::complete)});
  sent = send();
  EXPECT_EQ(sent.created, 0U);
  EXPECT_EQ(sent.changed, 1U);
  EXPECT_EQ(sent.unchanged, 1U);
  EXPECT_EQ(curve("run0", "valid.accuracy"), (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(curve("run0", "trial/value"), (std::vector<double>{0.5}));
  EXPECT_EQ(kept.runs.at("run0")["info"]["status"], "FINISHED");
  const std::size_t calls = kept.calls.size();
  sent = send();
  EXPECT_EQ(sent.unchanged, 2U);
  EXPECT_EQ(kept.calls.size(), calls + 3) << "the experiment, and two pages of runs";
}

TEST_F(Mlflow, ACallThatWasCutOffGoesOn) {
  append({sample::created(0, 0.1)});
  std::vector<Event> events;
  for (int step = 1; step <= 900; ++step) events.push_back(sample::reported(0, step, step * 0.001));
  events.push_back(sample::ended(0, TrialState::stopped));
  append(events);
  kept.calls_left = 4;  // experiment, search, create, one batch
  EXPECT_THROW(send(), base::Error);
  EXPECT_FALSE(curve("run0", "valid.accuracy").empty());
  kept.calls_left = 1 << 20;
  EXPECT_EQ(send().changed, 1U);
  EXPECT_EQ(curve("run0", "valid.accuracy").size(), 900U) << "nothing twice";
  EXPECT_EQ(kept.runs.size(), 1U);
  EXPECT_EQ(kept.runs.at("run0")["info"]["status"], "KILLED");
}

TEST_F(Mlflow, AParameterThatChangedIsCountedAndNotSent) {
  append({sample::created(0, 0.1), sample::created(1, 0.2), sample::reported(0, 1, 0.25),
          sample::reported(1, 1, 0.5)});
  send();
  append({{.vtime = 2,
           .trial = 0,
           .body = Replaced{1, 1, {{"lr", 0.2}, {"optimizer", std::string("adam")}}}}});
  EXPECT_EQ(send().frozen, 1U);
}

TEST_F(Mlflow, WhatIsNoNumberHasItsWord) {
  append({sample::created(0, 0.1), sample::reported(0, 1, std::nan("")),
          sample::reported(0, 2, INFINITY)});
  send();
  std::vector<std::string> values;
  for (const json& point : kept.runs.at("run0")["points"])
    if (point["value"].is_string()) values.push_back(point["value"]);
  EXPECT_EQ(values, (std::vector<std::string>{"NaN", "Infinity"}));
}

TEST(MlflowNames, AreThoseThatItTakesAndStayApart) {
  MlflowNames names;
  EXPECT_EQ(names.of("valid.accuracy"), "valid.accuracy");
  EXPECT_EQ(names.of("a<b"), "a_b");
  EXPECT_EQ(names.of("a>b"), "a_b_2");
  EXPECT_EQ(names.of("a<b"), "a_b");
  EXPECT_EQ(names.of("/top/../x"), "_top/_./x");
  EXPECT_EQ(names.of(".."), "_.");
  EXPECT_EQ(names.of(""), "_");
  EXPECT_LE(names.of(std::string(1000, 'n')).size(), 250U);
  EXPECT_EQ(cut_text("\u00e9\u00e9\u00e9\u00e9", 7), "\u00e9\u00e9...");
}

TEST(MlflowAddress, HasASchemeAndAHost) {
  EXPECT_EQ(parse_mlflow_address("https://ml.example.org:8443/mlflow//").path, "/mlflow");
  EXPECT_EQ(parse_mlflow_address("https://ml.example.org:8443/mlflow/").host,
            "https://ml.example.org:8443");
  for (const char* bad : {"", "localhost:5000", "ftp://x", "http://", "http:///x", "http://a@b",
                          "http://x?y", "sqlite:///mlflow.db"})
    EXPECT_THROW((void)parse_mlflow_address(bad), base::Error) << bad;
}

}  // namespace
}  // namespace hpo
