#pragma once
// Training by replicas in the order in which they really finish (`order: arrival`).
//
// Nothing decides who is late but the machine, so no two such trainings are alike. But all that the
// machine decides is written down: which replica began a batch, or applied one, and in which order.
// The version of the weights that a batch saw is the number of batches applied before it began. A
// training that goes by those events has the same bits.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nn/training/staleness.h"

namespace nn {

/// The events of each epoch that was trained, by epoch.
struct Arrivals {
  std::map<std::int64_t, std::vector<StaleEvent>> epochs;
  bool operator==(const Arrivals&) const = default;
};

/// Returns text: `training`, one word that names what was trained, then a line for each epoch, such
/// as `0 +0 +1 -1 -0`: replica 0 began the first batch, replica 1 the second one and applied it,
/// then replica 0 applied the first.
[[nodiscard]] std::string text_of(const Arrivals& arrivals, std::string_view training);

/// Reads such a text. Throws base::Error (data) with `where` and a line number if it is none, if
/// it is of another training, or if its events are not those of `staleness.replicas` replicas that
/// part by `staleness.bound` at most.
[[nodiscard]] Arrivals read_arrivals(std::string_view text, std::string_view training,
                                     const Staleness& staleness, const std::string& where);

}  // namespace nn
