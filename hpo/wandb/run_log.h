#pragma once
// What a run of wandb has logged, as lines of a trial's metrics file.

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "hpo/wandb/record_reader.h"
#include "hpo/wandb/run_record.h"

namespace hpo::wandb {

/// Takes the bytes of a run's file as it grows. Not thread-safe.
class RunLog {
 public:
  /// Returns a line {"loss": 0.5, "val.acc": 1} for each step that these bytes complete, empty:
  /// there is none. A line has what is a number, and other plain values for who looks for one; not
  /// the names that begin with an underscore, which are wandb's own, nor `step`, which numbers
  /// reports. Throws base::Error (data).
  [[nodiscard]] std::string add(std::string_view bytes);

  /// Returns a line with what the run's summary alone has, or nothing. The run has ended.
  [[nodiscard]] std::string finish() const;

 private:
  RecordReader reader_;
  std::set<std::string> logged_;                ///< names in the history
  std::map<std::string, std::string> summary_;  ///< the newest values of others
};

}  // namespace hpo::wandb
