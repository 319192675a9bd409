#include "hpo/driver/plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "base/random.h"
#include "hpo/driver/forecast.h"
#include "hpo/driver/placement.h"
#include "hpo/log/json.h"
#include "hpo/search/reached.h"
#include "hpo/search/study_machine.h"
#include "hpo/study/gpus.h"
#include "runtime/key.h"

namespace hpo {

namespace {

/// One trial on its way through virtual time.
struct Course {
  TrialSpec spec;
  Forecast forecast;
  std::vector<std::int64_t> borders;
  std::size_t next = 0;
  int networks = 1;  ///< one for each fold of the data
  double quality = 0;
  double flops = 0;
  double steps = 0;
};

/// What a trial of that quality reports: always better than before, so that no rule stops it for
/// standing still, and never bad in itself. Trials rank by their quality.
double value_of(double quality, std::int64_t step, bool maximize) {
  constexpr double kStride = 1e6;
  const double gain = kStride * static_cast<double>(step);
  return maximize ? quality + gain : quality - gain;
}

/// The table stays in main memory.
void stream(Piece& piece, const Work& work, const rt::DeviceModel& gpu) {
  piece.gpu_memory = work.slab + work.counted.memory + work.counted.streaming->memory;
  piece.gpu_seconds =
      rt::seconds_streaming(gpu, work.counted) + rt::seconds_to_move(gpu, work.brought);
}

PaperTrial pieces_of(const std::vector<Work>& done, const rt::Platform& platform,
                     std::uint64_t data) {
  PaperTrial trial;
  for (const Work& work : done) {
    Piece piece{.step_flops = work.step_flops,
                .cpu_seconds = rt::seconds_on(platform.cpu, work.counted)};
    if (platform.gpu.count > 0) {
      piece.gpu_seconds = rt::seconds_on(platform.gpu, work.counted) +
                          rt::seconds_to_move(platform.gpu, work.brought);
      const bool works_there = work.counted.memory > 0;  // a core reshapes
      piece.gpu_memory = works_there ? work.slab + work.counted.memory + data : 0;
      if (platform.gpu.memory != 0 && piece.gpu_memory > platform.gpu.memory &&
          work.counted.streaming)
        stream(piece, work, platform.gpu);
    }
    trial.push_back(piece);
  }
  return trial;
}

/// Where only time ends a study: more trials tell nothing more about what one costs.
constexpr std::int64_t kMostByTime = 1000;

/// The study, ended by a number of trials where it is by time.
StudySpec with_trials(StudySpec study) {
  if (ends_by_time(study)) study.limits.trials = kMostByTime;
  return study;
}

/// No more networks share a GPU than the study has slots for.
rt::Platform with_slots(rt::Platform platform, std::int64_t slots) {
  rt::DeviceModel& gpu = platform.gpu;
  if (gpu.count > 0)
    gpu.sharers =
        static_cast<int>(std::min<std::int64_t>(gpu.sharers, (slots + gpu.count - 1) / gpu.count));
  return platform;
}

class Play {
 public:
  Play(const LoadedStudy& loaded, const rt::Platform& platform)
      : study_(with_trials(loaded.study)),
        data_(loaded.data),
        slots_(slots_on(platform, loaded)),
        platform_(with_slots(platform, slots_)),
        open_(loaded.asked.any_gpu && !loaded.asked.gpu_from),
        gpu_from_(device_rule(loaded.asked).gpu_from),
        machine_({.study = study_}) {
    plan_.ends_by_time = ends_by_time(loaded.study);
  }

  /// What every trial did in run().
  [[nodiscard]] std::vector<PaperTrial> on_paper() const {
    std::vector<PaperTrial> trials;
    const std::uint64_t data = nn::Dataset::byte_size(data_.value.get().header());
    for (const std::vector<Work>& done : done_) trials.push_back(pieces_of(done, platform_, data));
    return trials;
  }

  Plan run() {
    double now = 0;
    while (fill_slots(now) && !is_late()) {
      const auto [time, trial] = *due_.begin();
      due_.erase(due_.begin());
      now = time;
      report(time, trial);
    }
    plan_.trials = static_cast<std::int64_t>(machine_.created());
    plan_.distinct_epochs = std::llround(distinct_epochs_);
    plan_.memory += static_cast<std::uint64_t>(slots_) * largest_;
    return plan_;
  }

