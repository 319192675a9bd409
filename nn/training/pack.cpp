#include "nn/training/pack.h"

#include <deque>
#include <iterator>
#include <memory>
#include <vector>

#include "base/error.h"
#include "nn/data/block.h"
#include "nn/optimizers/stale.h"
#include "nn/training/augment.h"
#include "nn/training/batches.h"
#include "nn/training/step_plan.h"
#include "nn/training/train_checks.h"
#include "nn/training/trainer.h"

namespace nn {
namespace {

/// What the networks of a pack share.
struct Shared {
  const Network<float>& network;
  const DataView& data;
  const LossFunction<float>& loss;
  const Segment& segment;
  std::byte* arena;
};

/// A network in training.
class Lane {
 public:
  Lane(const Shared& shared, PackNet& of)
      : of_(of),
        state_(of.net->state()),
        plan_(
            plan_steps(kern::kOwnMemory, of.net->header(), shared.data, *of.hyper, shared.segment)),
        update_(optimizer_of(of.hyper->optimizer.kind).bind(of.hyper->optimizer.fields, float{})),
        trainer_(plan_, {.network = shared.network,
                         .loss = shared.loss,
                         .update = *update_,
                         .data = shared.data,
                         .weights = of.net->weights().data(),
                         .slots = of.net->weights().data() + of.net->count(),
                         .arena = shared.arena}) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Returns false if the network takes no further step.
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
  /// Trains on the rows of step `at`, which have been read. Returns false as goes_on() does.
  bool step(std::int64_t at, std::span<const std::uint32_t> rows, const Target& target) {
    const kern::LossSums sums = trainer_.step_on(target, plan_.step(at, rows, state_.steps + 1));
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
  StepPlan plan_;
  std::unique_ptr<Update<float>> update_;
  Trainer<float> trainer_;
};

}  // namespace

bool can_share_batches(const ParamSlab::Header& net, const Hyper& hyper) {
  return !net.reshaped && !staleness_of(hyper.optimizer) && hyper.penalty.strength == 0 &&
         !moves(hyper.augment) && shards_of(hyper, net.spec) == 1;
}

void train_pack(const kern::Kernels<float>& kernels, Workspace& workspace, const DataView& data,
                const Segment& segment, std::span<PackNet> nets) {
  const PackNet& any = nets.front();
  const Hyper& hyper = *any.hyper;
  for (const PackNet& one : nets) {
    check_training(kernels, *one.net, *one.hyper, segment);
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
    running.push_back(&lanes.emplace_back(Shared{network, data, *loss, segment, arena}, one));

  Batches batches(data, hyper.batch, hyper.shuffle, workspace.rows());
  const std::int64_t steps = batches.per_epoch(), last = steps_to(segment.to, segment, steps);
  for (std::int64_t step = steps_to(segment.from, segment, steps) + any.tally.steps;
       step < last && !running.empty(); ++step) {
    std::erase_if(running, [](Lane* lane) { return !lane->goes_on(); });
    if (running.empty()) return;
    const std::span<const std::uint32_t> rows = batches.of(step);
    Target target = reader.read(arena, targets, rows);
    bool first = true;
    std::erase_if(running, [&](Lane* lane) {
      if (!first && !network.keeps_input()) target = reader.read(arena, targets, rows);
      first = false;
      return !lane->step(step, rows, target);
    });
  }
  for (Lane* lane : running) lane->end();
}

}  // namespace nn
