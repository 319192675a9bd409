#pragma once
// What the workers of a session did over time, as the log keeps it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hpo {

/// A worker, in buckets of time.
struct WorkerUse {
  std::string name;       ///< as in WorkerInfo
  std::int64_t gpu = -1;  ///< as in WorkerInfo
  /// [bucket][state]: shares of the bucket's time, as far as the session has come; the log keeps
  /// them to 1/255.
  std::vector<double> shares;
};

/// A session of a driver, from when its workers were there on. The last bucket may be cut short.
struct SessionUse {
  std::int64_t epoch = 0;  ///< of the driver
  std::int64_t began = 0;  ///< wall clock, microseconds since 1970
  double width = 0;        ///< seconds of a bucket
  double seconds = 0;      ///< of the session so far
  std::vector<std::string>
      states;  ///< "busy", "moving" (data of a task), then why a worker was idle, as in WorkerInfo
  std::vector<WorkerUse> workers;

  [[nodiscard]] double share(std::size_t worker, std::size_t bucket, std::size_t state) const {
    return workers.at(worker).shares.at(bucket * states.size() + state);
  }
};

}  // namespace hpo