 private:
  /// What the machine says comes next, now; false when nothing runs any more.
  bool fill_slots(double now) {
    while (const auto next = machine_.next(static_cast<std::size_t>(slots_))) {
      machine_.apply(next->trial, next->event);
      if (const auto* created = std::get_if<Created>(&next->event)) begin(*next->trial, *created);
      if (std::holds_alternative<Ended>(next->event))
        courses_.erase(*next->trial);
      else if (next->trial)
        advance(now, *next->trial);
    }
    return !due_.empty();
  }

  void begin(std::uint64_t trial, const Created& created) {
    TrialSpec spec = materialise(study_, created.params, data_.info);
    const nn::DataSpec part = data_spec(study_, created.params);
    Course course{.spec = spec,
                  .forecast = Forecast(spec, data_, rt::key_of(part)),
                  .borders = report_borders(study_, spec.epochs),
                  .networks = std::max(1, part.split.folds),
                  .quality = base::Stream(study_.seed, "plan", trial).uniform()};
    courses_.emplace(trial, std::move(course));
  }

  [[nodiscard]] bool is_late() const {
    return plan_.ends_by_time && seconds_ >= *study_.limits.time;
  }

  /// Counts the next stretch and puts its report where it is due.
  void advance(double time, std::uint64_t trial) {
    Course& course = courses_.at(trial);
    const std::int64_t from = course.next == 0 ? 0 : course.borders[course.next - 1];
    const std::int64_t to = course.borders[course.next];
    double flops = 0;
    for (Work work : course.forecast.advance(to)) {
      work.flops *= course.networks;
      work.steps *= course.networks;
      work.epochs *= course.networks;
      flops += work.flops;
      plan_.steps += work.steps;
      if (!seen_.insert(work.key).second) continue;
      note(trial, work, course.networks);
      plan_.distinct_steps += work.steps;
      plan_.distinct_flops += work.flops;
      seconds_ += course.networks * seconds_of(work);
      distinct_epochs_ += work.epochs;
    }
    plan_.epochs += (to - from) * course.networks;
    plan_.flops += flops;
    plan_.at_least = plan_.at_least || !course.forecast.exact();
    largest_ = std::max(largest_, course.forecast.memory());
    course.flops += flops;
    course.steps = static_cast<double>(counted_steps(study_, data_, course.spec, to));
    due_.emplace(time + flops, trial);
  }

  /// Where as many trials at once do such work as there are places on devices and slots, on the
  /// better kind where the study leaves that open.
  [[nodiscard]] double seconds_of(const Work& work) const {
    const auto shared = [&](const rt::DeviceModel& device) {
      return rt::seconds_on(device, work.counted) /
             static_cast<double>(std::min<std::int64_t>(device.count * device.sharers, slots_));
    };
    if (platform_.gpu.count == 0) return shared(platform_.cpu);
    if (open_) return std::min(shared(platform_.cpu), shared(platform_.gpu));
    return shared(work.step_flops < gpu_from_ ? platform_.cpu : platform_.gpu);
  }

  void note(std::uint64_t trial, Work work, int times) {
    work.counted.flops *= times;
    work.counted.bytes *= times;
    work.counted.launches *= times;
    if (work.counted.streaming) work.counted.streaming->bytes *= times;
    work.brought *= times;
    if (done_.size() <= trial) done_.resize(trial + 1);
    done_[trial].push_back(work);
  }

  void report(double time, std::uint64_t trial) {
    Course& course = courses_.at(trial);
    std::int64_t step = course.borders[course.next++];
    Reported reported{.step = step,
                      .epochs = step,
                      .value = value_of(course.quality, step, study_.metric.goal == Goal::maximize),
                      .flops = course.flops,
                      .used = machine_.search().counts_seconds()
                                  ? course.flops / tasks::product_rate()
                                  : course.steps};
    for (const Metric& other : study_.others)
      reported.metrics.emplace_back(other.name,
                                    value_of(course.quality, step, other.goal == Goal::maximize));
    reported.over = course.next == course.borders.size();
    reported.word = machine_.answer(trial, reported);
    machine_.apply(trial, reported);
    if (reported.over || reported.word == Word::stop) {
      const auto state = reported.over ? TrialState::complete : TrialState::stopped;
      machine_.apply(trial, Ended{.state = state});
      courses_.erase(trial);
      return;
    }
    // What another one's network leads to trains for just as long.
    const bool goes_on = reported.word == Word::pause && machine_.search().pauses(step);
    if (goes_on) machine_.apply(trial, Resumed{});
    if (goes_on || reported.word == Word::go) advance(time, trial);
  }

