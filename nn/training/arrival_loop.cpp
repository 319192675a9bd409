#include "nn/training/arrival_loop.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "nn/data/block.h"
#include "nn/training/batches.h"
#include "nn/training/tally.h"

namespace nn {

namespace {

/// A trainer that holds the gradient of one replica, with weights of its own.
class ReplicaTrainer {
 public:
  ReplicaTrainer(const StepPlan& plan, const TrainerInputs<float>& inputs)
      : memory_(Trainer<float>::arena_bytes(inputs.network, inputs.data, plan.shards, 1)),
        weights_(inputs.network.layout().count),
        trainer_(alone(plan), own(inputs)) {}

  /// Takes a version of the weights.
  void take(const float* weights) { std::copy_n(weights, weights_.size(), weights_.begin()); }
  kern::LossSums hold(const Step& step) { return trainer_.hold(step, 0); }
  [[nodiscard]] const float* gradient() const { return trainer_.held(0); }

 private:
  [[nodiscard]] static StepPlan alone(StepPlan plan) {
    plan.stale->replicas = 1;
    plan.passes = 1;
    plan.stages.clear();
    return plan;
  }
  [[nodiscard]] TrainerInputs<float> own(TrainerInputs<float> inputs) {
    inputs.arena = memory_.bytes().data();
    inputs.weights = weights_.data();
    inputs.slots = nullptr;
    inputs.parallel = nullptr;
    return inputs;
  }

  Block memory_;
  std::vector<float> weights_;
  Trainer<float> trainer_;
};

/// A batch counts when its replica ends: so nothing that is under way elsewhere shows in a sum.
class ArrivalLoop {
 public:
  ArrivalLoop(const StepLoop& loop, const TrainerInputs<float>& inputs, SlabState& state,
              Parallel* parallel)
      : loop_(loop),
        plan_(loop.plan),
        inputs_(inputs),
        state_(state),
        parallel_(parallel),
        batches_(loop.data, plan_.batch, plan_.stream, loop.rows),
        replicas_(static_cast<std::size_t>(plan_.stale->replicas)) {}

  TrainStats run(Arrivals& arrivals) {
    for (first_ = plan_.first; first_ < plan_.last && !over_; first_ += plan_.per_epoch) {
      before_ = state_.steps;
      applied_ = 0;
      const std::int64_t epoch = first_ / plan_.per_epoch;
      if (const auto known = arrivals.epochs.find(epoch); known != arrivals.epochs.end()) {
        repeat(known->second);
      } else {
        run_epoch();
        if (!over_) arrivals.epochs.emplace(epoch, std::exchange(events_, {}));
      }
    }
    return tally_.stats(stopped_);
  }

 private:
  struct Replica {
    std::int64_t finished = 0, batch = -1;  // batch -1: it has none
    std::int64_t rows = 0;                  // of that one
    kern::LossSums sums;
  };

  [[nodiscard]] Step step_of(std::int64_t batch, std::span<const std::uint32_t> rows) const {
    return plan_.step(first_ + batch, rows, before_ + batch + 1);
  }
  /// Counts a batch whose replica has ended, and updates the weights by its gradient.
  void apply(const Replica& replica, const float* gradient) {
    if (!tally_.add(replica.sums, replica.rows, state_)) {
      over_ = true;
      return;
    }
    loop_.trainer.apply(plan_.step(first_ + applied_, {}, before_ + applied_ + 1), gradient);
    ++applied_;
  }
  [[nodiscard]] bool ask_to_stop() {
    stopped_ = stopped_ || (loop_.stop && loop_.stop());
    over_ = over_ || stopped_;
    return stopped_;
  }

  /// Goes by the events of an epoch: a gradient is computed when its replica begins.
  void repeat(const std::vector<StaleEvent>& events) {
    if (std::ranges::count(events, true, &StaleEvent::begins) != plan_.per_epoch)
      throw base::Error(base::Errc::data,
                        base::cat("the arrivals of epoch ", first_ / plan_.per_epoch,
                                  " are not those of ", plan_.per_epoch, " batches"));
    for (const StaleEvent& event : events) {
      Replica& replica = replicas_[static_cast<std::size_t>(event.replica)];
      if (!event.begins) {
        apply(replica, loop_.trainer.held(event.replica));
        if (over_) return;
        continue;
      }
      if (ask_to_stop()) return;
      const std::span<const std::uint32_t> rows = batches_.of(first_ + event.step);
      replica.rows = std::ssize(rows);
      replica.sums = loop_.trainer.hold(step_of(event.step, rows), event.replica);
    }
  }

