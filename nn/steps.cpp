#include "nn/steps.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "nn/batches.h"
#include "nn/course.h"

namespace nn {
namespace {

/// Calls the steps of a course: as a recording, as soon as that is the shorter way.
class Caller {
 public:
  Caller(const Steps& steps, Batches& batches) : steps_(steps), batches_(batches) {}

  void call(std::int64_t step) {
    const bool whole = batches_.size(step) == steps_.hyper.batch;
    RecordedStep* recorded = whole ? steps_.recorded : nullptr;
    if (recorded != nullptr && !recorded->made() && may_record(step))
      recordable_ = recorded->record([&] { told(step); });
    if (recorded != nullptr && recorded->made()) return recorded->run();
    told(step);
    told_ += whole ? 1 : 0;
  }

 private:
  /// Two steps have had all the memory that one needs.
  [[nodiscard]] bool may_record(std::int64_t step) const {
    constexpr int kTold = 2, kWorthWhile = 8;
    return recordable_ && told_ >= kTold && steps_.last - step >= kWorthWhile;
  }
  void told(std::int64_t step) {
    (void)steps_.trainer.step(batches_.of(step), steps_.weights, steps_.slots, step + 1, 0);
  }

  const Steps& steps_;
  Batches& batches_;
  int told_ = 0;
  bool recordable_ = true;
};

/// A course through the steps of a stretch.
class Following {
 public:
  Following(const Steps& steps, const Update<float>& update, const kern::Memory& memory,
            std::byte* there, std::int64_t behind)
      : steps_(steps),
        update_(update),
        batches_(steps.data, steps.hyper, steps.rows),
        course_(memory, steps.hyper, behind + 1, steps.feed != nullptr, there),
        caller_(steps, batches_),
        behind_(behind),
        looked_(steps.first),
        looked_at_(Clock::now()) {
    steps_.trainer.follow(course_.there());
    steps_.trainer.move_images(steps_.mover, 0);
  }

  /// Whether it was stopped.
  bool run() {
    if (steps_.feed != nullptr && steps_.first < steps_.last)
      steps_.feed->ask(batches_.of(steps_.first));
    for (std::int64_t step = steps_.first; step < steps_.last;) {
      if (halted(step)) return false;
      const std::int64_t end = std::min(end_of_run(step), looked_ + until_look_);
      bring(step, end);
      for (; step < end; ++step) {
        if (steps_.stop && steps_.stop()) return true;
        caller_.call(step);
        if (steps_.feed != nullptr && step + 1 < steps_.last)
          steps_.feed->ask(batches_.of(step + 1));
      }
    }
    return false;
  }

  [[nodiscard]] TrainStats stats(bool stopped, SlabState& state) const {
    const kern::CourseSums sums = course_.sums();
    const auto rows = [&](std::int64_t steps) {
      return batches_.before(steps_.first + steps) - batches_.before(steps_.first);
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

  /// A look at what came of it: now and then, because the device is idle meanwhile, and as often as
  /// somebody may want it to stop.
  [[nodiscard]] bool halted(std::int64_t step) {
    constexpr double kSeconds = 0.2;
    constexpr std::int64_t kSeldom = 256;
    if (step - looked_ < until_look_) return false;
    const bool halted = course_.sums().halted != 0;
    const std::chrono::duration<double> passed = Clock::now() - looked_at_;
    const double of_step = passed.count() / static_cast<double>(step - looked_);
    until_look_ = std::clamp(static_cast<std::int64_t>(std::min(kSeconds / of_step, 1e6)),
                             std::int64_t{2}, kSeldom);
    looked_ = step;
    looked_at_ = Clock::now();
    return halted;
  }
  [[nodiscard]] std::int64_t end_of_run(std::int64_t step) const {
    const std::int64_t epoch = batches_.per_epoch();
    return std::min(
        {steps_.last, (step / epoch + 1) * epoch, step + Course::most_steps(steps_.hyper)});
  }
  void bring(std::int64_t step, std::int64_t end) {
    numbers_.clear();
    for (std::int64_t s = step; s < end; ++s) {
      numbers_.push_back(update_.numbers(behind_ + 1 + s - steps_.first,
                                         rate_at(steps_.hyper, s, batches_.per_epoch())));
    }
    course_.bring(batches_.of(step, end - step), numbers_, steps_.mover,
                  step / batches_.per_epoch());
  }

  const Steps& steps_;
  const Update<float>& update_;
  Batches batches_;
  Course course_;
  Caller caller_;
  std::int64_t behind_;  ///< steps of the network before this stretch
  std::int64_t looked_, until_look_ = 8;
  Clock::time_point looked_at_;
  std::vector<kern::StepNumbers> numbers_;
};

}  // namespace

std::int64_t step_at(std::int64_t border, const Stretch& stretch, std::int64_t steps) {
  const std::int64_t epoch = border / stretch.per_epoch;
  return epoch * steps + border % stretch.per_epoch * steps / stretch.per_epoch;
}

double rate_at(const Hyper& hyper, std::int64_t step, std::int64_t steps) {
  if (hyper.lr.empty()) return real(hyper.optimizer.fields, "lr");
  const std::int64_t epoch = step / steps;
  return lr_at(hyper.lr, static_cast<double>(epoch) +
                             static_cast<double>(step % steps) / static_cast<double>(steps));
}

bool Tally::add(const kern::LossSums& sums, std::int64_t count, SlabState& state) {
  loss += sums.loss;
  correct += sums.correct;
  rows += count;
  ++steps;
  diverged = !std::isfinite(sums.loss);
  if (diverged) return false;
  ++state.steps;
  state.rows += count;
  return true;
}

TrainStats Tally::stats(bool stopped) const {
  return {.loss = rows > 0 ? loss / static_cast<double>(rows) : 0,
          .correct = correct,
          .rows = rows,
          .steps = steps,
          .diverged = diverged,
          .stopped = stopped};
}

TrainStats run_one_by_one(const Steps& s, SlabState& state) {
  Batches batches(s.data, s.hyper, s.rows);
  const std::int64_t steps = batches.per_epoch();
  const double share = s.hyper.penalty.strength / static_cast<double>(steps);
  std::int64_t epoch = -1;
  Tally tally;
  bool stopped = false;
  if (s.feed != nullptr && s.first < s.last) s.feed->ask(batches.of(s.first));
  for (std::int64_t step = s.first; step < s.last; ++step) {
    stopped = s.stop && s.stop();
    if (stopped) break;
    if (std::exchange(epoch, step / steps) != step / steps) s.trainer.move_images(s.mover, epoch);
    const bool pulls =
        s.lasso != nullptr && (s.hyper.penalty.until == 0 || step < s.hyper.penalty.until * steps);
    s.trainer.pull_units(pulls ? s.lasso : nullptr, share);
    const std::span<const std::uint32_t> chosen = batches.of(step);
    const kern::LossSums sums =
        s.trainer.step(chosen, s.weights, s.slots, state.steps + 1, rate_at(s.hyper, step, steps));
    if (!tally.add(sums, std::ssize(chosen), state)) break;
    if (s.feed != nullptr && step + 1 < s.last) s.feed->ask(batches.of(step + 1));
  }
  return tally.stats(stopped);
}

TrainStats run_course(const Steps& steps, const Update<float>& update, const kern::Memory& memory,
                      std::byte* there, SlabState& state) {
  Following following(steps, update, memory, there, state.steps);
  const bool stopped = following.run();
  return following.stats(stopped, state);
}

}  // namespace nn
