#include "nn/pack.h"

#include <deque>
#include <iterator>
#include <memory>
#include <vector>

#include "base/error.h"
#include "nn/augment.h"
#include "nn/batches.h"
#include "nn/data/block.h"
#include "nn/train_checks.h"
#include "nn/trainer.h"

namespace nn {
namespace {

/// What the networks of a pack share.
struct Shared {
  const Network<float>& network;
  const DataView& data;
  const LossFunction<float>& loss;
  std::byte* arena;
};

/// A network on its way through the steps.
class Lane {
 public:
  Lane(const Shared& shared, PackNet& of)
      : of_(of),
        state_(of.net->state()),
        update_(optimizer_of(of.hyper->optimizer.kind).bind(of.hyper->optimizer.fields, float{})),
        trainer_(shared.network, shared.loss, *update_, shared.data, 1, shared.arena) {
    trainer_.draw_from(of.hyper->shuffle, &ids_);
    trainer_.clip_to(of.hyper->clip);
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// False: it takes no further step.
  bool goes_on() {
    const PackWord word = of_.next();
    if (word == PackWord::go_on) return true;
    of_.net->state() = state_;
    if (word == PackWord::leave)
      of_.left(of_.tally);
    else
      of_.ended(of_.tally.stats(true));
    return false;
  }
  bool step(const Target& read, std::span<const std::uint32_t> rows, std::int64_t step,
            std::int64_t steps) {
    float* const weights = of_.net->weights().data();
    const kern::LossSums sums =
        trainer_.step_on(read, rows, weights, weights + of_.net->count(), state_.steps + 1,
                         rate_at(*of_.hyper, step, steps));
    if (of_.tally.add(sums, std::ssize(rows), state_)) return true;
    end();
    return false;
  }
  void end() {
    of_.net->state() = state_;
    of_.ended(of_.tally.stats(false));
  }

 private:
  PackNet& of_;
  SlabState state_;
  UnitState units_;
  UnitIds ids_{units_};
  std::unique_ptr<Update<float>> update_;
  Trainer<float> trainer_;
};

}  // namespace

bool can_share_batches(const ParamSlab::Header& net, const Hyper& hyper) {
  return !net.reshaped && hyper.penalty.strength == 0 && !moves(hyper.augment) &&
         shards_of(hyper, net.spec) == 1;
}

void train_pack(const kern::Kernels<float>& kernels, Workspace& workspace, const DataView& data,
                const Stretch& stretch, std::span<PackNet> nets) {
  const PackNet& any = nets.front();
  const Hyper& hyper = *any.hyper;
  for (const PackNet& one : nets) {
    check_training(kernels, *one.net, *one.hyper, stretch);
    if (one.net->spec() != any.net->spec() || one.tally.steps != any.tally.steps)
      throw base::Error(base::Errc::internal, "networks train together that differ");
  }
  if (!can_share_batches(any.net->header(), hyper))
    throw base::Error(base::Errc::internal,
                      "networks train together whose steps are not of batches alone");
  const Network<float>& network =
      workspace.network(any.net->spec(), kernels, hyper.batch, Use::training);
  check_data(network, data, hyper);
  const auto loss = loss_function<float>(hyper.loss, data);
  std::byte* const arena = workspace.arena(Trainer<float>::arena_bytes(network, data, 1));
  const BatchReader<float> reader(network, data);
  std::byte* const targets = arena + Block::aligned(network.arena_bytes());
  std::deque<Lane> lanes;
  std::vector<Lane*> running;
  for (PackNet& one : nets)
    running.push_back(&lanes.emplace_back(Shared{network, data, *loss, arena}, one));

  Batches batches(data, hyper, workspace.rows());
  const std::int64_t steps = batches.per_epoch(), last = step_at(stretch.to, stretch, steps);
  for (std::int64_t step = step_at(stretch.from, stretch, steps) + any.tally.steps;
       step < last && !running.empty(); ++step) {
    std::erase_if(running, [](Lane* lane) { return !lane->goes_on(); });
    if (running.empty()) return;
    const std::span<const std::uint32_t> rows = batches.of(step);
    Target read = reader.read(arena, targets, rows);
    bool first = true;
    std::erase_if(running, [&](Lane* lane) {
      if (!first && !network.keeps_input()) read = reader.read(arena, targets, rows);
      first = false;
      return !lane->step(read, rows, step, steps);
    });
  }
  for (Lane* lane : running) lane->end();
}

}  // namespace nn
