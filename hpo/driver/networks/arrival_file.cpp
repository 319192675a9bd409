#include "hpo/driver/networks/arrival_file.h"

#include <string>

#include "base/error.h"
#include "base/hash.h"
#include "nn/optimizers/stale.h"
#include "runtime/codec.h"

namespace hpo {

namespace {

/// One word for all that decides the bits of a training besides the order of replicas.
std::string name_of_training(const LoadedStudy& loaded, const TrialSpec& spec) {
  return base::Hasher()
      .add(base::hash_bytes(rt::encode(spec.hyper)))
      .add(base::hash_bytes(rt::encode(spec.model)))
      .add(loaded.data.content)
      .add(loaded.data.seeds.init)
      .add(loaded.data.seeds.shuffle)
      .finish()
      .hex();
}

}  // namespace

ByArrival::ByArrival(const LoadedStudy& loaded, const TrialSpec& spec, const RunOptions& options,
                     int gpus) {
  const auto refuse = [](const char* why) { throw base::Error(base::Errc::usage, why); };
  const auto& staleness = loaded.study.train.staleness;
  const bool by_arrival = staleness && staleness->by_arrival();
  if (!by_arrival && !options.repeat.empty())
    refuse(
        "--replay: only a training with `train: {staleness: {order: arrival}}` needs it; all "
        "others "
        "repeat without");
  if (!by_arrival) return;
  if (options.stages > 1)
    refuse(
        "--execution: pipeline: with `order: arrival` replicas share the workers; expected another "
        "--execution");
  if (gpus > 0)
    refuse(
        "train.staleness: with `order: arrival` replicas train on cores; expected --executor cpu "
        "or "
        "`resources: {gpus: 0}`");
  if (data_spec(loaded.study, loaded.params).split.folds > 0)
    refuse(
        "train.staleness: with `order: arrival` one network is trained, but `data.folds` trains "
        "several; remove one of the two");
  const std::string training = name_of_training(loaded, spec);
  const auto replicas = nn::staleness_of(spec.hyper.optimizer).value();
  file_ = options.repeat.empty() ? options.folder / kArrivalsFile : options.repeat;
  book_ = options.repeat.empty()
              ? tasks::ArrivalBook::own(file_, training, replicas)
              : tasks::ArrivalBook::to_repeat(file_, training, replicas, spec.epochs);
  tasks::train_by_arrival(&*book_);
}

}  // namespace hpo
