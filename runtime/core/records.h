// What is written down about a run where that is asked for: the picture of the graph, the trace and
// the log of misses.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "runtime/config.h"
#include "runtime/core/node.h"
#include "runtime/graph.h"
#include "runtime/trace.h"

namespace rt::inline v0::detail {

/// Each method does nothing where its record is not asked for.
class Records {
 public:
  /// Begins the records that `config` and TRELLIS_MISS_LOG ask for. The trace counts its time from
  /// here on. `config` must outlive the records.
  explicit Records(const Config& config);

  /// True if runs are recorded. Any thread.
  [[nodiscard]] bool active() const noexcept { return graph_ || trace_; }
  /// Returns the trace, which any thread may add to; null if there is none. Any thread.
  [[nodiscard]] Trace* trace() const noexcept { return trace_.get(); }

  /// Adds a worker's lane to the trace and returns its number. Driver thread only.
  unsigned add_lane(std::string name);
  /// Adds the lane of the driver, where stored answers are shown, after those of the workers.
  /// Driver thread only.
  unsigned add_driver_lane();
  /// Adds a group of tasks to the picture and returns its box there. Driver thread only.
  Graph::Box add_group(std::string_view name, Graph::Box inside);

  /// Records a call, whose inputs are bound; with a picture, it numbers the node. Driver thread
  /// only.
  void call(Node& node) {
    if (graph_) add_call(node);
  }
  /// Records that the store answered the node. Driver thread only.
  void stored(const Node& node);
  /// Records that a result is asked for and not kept, before anything is done to compute it. Driver
  /// thread only.
  void miss(const Version& version) const {
    if (miss_log_) add_miss(version);
  }
  /// Records an attempt. `pack`: how many calls ran as one with it; 0: it ran alone. Any thread.
  void run(const Node& node, base::Moment start, base::Moment end, int attempt, unsigned lane,
           bool good, std::size_t pack);
  /// Records the end of a node that made nothing: it failed or was cancelled. Any thread.
  void no_result(const Node& node, Stage stage);

  /// Writes the picture and the trace; warns where that fails. Driver thread only, at the end.
  void write() noexcept;

 private:
  void add_call(Node& node);
  void add_miss(const Version& version) const;

  const Config& config_;
  const base::File miss_log_;  ///< none unless a test asks for it
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Trace> trace_;
  unsigned driver_lane_ = 0;
};

}  // namespace rt::inline v0::detail
