#include "bench/training.h"

#include "base/clock.h"
#include "runtime/instance.h"
#include "runtime/value.h"
#include "tasks/tasks.h"

namespace bench {

Trained train_ours(const Workload& workload, const nn::DataSpec& source, kern::Precision precision,
                   std::uint64_t seed, bool packs) {
  tasks::setup_process();
  const rt::Runtime runtime({.workers = workload.workers, .gpus = 0, .packs = packs});
  const rt::Value<nn::Dataset> data = tasks::load(source);
  const std::uint64_t rows = data.get().header().train_rows;
  const nn::Segment segment{0, workload.epochs};
  nn::Hyper hyper = hyper_of(workload);
  hyper.precision = precision;
  hyper.shuffle = seed;
  std::vector<nn::ModelSpec> specs;
  std::vector<rt::Value<nn::ParamSlab>> nets;
  for (const std::vector<Layer>& layers : workload.nets) {
    specs.push_back(network_of(layers, data.get().header()));
    nets.push_back(tasks::init(specs.back(), hyper.optimizer, nets.size() + seed));
    (void)nets.back().get();
  }
  Trained trained;
  const base::Moment begun = base::now();
  std::vector<rt::Value<nn::TrainStats>> stats;
  for (std::size_t i = 0; i < nets.size(); ++i)
    stats.push_back(tasks::train(
        nets[i], data, hyper, segment,
        tasks::train_cost(specs[i], segment, static_cast<std::int64_t>(rows), hyper.batch)));
  for (rt::Value<nn::TrainStats>& one : stats) (void)one.get();
  trained.seconds = base::seconds_since(begun);
  for (std::size_t i = 0; i < nets.size(); ++i) {
    const nn::Scores scores = tasks::evaluate(nets[i], data, nn::Part::test, hyper.loss, {}).get();
    trained.accuracy += scores.accuracy / static_cast<double>(nets.size());
    trained.flops += static_cast<double>(nn::flops_per_row(specs[i]).training * rows) *
                     static_cast<double>(workload.epochs);
  }
  return trained;
}

}  // namespace bench
