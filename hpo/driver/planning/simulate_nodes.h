#pragma once
// A study on nodes that are not there: how long it takes on 1, 2, 4 ... of them, what limits it,
// and what losing nodes costs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/planning/played_work.h"
#include "hpo/study/spec.h"
#include "runtime/place/device_model.h"

namespace hpo {

/// A study on so many nodes.
struct NodesCase {
  int count = 0;
  double seconds = 0;  ///< from the first trial to the end of the last one; the mean of all draws
  /// Where a rule stops trials, it is a matter of luck how many: of the values that trials report,
  /// several draws are played.
  double shortest = 0, longest = 0;
  static constexpr int kDraws = 8;
  double reports = 0;       ///< of all trials, the mean of all draws
  std::int64_t trials = 0;  ///< of the first draw
  SlotTime use;             ///< of all draws
  /// "nodes" where more of them would help most; else the cause of most of the idle time:
  /// "parallel", "transfers", "stragglers" or "rule".
  std::string limit;
  /// Where the platform loses nodes, each time with another draw: means and the largest over
  /// several histories.
  struct Losses {
    double seconds = 0, worst = 0;
    double nodes = 0;   ///< that were lost
    int histories = 0;  ///< that came to an end; in the others all nodes were lost
    [[nodiscard]] bool all_ended() const noexcept { return histories == kHistories; }
  };
  static constexpr int kHistories = 5;
  std::optional<Losses> losses = {};
};

struct NodesForecast {
  std::vector<NodesCase> cases;  ///< by count
  int useful_nodes = 1;          ///< one more brings less than 5%
};

/// What is played.
struct NodesStudy {
  const StudySpec& study;     ///< settled
  const LoadedStudy* loaded;  ///< null: its trials run programs
  ProgramTime program = {};
};

/// Plays the study on 1, 2, 4 ... nodes and on all of the platform's. Inside a rt::Runtime of the
/// sequential executor, on whose thread; the process's clock is that of the simulation meanwhile.
/// Throws base::Error: no_device where a trial needs what no node has; study where a rule stops
/// programs that report until nobody knows when.
[[nodiscard]] NodesForecast simulate_nodes(const NodesStudy& study, const rt::Platform& platform,
                                           const rt::Runtime& runtime);

/// Puts "nodes", a list of {"count", "seconds", "limit", ...}, and "useful_nodes" into an object.
void put_nodes(base::JsonWriter& json, const NodesForecast& forecast);

}  // namespace hpo