  const StudySpec study_;
  const StudyData& data_;
  std::int64_t slots_;
  rt::Platform platform_;
  bool open_;        ///< which kind of device a task is for
  double gpu_from_;  ///< FLOPs of a step from which on it is for a GPU, where that is said
  StudyMachine machine_;
  Plan plan_;
  std::uint64_t largest_ = 0;
  double distinct_epochs_ = 0;
  double seconds_ = 0;
  std::map<std::uint64_t, Course> courses_;
  std::set<std::pair<double, std::uint64_t>> due_;
  std::set<base::Key> seen_;
  std::vector<std::vector<Work>> done_;
};

}  // namespace

std::vector<PaperTrial> paper_trials(const LoadedStudy& loaded, const rt::Platform& platform) {
  Play play(loaded, platform);
  (void)play.run();
  return play.on_paper();
}

Plan plan_study(const LoadedStudy& loaded, const rt::Platform& platform) {
  Play play(loaded, platform);
  Plan plan = play.run();
  plan.memory += nn::Dataset::byte_size(loaded.data.value.get().header());
  const Placement placement = place_trials(loaded, platform, play.on_paper());
  plan.seconds = placement.expected.seconds;
  plan.platform = platform.name;
  plan.placement = placement.kinds(static_cast<std::size_t>(plan.trials));
  plan.gpu_trials = static_cast<std::int64_t>(placement.expected.gpu_trials);
  plan.too_large = static_cast<std::int64_t>(placement.expected.too_large);
  plan.gpu_memory = placement.expected.gpu_memory;
  plan.trials_per_gpu = platform.gpu.sharers;
  if (loaded.asked.any_gpu && placement.gpu_from < kNoGpu) plan.gpu_from = placement.gpu_from;
  return plan;
}

Plan plan_programs(const StudySpec& study) {
  Plan plan{.ends_by_time = ends_by_time(study), .placement = "programs"};
  if (plan.ends_by_time) return plan;
  const std::int64_t most = study.limits.trials.value_or(INT64_MAX);
  // Points to try first may stand there twice: then a grid ends only behind the last of it.
  if (study.method.kind == "grid" && study.try_first.empty()) {
    const std::uint64_t points = study.space.grid_size().value();
    plan.trials = static_cast<std::int64_t>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(most), points));
    return plan;
  }
  StudyMachine machine({.study = study});
  while (const auto next = machine.next(machine.running() + 1)) {
    if (!std::holds_alternative<Created>(next->event)) break;
    machine.apply(next->trial, next->event);
    ++plan.trials;
  }
  return plan;
}

std::string plan_json(const Plan& plan) {
  JsonWriter json;
  json.begin_object().field("trials", plan.trials).field("epochs", plan.epochs);
  json.field("distinct_epochs", plan.distinct_epochs).field("steps", plan.steps);
  json.field("distinct_steps", plan.distinct_steps).field("flops", plan.flops);
  json.field("distinct_flops", plan.distinct_flops).field("memory", plan.memory);
  json.field("seconds", plan.seconds)
      .field("placement", std::string_view(plan.placement))
      .field("platform", std::string_view(plan.platform))
      .field("gpu_trials", plan.gpu_trials)
      .field("too_large", plan.too_large)
      .field("gpu_memory", plan.gpu_memory)
      .field("trials_per_gpu", plan.trials_per_gpu)
      .field("gpu_from", plan.gpu_from)
      .field("at_least", plan.at_least)
      .field("ends_by_time", plan.ends_by_time)
      .end_object();
  return std::move(json).text();
}

}  // namespace hpo
