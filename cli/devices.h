#pragma once
// What devices did, and why they were idle, as a table.

#include <span>
#include <string>
#include <string_view>

#include "hpo/log/node_info.h"
#include "hpo/log/study_reader.h"
#include "hpo/log/worker_info.h"

namespace cli {

/// 0.123 of 1 -> "12%"; of nothing "0%".
[[nodiscard]] std::string percent(double part, double whole);

/// Cores, or GPUs, as one: their mean, and all their tasks. `kind`: "cpu" or "cuda".
[[nodiscard]] hpo::WorkerInfo mean_of(std::span<const hpo::WorkerInfo> workers,
                                      std::string_view kind);

/// Whether cores have one row together or each its own, as GPUs have.
enum class Cores : unsigned char { together, apart };

/// Shares of each device's time; of the causes of being idle those that show anywhere. A GPU that
/// several trials share is one row, "gpu 0, 8 at once": the mean of its workers, so that it is 100%
/// busy when each of them is. Empty without workers.
[[nodiscard]] std::string devices_text(std::span<const hpo::WorkerInfo> workers, Cores cores);

/// A table of agents; empty without any.
[[nodiscard]] std::string nodes_text(std::span<const hpo::NodeInfo> nodes);

/// A line on what lent workers did; empty without any.
[[nodiscard]] std::string lent_text(const hpo::WorkCounters& work);

}  // namespace cli
