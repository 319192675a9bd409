#include "nn/training/pipelined.h"

#include <utility>

namespace nn {

template <class T>
Pipelined<T>::Pipelined(Trainer<T>& trainer, std::vector<StageLayers> stages, StageOrder order)
    : trainer_(trainer),
      stages_(std::move(stages)),
      passes_(static_cast<std::size_t>(trainer.passes_)),
      pipeline_(static_cast<int>(stages_.size()), order, [this](int stage, const StageWork& work) {
        run_work(stages_[static_cast<std::size_t>(stage)], work);
      }) {}

template <class T>
void Pipelined<T>::run(int first, int count, const Step& step) {
  first_ = first;
  step_ = &step;
  pipeline_.run(count, trainer_.in_.parallel);
}

template <class T>
void Pipelined<T>::run_work(const StageLayers& stage, const StageWork& work) {
  const Network<T>& network = trainer_.in_.network;
  // The order of the first stage: a shard begins when the one that had its place has left.
  const std::size_t place = static_cast<std::size_t>(work.shard) % passes_.size();
  ShardPass<T>& one = passes_[place];
  if (work.forward && stage.first == 0) {
    T* const gradient = trainer_.block(trainer_.sums_before_ + work.shard);
    if (!trainer_.open(one, first_ + work.shard, gradient, *step_,
                       trainer_.arena(static_cast<int>(place)))) {
      network.kernels().memory->zero(gradient, network.layout().count * sizeof(T));
      one.pass.rows = 0;
    }
  }
  if (one.pass.rows == 0) return;
  if (!work.forward) return network.backward(one.pass, stage.first, stage.last);
  network.forward(one.pass, stage.first, stage.last);
  if (stage.last == network.spec().layers.size())
    trainer_.sums_[static_cast<std::size_t>(one.shard)] =
        network.loss(one.pass, trainer_.in_.loss, one.target);
}

template class Pipelined<float>;
template class Pipelined<double>;

}  // namespace nn
