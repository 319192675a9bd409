#pragma once
// The calls of MLflow's REST interface, version 2.0 (https://mlflow.org/docs/latest/rest-api.html).

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hpo/mlflow/http_client.h"

namespace hpo {

using MlflowTags = std::vector<std::pair<std::string, std::string>>;

/// One point of a metric's curve.
struct MlflowPoint {
  std::string key;
  double value = 0;
  std::int64_t at = 0;  ///< milliseconds since 1970
  std::int64_t step = 0;
};

/// What the server has of a run.
struct MlflowRun {
  std::string id;
  std::string status;
  std::map<std::string, std::string> tags, params;
};

/// What can be logged to a run at once.
struct MlflowBatch {
  std::vector<MlflowPoint> points;
  MlflowTags params, tags;
};

/// Where the server is: what stands before and behind the first path of its address.
struct MlflowAddress {
  std::string host;  ///< "http://localhost:5000"
  std::string path;  ///< "" or "/mlflow"
};

/// Throws base::Error (usage) for what is no address of http or https.
[[nodiscard]] MlflowAddress parse_mlflow_address(const std::string& address);

/// A server. All calls throw base::Error (storage) with the server's message where it refuses or
/// does not answer.
class MlflowServer {
 public:
  MlflowServer(std::unique_ptr<HttpClient> http, MlflowAddress address);

  /// Returns the id of the experiment of that name, which is made where there is none.
  [[nodiscard]] std::string experiment(const std::string& name);
  /// Returns the runs of an experiment that have this tag.
  [[nodiscard]] std::vector<MlflowRun> runs(const std::string& experiment, const std::string& tag,
                                            const std::string& value);
  /// Makes a run and returns its id.
  [[nodiscard]] std::string create(const std::string& experiment, const std::string& name,
                                   std::int64_t began, const MlflowTags& tags);
  /// Logs a batch, of at most kMostPoints points; parameters that are there must be equal.
  void log(const std::string& run, const MlflowBatch& batch);
  /// Sets how a run stands; `ended` in milliseconds since 1970, 0: it has not ended.
  void update(const std::string& run, const std::string& status, std::int64_t ended);

  static constexpr std::size_t kMostPoints = 800, kMostParams = 100, kMostTags = 100;

 private:
  std::string post(const std::string& call, const std::string& json);
  [[nodiscard]] std::string taken(const std::string& call, const HttpAnswer& answer) const;
  [[nodiscard]] std::string path_of(const std::string& call) const;

  std::unique_ptr<HttpClient> http_;
  MlflowAddress address_;
};

}  // namespace hpo
