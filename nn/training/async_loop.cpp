// Launches the steps of an asynchronous plan ahead of the device.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "nn/training/batches.h"
#include "nn/training/device_steps.h"
#include "nn/training/step_loop.h"

namespace nn {
namespace {

/// Launches steps: by their kernels at first, by a recording once that is the shorter way.
class Launcher {
 public:
  Launcher(const StepLoop& loop, Batches& batches) : loop_(loop), batches_(batches) {}

  void launch(std::int64_t step) {
    const bool whole = batches_.size(step) == loop_.plan.batch;
    RecordedStep* recorded = whole ? loop_.resources.recorded() : nullptr;
    if (recorded != nullptr && !recorded->made() && may_record(step))
      recordable_ = recorded->record([&] { call_kernels(step); });
    if (recorded != nullptr && recorded->made()) return recorded->run();
    call_kernels(step);
    called_ += whole ? 1 : 0;
  }

 private:
  /// A recording may not allocate, and kernels have all the memory that they take for the length of
  /// a call after two steps.
  [[nodiscard]] bool may_record(std::int64_t step) const {
    constexpr int kCalled = 2, kWorthWhile = 8;
    return recordable_ && called_ >= kCalled && loop_.plan.last - step >= kWorthWhile;
  }
  /// Kernels read rate and epoch's moves of the step in device memory.
  void call_kernels(std::int64_t step) {
    (void)loop_.trainer.step({.rows = batches_.of(step), .number = step + 1});
  }

  const StepLoop& loop_;
  Batches& batches_;
  int called_ = 0;
  bool recordable_ = true;
};

/// The loop of one segment.
class AsyncLoop {
 public:
  AsyncLoop(const StepLoop& loop, const Update<float>& update, std::int64_t done)
      : loop_(loop),
        plan_(loop.plan),
        feed_(loop.resources.feed()),
        update_(update),
        batches_(loop.data, plan_.batch, plan_.stream, loop.rows),
        device_steps_(loop.resources.memory(), plan_, done + 1, loop.resources.step_buffer()),
        launcher_(loop, batches_),
        done_(done),
        checked_(plan_.first),
        checked_at_(Clock::now()) {}

  /// Returns true if it was asked to stop before the last step.
  bool run() {
    if (feed_ != nullptr && plan_.first < plan_.last) feed_->ask(batches_.of(plan_.first));
    for (std::int64_t step = plan_.first; step < plan_.last;) {
      if (has_halted(step)) return false;
      const std::int64_t end = std::min(end_of_run(step), checked_ + until_check_);
      upload(step, end);
      for (; step < end; ++step) {
        if (loop_.stop && loop_.stop()) return true;
        launcher_.launch(step);
        if (feed_ != nullptr && step + 1 < plan_.last) feed_->ask(batches_.of(step + 1));
      }
    }
    return false;
  }

  [[nodiscard]] TrainStats stats(bool stopped, SlabState& state) const {
    const kern::StepSums sums = device_steps_.sums();
    const auto rows = [&](std::int64_t steps) {
      return batches_.before(plan_.first + steps) - batches_.before(plan_.first);
    };
    TrainStats stats;
    stats.steps = sums.steps + sums.halted;
    stats.rows = rows(stats.steps);
    stats.correct = sums.correct;
    stats.loss = stats.rows > 0 ? sums.loss / static_cast<double>(stats.rows) : 0;
    stats.diverged = sums.halted != 0;
    stats.stopped = stopped && !stats.diverged;
    state.steps += sums.steps;
    state.rows += rows(sums.steps);
    return stats;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Returns true if a loss was not finite. Looks only now and then, because the device is idle
  /// meanwhile, and often enough to answer a request to stop.
  [[nodiscard]] bool has_halted(std::int64_t step) {
    constexpr double kSeconds = 0.2;
    constexpr std::int64_t kMostSteps = 256;
    if (step - checked_ < until_check_) return false;
    const bool halted = device_steps_.sums().halted != 0;
    const std::chrono::duration<double> passed = Clock::now() - checked_at_;
    const double of_step = passed.count() / static_cast<double>(step - checked_);
    until_check_ = std::clamp(static_cast<std::int64_t>(std::min(kSeconds / of_step, 1e6)),
                              std::int64_t{2}, kMostSteps);
    checked_ = step;
    checked_at_ = Clock::now();
    return halted;
  }
  [[nodiscard]] std::int64_t end_of_run(std::int64_t step) const {
    const std::int64_t epoch = plan_.per_epoch;
    return std::min({plan_.last, (step / epoch + 1) * epoch,
                     step + DeviceSteps::most_steps(plan_.batch, plan_.augment)});
  }
  void upload(std::int64_t step, std::int64_t end) {
    numbers_.clear();
    for (std::int64_t s = step; s < end; ++s)
      numbers_.push_back(update_.numbers(done_ + 1 + s - plan_.first, plan_.rate_at(s)));
    device_steps_.upload(batches_.of(step, end - step), numbers_, step / plan_.per_epoch);
  }

  const StepLoop& loop_;
  const StepPlan& plan_;
  TableFeed* feed_;
  const Update<float>& update_;
  Batches batches_;
  DeviceSteps device_steps_;
  Launcher launcher_;
  std::int64_t done_;  // steps of the network before this segment
  std::int64_t checked_, until_check_ = 8;
  Clock::time_point checked_at_;
  std::vector<kern::StepNumbers> numbers_;
};

}  // namespace

TrainStats run_asynchronously(const StepLoop& loop, const Update<float>& update, SlabState& state) {
  AsyncLoop steps(loop, update, state.steps);
  const bool stopped = steps.run();
  return steps.stats(stopped, state);
}

}  // namespace nn