  void run_epoch() {
    events_.clear();
    next_ = 0;
    busy_ = 0;
    std::ranges::fill(replicas_, Replica{});
    if (parallel_ == nullptr)
      serve();
    else
      run_parts(*parallel_, plan_.stale->replicas, [this](int, Workspace&) { serve(); });
    if (failed_) std::rethrow_exception(failed_);
  }
  [[nodiscard]] bool epoch_ends() const {
    return over_ || failed_ || (next_ == plan_.per_epoch && busy_ == 0);
  }

  /// Runs replicas that may begin, one after another, until the epoch is over. A thread is not one
  /// replica: however few threads there are, none waits for a replica that nobody runs.
  void serve() {
    std::unique_ptr<ReplicaTrainer> trainer;
    std::vector<std::uint32_t> rows;
    std::unique_lock lock(mutex_);
    try {
      while (!epoch_ends()) {
        if (!trainer) {
          trainer = idle_trainer(lock);
          continue;
        }
        Replica* const replica = first_that_may_begin();
        if (replica == nullptr) {
          changed_.wait(lock);
          continue;
        }
        if (ask_to_stop()) break;
        begin(*replica, *trainer, rows);
        lock.unlock();
        const kern::LossSums sums = trainer->hold(step_of(replica->batch, rows));
        lock.lock();
        end(*replica, sums, *trainer);
        changed_.notify_all();
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      if (!failed_) failed_ = std::current_exception();
    }
    changed_.notify_all();
    if (trainer) idle_.push_back(std::move(trainer));
  }

  /// Takes one that another thread has left, or makes one without the lock.
  std::unique_ptr<ReplicaTrainer> idle_trainer(std::unique_lock<std::mutex>& lock) {
    if (!idle_.empty()) {
      std::unique_ptr<ReplicaTrainer> one = std::move(idle_.back());
      idle_.pop_back();
      return one;
    }
    lock.unlock();
    auto made = std::make_unique<ReplicaTrainer>(plan_, inputs_);
    lock.lock();
    return made;
  }

  /// Returns an idle replica that has finished the fewest, if it may begin; else null.
  [[nodiscard]] Replica* first_that_may_begin() {
    if (next_ == plan_.per_epoch) return nullptr;
    const auto slowest = std::ranges::min(replicas_, {}, &Replica::finished).finished;
    Replica* first = nullptr;
    for (Replica& replica : replicas_)
      if (replica.batch < 0 && (first == nullptr || replica.finished < first->finished))
        first = &replica;
    return first != nullptr && first->finished - slowest <= plan_.stale->bound ? first : nullptr;
  }

  void begin(Replica& replica, ReplicaTrainer& trainer, std::vector<std::uint32_t>& rows) {
    replica.batch = next_++;
    ++busy_;
    const std::span<const std::uint32_t> taken = batches_.of(first_ + replica.batch);
    rows.assign(taken.begin(), taken.end());
    replica.rows = std::ssize(rows);
    // A version is whole, because updates hold the mutex, too.
    trainer.take(inputs_.weights);
    log(true, replica);
  }

  void end(Replica& replica, const kern::LossSums& sums, const ReplicaTrainer& trainer) {
    if (over_) return;
    log(false, replica);
    replica.sums = sums;
    apply(replica, trainer.gradient());
    ++replica.finished;
    replica.batch = -1;
    --busy_;
  }

  void log(bool begins, const Replica& replica) {
    const auto number = static_cast<std::int32_t>(&replica - replicas_.data());
    events_.push_back({.begins = begins, .replica = number, .step = replica.batch});
  }

  const StepLoop& loop_;
  const StepPlan& plan_;
  const TrainerInputs<float>& inputs_;
  SlabState& state_;
  Parallel* parallel_;
  Batches batches_;
  Tally tally_;
  std::int64_t first_ = 0;    // step of the epoch's first batch
  std::int64_t before_ = 0;   // updates of the network before the epoch
  std::int64_t applied_ = 0;  // and in it

  // What follows, and the weights, are held by the mutex while threads serve.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Replica> replicas_;
  std::vector<StaleEvent> events_;  // of the epoch
  std::int64_t next_ = 0;           // batch
  int busy_ = 0;                    // replicas
  bool stopped_ = false, over_ = false;
  std::exception_ptr failed_;
  std::vector<std::unique_ptr<ReplicaTrainer>> idle_;
};

}  // namespace

TrainStats run_arriving(const StepLoop& loop, const TrainerInputs<float>& inputs, SlabState& state,
                        Parallel* parallel, Arrivals& arrivals) {
  return ArrivalLoop(loop, inputs, state, parallel).run(arrivals);
}

}  // namespace nn
