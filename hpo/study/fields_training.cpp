// The table's rows about networks and their training.

#include <iterator>
#include <utility>

#include "hpo/study/binding.h"
#include "hpo/study/field_rows.h"
#include "hpo/study/spec.h"
#include "nn/training/hyper.h"

namespace hpo::study {

namespace {

std::vector<Field> network_rows() {
  return {
      {.name = "network",
       .type = Type::kind,
       .count = Count::list,
       .otherwise = "two dense layers of 64 units with ReLU, after a `flatten` unless the data is "
                    "a csv; in an open search, see `parameters`",
       .only = "data",
       .doc = "Layers, first to last. The output layer is not listed; it follows from the target.",
       .per_trial = true,
       .kinds = layer_set,
       .binding = to<&StudySpec::network>()},
      {.name = "train",
       .only = "data",
       .doc = "Training of the networks.",
       .binding = to<&StudySpec::train>()},
      {.name = "train.loss",
       .type = Type::kind,
       .otherwise = "`cross_entropy` for classification, `mse` for regression",
       .doc = "Loss that training minimizes.",
       .per_trial = true,
       .kinds = loss_set,
       .binding = to<&TrainRows::loss>()},
      {.name = "train.optimizer",
       .type = Type::kind,
       .fallback = "adam",
       .doc = "The optimizer.",
       .per_trial = true,
       .kinds = optimizer_set,
       .binding = to<&TrainRows::optimizer>()},
      {.name = "train.schedule",
       .type = Type::kind,
       .otherwise = "`constant`",
       .doc = "Learning-rate schedule: changes the optimizer's `lr` from step to step. Weights "
              "that a network gains later follow the schedule from then on.",
       .per_trial = true,
       .kinds = schedule_set,
       .binding = to<&TrainRows::schedule>()},
  };
}

std::vector<Field> batch_rows() {
  return {
      {.name = "train.batch",
       .min = 1,
       .max = 1e6,
       .fallback = "32",
       .unit = "rows",
       .doc = "Batch size. The last batch of an epoch holds the remaining rows.",
       .binding = to<&TrainRows::batch>()},
      {.name = "train.rate_rule",
       .otherwise = "`none`",
       .doc = "How the learning rate follows `batch`, so that trials with different batch sizes "
              "compare at rates that suit them. `linear` multiplies `lr` by `batch` / "
              "`base_batch`, `sqrt` by its square root, `none` by 1. `lr` and a `schedule` are "
              "then those of `base_batch`. Raise the rate with a warm-up: `schedule: {cosine: "
              "{warmup: 2}}`. See `docs/large-batches.md`.",
       .binding = to<&TrainRows::rate_rule>()},
      {.name = "train.base_batch",
       .min = 1,
       .max = 1e6,
       .otherwise = "required with `rate_rule`",
       .unit = "rows",
       .doc = "Batch size that the optimizer's `lr` is for.",
       .binding = to<&TrainRows::base_batch>()},
      {.name = "train.epochs",
       .min = 1,
       .max = 1e6,
       .fallback = "27",
       .unit = "epochs",
       .doc = "Epochs of a trial that is not stopped.",
       .binding = to<&TrainRows::epochs>()},
      {.name = "train.shards",
       .min = 1,
       .max = 1e6,
       .words = {"auto"},
       .fallback = "auto",
       .doc = "Number of parts in which the gradient of a batch is computed, one after another or "
              "side by side. The parts are summed in a fixed tree. The number is part of the "
              "result, so it never depends on the machine. With `shards: k`, a batch takes the "
              "memory of a k-th of its rows: gradient accumulation (`docs/large-batches.md`). "
              "`auto`: a power of two up to 8, by the network's work; 1 on a GPU.",
       .binding = to<&TrainRows::shards>()},
  };
}

std::vector<Field> late_rows() {
  return {
      {.name = "train.late",
       .min = 0,
       .max = 1,
       .otherwise = "0",
       .unit = "steps",
       .doc = "With 1, a step applies the gradient of the step before, and the first step none. "
              "Sums of gradients can then travel while the next step is computed. The result "
              "differs from that of 0. See `docs/large-batches.md`.",
       .binding = to<&TrainRows::late>()},
      {.name = "train.staleness",
       .otherwise = "each step applies the gradient that it computes",
       .doc =
           "Trains by several replicas that do not wait for each other at every step. All replicas "
           "wait at the end of an epoch. See `docs/large-batches.md`.",
       .binding = to<&TrainRows::staleness>()},
      {.name = "train.staleness.bound",
       .min = 0,
       .max = 1024,
       .required = true,
       .unit = "batches",
       .doc = "Batches by which a replica may be ahead of the slowest one when it begins another. "
              "With 0, all wait for the slowest one.",
       .binding = to<&StalenessRows::bound>()},
      {.name = "train.staleness.replicas",
       .min = 1,
       .max = 1024,
       .required = true,
       .doc = "Number of replicas. Each takes the next batch of the epoch, computes its gradient "
              "with the weights of that moment, and applies it when its time is over.",
       .binding = to<&StalenessRows::replicas>()},
      {.name = "train.staleness.order",
       .otherwise = "`virtual`",
       .doc = "Decides which replica is late. `virtual`: the rows of each batch and `seed`, so the "
              "result is the same on any machine. `arrival`: the machine, so each training has "
              "another result; only `train` takes it, and `train --replay` repeats one bit for "
              "bit.",
       .binding = to<&StalenessRows::order>()},
      {.name = "train.staleness.jitter",
       .otherwise = "batches of equally many rows take equally long",
       .doc = "Random delays of batches.",
       .binding = to<&StalenessRows::jitter>()},
      {.name = "train.staleness.jitter.factor",
       .min = 1,
       .max = 1e6,
       .required = true,
       .doc = "How many times as long a delayed batch takes.",
       .binding = to<&JitterRows::factor>()},
      {.name = "train.staleness.jitter.probability",
       .min = 0,
       .max = 1,
       .max_excluded = true,
       .required = true,
       .doc = "Probability of a delay.",
       .binding = to<&JitterRows::probability>()},
  };
}

std::vector<Field> gradient_rows() {
  return {
      {.name = "train.clip",
       .min = 0,
       .min_excluded = true,
       .words = {"none"},
       .fallback = "none",
       .doc = "Largest Euclidean norm of a step's gradient, over all weights and after the sum "
              "over the shards. A longer gradient is scaled down to it.",
       .binding = to<&TrainRows::clip>()},
      {.name = "train.augment",
       .doc = "Random shifts and flips of training images, drawn anew in every epoch. Validation "
              "and test images stay as they are. The draw for a row depends only on `seed`, the "
              "data, the row and the epoch.",
       .binding = to<&TrainRows::augment>()},
      {.name = "train.augment.shift",
       .min = 0,
       .max = nn::kMostShift,
       .fallback = "0",
       .unit = "pixels",
       .doc = "Largest shift in each direction. Pixels that are shifted in from outside the image "
              "have the raw value 0.",
       .binding = to<&AugmentRows::shift>()},
      {.name = "train.augment.flip",
       .fallback = "none",
       .doc = "Mirror images, each direction with probability 1/2: left to right (`horizontal`), "
              "top to bottom (`vertical`) or `both`.",
       .binding = to<&AugmentRows::flip>()},
  };
}

}  // namespace

std::vector<Field> train_rows() {
  std::vector<Field> rows = network_rows();
  for (std::vector<Field> more : {batch_rows(), late_rows(), gradient_rows()})
    rows.insert(rows.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  return rows;
}

}  // namespace hpo::study
