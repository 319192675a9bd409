#pragma once
// How long a network takes to answer one row: measured, so another number each time.

#include <functional>

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/model/slab.h"
#include "nn/network/workspace.h"

namespace nn {

/// Seconds since any moment.
using Clock = std::function<double()>;

/// The most forwards that count, the fewest, and the seconds after which no more than these are
/// tried.
inline constexpr int kMostTimed = 200;
inline constexpr int kFewestTimed = 5;
inline constexpr double kTimedFor = 0.05;

/// The median of the seconds that `net` takes to answer a row of the view alone, one after another
/// of them: from its numbers lying where the kernels read them to the answer lying in the program's
/// memory. On the calling thread, without helpers, behind a tenth as many forwards that do not
/// count. No rows: 0. Throws base::Error (study) when network and data do not fit together.
[[nodiscard]] double row_latency(const kern::Kernels<float>& kernels, Workspace& workspace,
                                 const ParamSlab& net, const DataView& data, const Clock& clock);

}  // namespace nn
