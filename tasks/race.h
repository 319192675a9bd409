#pragma once
// A race: the same network forked into itself and reshaped copies, each trained over one segment on
// the same batches and scored on the same rows.

#include <cstdint>
#include <optional>
#include <vector>

#include "nn/adapt/policy.h"
#include "nn/evaluation/row_losses.h"
#include "nn/model/slab.h"
#include "nn/training/hyper.h"
#include "nn/training/train.h"
#include "runtime/async.h"
#include "runtime/value.h"
#include "tasks/device_rule.h"
#include "tasks/tasks.h"

namespace tasks {

/// What all runners of a race, and all turns of an adapting network, have in common.
struct TrainingSetup {
  rt::Value<nn::Dataset> data;
  nn::Hyper hyper;
  std::uint64_t train_rows = 0;
  std::uint64_t seed = 0;   ///< of fresh weights
  std::uint64_t apart = 0;  ///< of networks that are born, as tasks::init
  /// The network that a trial began with, where weights of others are its own as far as they go;
  /// none: they are drawn.
  std::optional<rt::Value<nn::ParamSlab>> first = {};
  std::int64_t score_rows = 0;  ///< validation rows that are compared on, the first so many
  bool by_row = false;          ///< whether runners are compared row by row
  DeviceRule devices = {};
};

/// A network, what it looks like, and what was spent on it here.
struct Reshaped {
  rt::Value<nn::ParamSlab> net;
  nn::ModelSpec spec;
  double flops = 0;
};

/// `net` after operations, one after another. Waits only where the size of the result depends on
/// weights or data. Throws base::Error (study) with the reason when one can't be done.
[[nodiscard]] rt::Async<Reshaped> reshape_all(rt::Value<nn::ParamSlab> net, nn::ModelSpec spec,
                                              nn::Operations operations, TrainingSetup setup);

/// One of a race's networks behind its segment. A training that diverged has a loss that is no
/// number in `scores` too.
struct Runner {
  nn::Operations operations;
  std::optional<double> pull;  ///< a guest's
  Reshaped network;            ///< trained
  nn::TrainStats stats;
  nn::Scores scores;
  nn::PairedGain gain;  ///< against the first; by row alone
};

/// A network of its own that takes part in a race as it is: it has gone through `operations`
/// before.
struct Guest {
  nn::Operations operations;
  double pull = 0;
  nn::Hyper hyper;  ///< the setup's, with that pull
  Reshaped network;
};

/// Trains `net` as it is, which is exactly the training that it would have had without a race,
/// after each of `entrants`, and the guests, over `segment`. All are submitted at once as siblings
/// of one graph; the result is in the order keep, entrants, guests. `net` is not touched: what
/// loses leaves nothing behind.
[[nodiscard]] rt::Async<std::vector<Runner>> race(rt::Value<nn::ParamSlab> net, nn::ModelSpec spec,
                                                  std::vector<nn::Operations> entrants,
                                                  std::vector<Guest> guests, nn::Segment segment,
                                                  TrainingSetup setup);

/// Scores on the first `rows` validation rows (0: all).
[[nodiscard]] rt::Value<nn::Scores> score(const rt::Value<nn::ParamSlab>& net,
                                          const rt::Value<nn::Dataset>& data,
                                          const nn::Choice& loss, std::int64_t rows,
                                          rt::Flops cost);

/// Scores on the first rows, and the losses that they are the mean of. Encodable.
struct RowScores {
  nn::Scores scores;
  std::vector<float> losses;  ///< [rows]
};
[[nodiscard]] rt::Value<RowScores> score_rows(const rt::Value<nn::ParamSlab>& net,
                                              const rt::Value<nn::Dataset>& data,
                                              const nn::Choice& loss, std::int64_t rows,
                                              rt::Flops cost);

/// What race() spends on `spec` after `operations`, counted; an upper bound where sizes depend on
/// data.
[[nodiscard]] rt::Flops runner_cost(const nn::ModelSpec& spec, const nn::Operations& operations,
                                    const nn::Segment& segment, const TrainingSetup& setup);

}  // namespace tasks
